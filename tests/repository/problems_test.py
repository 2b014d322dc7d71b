"""problems.py: a script that finds a problem prints it and fails; one that finds none passes."""
import contextlib
import io
import unittest

import problems


class Report(unittest.TestCase):
    def report(self, found):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            code = problems.report(lambda root: iter(found), "things that are wrong")
        return code, out.getvalue()

    def test_none(self):
        self.assertEqual(self.report([]), (0, "0 things that are wrong\n"))

    def test_some(self):
        self.assertEqual(self.report(["a: bad", "b: worse"]), (1, "a: bad\nb: worse\n2 things that are wrong\n"))


if __name__ == "__main__":
    unittest.main()
