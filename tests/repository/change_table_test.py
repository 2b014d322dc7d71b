"""change_table.py: rows that name files pass; a file that is not where the row says is found."""
import unittest

import change_table

TREE = change_table.Tree(["top.json", "inner/deep/a.cpp", "inner/deep/b.cpp", "inner/c.py", "other/a.cpp"])


class ChangeTable(unittest.TestCase):
    def problems(self, cell, head="## Where to change what"):
        text = f"# Page\n\n{head}\n\n| to add | touch |\n|---|---|\n| a thing | {cell} |\n\n## Next\n\n| x | `none.cpp` |\n"
        return list(change_table.wrong_rows(TREE, text))

    def test_files_that_exist_pass(self):
        for cell in ("`inner/deep/a.cpp`, `b.cpp`, then `other/a.cpp`", "`inner/deep/`: `b.cpp`; `top.json`",
                     "`inner/NAME/b.cpp`, `a.cpp`", "`other`, `wrong_*.cpp` and `run none.cpp` or `word`"):
            self.assertEqual(self.problems(cell), [], cell)

    def test_files_that_do_not_are_found(self):
        for cell in ("`inner/deep/c.py`", "`inner/c.py`, `b.cpp`", "`a.cpp`", "`other/`: `b.cpp`", "`inner/NAME/c.cpp`",
                     "`inner/deep/a.cpp`, `other/a.cpp`, `b.cpp`"):
            self.assertEqual(len(self.problems(cell)), 1, cell)

    def test_a_missing_table_is_found(self):
        self.assertEqual(len(self.problems("`top.json`", head="## Where")), 1)


if __name__ == "__main__":
    unittest.main()
