"""citations.py on a small repository: what it must find, and what it must let pass."""
import pathlib
import subprocess
import tempfile
import unittest

import citations

PAGE = (
    "# Page\n\n## 1. First\n\n### 1.2 Inner part\n\n## Plain heading, with `code`\n\n"
    "```sh\n# Fenced\n## 7. Fenced, too\n```\n"
)


class Citations(unittest.TestCase):
    def problems(self, **texts):
        with tempfile.TemporaryDirectory() as folder:
            files = {"docs/page.md": PAGE, **{name.replace("__", "."): text for name, text in texts.items()}}
            for name, text in files.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
            subprocess.run(["git", "add", "."], cwd=folder, check=True)
            return list(citations.wrong(citations.Repository(folder)))

    def test_what_exists_passes(self):
        code = (
            "// page.md section 1, docs/page.md sections 1 and 1.2\n"
            "// page.md,\n//   section 1.2; page.md, \"Plain heading\"\n"
            "// page.md 1.2, page.md 1 and 1.2, docs/page.md#plain-heading-with-code, page.md, 7 lines\n"
            "// folder/a.cpp, deep/folder/a.cpp, deep/NAME/a.cpp; #include <elsewhere/b.hpp>\n"
            "// here.csv, deep/here.csv, rows.csv, DIR/rows.csv, *_here.csv\nprint(output.csv);\n"
        )
        text = (
            "[a](docs/page.md) [b](docs/page.md#plain-heading-with-code) [c](#here) [d](docs) [e](https://x.y/z)\n# Here\n"
            "[a](docs/page.md) section 1.2, [a](docs/page.md) 8\n"
        )
        self.assertEqual(self.problems(**{"deep/here.csv": "a\n", "deep/folder/a.cpp": code, "top.md": text}), [])

    def test_what_does_not_is_found(self):
        for code in (
            "// missing.md",
            "// other/page.md section 1",
            "// page.md section 2",
            "// page.md sections 1 and 3",
            "// page.md,\n// section 1.3",
            '// page.md, "Another heading"',
            "// page.md 8",
            "// page.md,\n// sections 1 to 8",
            "// page.md#none",
            "// docs/page.md#fenced",
            '// page.md, "Fenced"',
            "// page.md section 7",
            "// folder/none.cpp",
            "// folder/NAME/none.cpp",
            "// none.csv",
            'read("deep/none.csv");',
        ):
            self.assertEqual(len(self.problems(a__cpp=code)), 1, code)
        for text in (
            "[a](docs/none.md)",
            "[a](docs/page.md) section 8",
            "`docs/page.md` 8",
            "[a](docs/page.md#none)",
            "[a](docs/page.md#fenced)",
            "[a](#none)",
            "[a](../page.md)",
        ):
            self.assertTrue(self.problems(top__md=text), text)


if __name__ == "__main__":
    unittest.main()
