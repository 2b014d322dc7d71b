"""comments.py: whole comments pass, torn ones do not."""
import unittest

import comments


class Comments(unittest.TestCase):
    def problems(self, text, mark=comments.SLASHES):
        return list(comments.wrong_lines("a.cpp", text, mark))

    def test_whole_comments_pass(self):
        for text in (
            "// One line.\nint a;\n",
            "// Two lines, of which the second\n// has two words.\n",
            "// A list of:\n// words\n",
            "// A sentence.\n// Name\n",
            "// What it does\n// ----------\n",
            "//\n// words\n",
            "struct S { // of a kind\n  // Its member.\n  int a;\n};\n",
            "int a; // one\n// Another.\nint b;\n",
            "  f(a, // one\n    b);\n",
        ):
            self.assertEqual(self.problems(text), [], text)

    def test_lone_words_are_found(self):
        for text in (
            "// A comment that goes on to the next line with one\n// word.\n",
            "  // Inside a function, too, it is one\n  // word's\n  int a;\n",
            "// One paragraph of two lines is\n// torn.\n//\n// The other is not.\n",
        ):
            self.assertEqual(len(self.problems(text)), 1, text)
        self.assertEqual(len(self.problems("# In Python and CMake as well, with a lone\n# word\n", comments.HASH)), 1)

    def test_comments_that_go_on_below_are_found(self):
        for text in (
            "int a; // a comment that is\n       // too long\n",
            "  if (a) { // else another is the first to\n           // read them\n",
            "constexpr int a = f(b); // bits that count how often so that no\n                        // pointer comes twice\n",
        ):
            self.assertEqual(len(self.problems(text)), 1, text)


if __name__ == "__main__":
    unittest.main()
