"""figures.py: pages that agree with the ledger pass; a figure, a row or a README that is wrong is found."""
import pathlib
import tempfile
import unittest

import figures

CSV = """page,killed,equivalent,undecided,survived,code,judged
first,1000,20,3,0,0123456789abcdef,2026-11-02
second,234,5,0,1,fedcba9876543210,2026-11-20
"""
PAGE = """1234 killed, 25 equivalent, 3 undecided, 1 survived

| first | 1000 | 20 | 3 | 0 | 0123456789abcdef | 2026-11-02 |
| second | 234 | 5 | 0 | 1 | fedcba9876543210 | 2026-11-20 |
"""
README = """The [ledger](docs/mutants.md) of
20 November 2026 holds 1,263: 1,234 were noticed, 1 survived. The others changed nothing.
For 25 of them the code [proves](x.md) that nothing can change; 3 are undecided.
"""


class Figures(unittest.TestCase):
    def problems(self, page=PAGE, readme=README):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"data/mutants/ledger.csv": CSV, "docs/mutants.md": page, "README.md": readme}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            return list(figures.wrong(pathlib.Path(folder)))

    def test_what_agrees_passes(self):
        self.assertEqual(self.problems(), [])
        self.assertEqual(self.problems(readme=README + "\n" * 87), [])

    def test_a_wrong_figure_of_the_readme_is_found(self):
        for right, wrong in (("20 Nov", "2 Nov"), ("1,263", "1,262"), ("1,234", "1234"), (" 1 survived", " 0 survived"),
                             ("25", "26"), ("; 3", "; 4"), ("holds", "has")):
            self.assertEqual(len(self.problems(readme=README.replace(right, wrong))), 1, wrong)

    def test_a_wrong_figure_of_the_page_is_found(self):
        for right, wrong in (("1234 killed", "1235 killed"), ("1 survived", "0 survived"), ("25 equiv", "no equiv"),
                             ("| second | 234 | 5 | 0 | 1 | fedcba9876543210 | 2026-11-20 |\n", "")):
            self.assertEqual(len(self.problems(page=PAGE.replace(right, wrong))), 1, wrong)
        self.assertEqual(len(self.problems(page=PAGE.replace("| 5 |", "| 6 |"))), 2)  # the page's row, the csv's

    def test_a_long_readme_is_found(self):
        self.assertEqual(len(self.problems(readme=README + "\n" * 88)), 1)


if __name__ == "__main__":
    unittest.main()
