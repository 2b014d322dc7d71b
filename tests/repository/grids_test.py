"""grids.py: a list that its script writes passes, one that was changed by hand does not, nor does a script that fails."""
import pathlib
import tempfile
import unittest

import grids

CASE_LIST = pathlib.Path(__file__).resolve().parents[2] / "data" / "case_list.py"


class Grids(unittest.TestCase):
    def problems(self, script, cases):
        with tempfile.TemporaryDirectory() as folder:
            data = pathlib.Path(folder) / "data"
            (data / "cases").mkdir(parents=True)
            (data / "case_list.py").write_bytes(CASE_LIST.read_bytes())
            (data / "make_small.py").write_text(f"import case_list\n{script}\n")
            (data / "cases" / "small").write_text(cases)
            return list(grids.wrong(pathlib.Path(folder)))

    def test_it_passes_and_says_no(self):
        script = 'case_list.write("small", "A few", ["a", "b", "a"])'
        written = "# A few; written by data/make_small.py.\na\nb\n"
        self.assertEqual(self.problems(script, written), [])
        self.assertEqual(self.problems(script, written.replace("b", "c")), ["data/cases/small is not what its script writes"])
        self.assertEqual(self.problems("raise ValueError('no')", written), ["data/make_small.py: ValueError: no"])


if __name__ == "__main__":
    unittest.main()
