"""commits.py on a small repository: long subjects and missing bodies are found, but not before the check came."""
import pathlib
import subprocess
import tempfile
import unittest

import commits


class Commits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "a")
        self.git("config", "user.email", "a@example.org")
        self.commit("begin")
        (self.root / "check.py").write_text("")
        self.git("add", ".")

    def git(self, *arguments):
        return commits.git(self.root, *arguments).strip()

    def commit(self, *paragraphs):
        self.git("commit", "-q", "--allow-empty", *(word for text in paragraphs for word in ("-m", text)))
        return self.git("rev-parse", "HEAD")

    def problems(self, base):
        return list(commits.wrong(self.root, base, "check.py"))

    def test_mistakes_are_found(self):
        base = self.commit("the check", "and why")
        self.commit("a" * 72, "why")
        self.assertEqual(self.problems(base), [])
        self.commit("a" * 73, "why")
        self.commit("no body")
        found = "\n".join(self.problems(base))
        self.assertIn("73 characters", found)
        self.assertIn("no body: there is no body", found)
        self.assertEqual(len(self.problems(base)), 2)

    def test_merges_and_what_was_before_pass(self):
        begin = self.git("rev-parse", "HEAD")
        self.commit("the check")
        self.git("checkout", "-q", "-b", "other", begin)
        self.commit("b" * 80)
        self.git("checkout", "-q", "main")
        self.git("merge", "-q", "--no-ff", "-m", "c" * 80, "other")
        self.assertEqual(self.problems(begin), [])

    def test_what_the_base_has_passes(self):
        self.commit("the check")
        self.assertEqual(self.problems(self.commit("no body")), [])

    def test_without_the_check_there_is_nothing(self):
        self.assertEqual(self.problems(self.git("rev-parse", "HEAD")), [])


if __name__ == "__main__":
    unittest.main()
