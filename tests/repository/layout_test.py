"""layout.py: a source of clang-format's layout passes, one with a blank line too many does not."""
import pathlib
import subprocess
import tempfile
import unittest

import layout

STYLE = pathlib.Path(__file__).resolve().parents[2] / ".clang-format"


class Layout(unittest.TestCase):
    def problems(self, text):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / ".clang-format").write_bytes(STYLE.read_bytes())
            (root / "a.cpp").write_text(text)
            for command in (["init", "-q"], ["add", "a.cpp"]):
                subprocess.run(["git", *command], cwd=root, check=True)
            return list(layout.wrong(root))

    def test_it_passes_and_says_no(self):
        self.assertEqual(self.problems("int a;\n\nint b;\n"), [])
        self.assertEqual(self.problems("int a;\n\n\nint b;\n"), ["a.cpp:1:7"])
        self.assertEqual(len(self.problems("int  a;\n")), 1)


if __name__ == "__main__":
    unittest.main()
