"""command_lines.py: calls that the program takes pass; a command or an option that is none is found."""
import unittest

import command_lines

REFERENCE = """# Reference

## perf

| option | value | meaning |
|---|---|---|
| `--samples` | `INT` | Not with `--slow` |

And, of [several commands](#options-of-several-commands): `--list`, `--impl`.

## device run

## Options of several commands

| `--list` | `TEXT` | Names | perf, run |
"""
KNOWN = command_lines.Known(REFERENCE, "test | build)\n  --fast) fast=yes ;;\nreport)\nresults)\n",
                            {"report": 'parser.add_argument("--title")', "results": '"--to"', "results diff": '"--where"'})


class CommandLines(unittest.TestCase):
    def problems(self, text):
        return list(command_lines.wrong_calls(KNOWN, text))

    def test_calls_that_are_taken_pass(self):
        for text in ("Say `./fmha950 perf --list a --samples 3`.", "    ./fmha950 test --fast   # words --none\n", "`perf --help`",
                     "    ./fmha950 perf case --impl all | grep --color x\n", "`./fmha950 device run a.out --anything`",
                     "`./fmha950 report --samples 3 --title x`", "```sh\n./fmha950 perf \\\n  --list a\n```\n", "`./fmha950 results a --to b`", "`./fmha950 results diff a b --where c`", "`fmha950 --version`",
                     "`perf` has no --none", "`fmha950 COMMAND --none`"):
            self.assertEqual(self.problems(text), [], text)

    def test_others_are_found(self):
        for text in ("`./fmha950 prof --list a`", "`./fmha950 perf --slow`", "    ./fmha950 perf --fast\n", "`perf --to x`",
                     "`./fmha950 test --impl all`", "```\n$ ./fmha950 report --none\n```\n", "`perf --list a [--none]`",
                     "```sh\n./fmha950 prof\n```\n", "```\n./fmha950 perf \\\n  --none\n```\n", "`./fmha950 results diff a b --to c`", "`./fmha950 results a --where b`"):
            self.assertEqual(len(self.problems(text)), 1, text)


if __name__ == "__main__":
    unittest.main()
