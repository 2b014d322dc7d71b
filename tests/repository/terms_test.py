"""terms.py: what the glossary has passes, a term, an acronym and a key that it has not are found."""
import unittest

import terms

GLOSSARY = """
| term | meaning |
|---|---|
| bf16, fp16 | Numbers. |
| `auto` | The default. |
| clock, law of the | How fast. |
| MX | Scales. |
| order | `order=`: of pages. |
"""


class Terms(unittest.TestCase):
    def problems(self, listed, readme):
        return list(terms.wrong_terms(listed, readme, GLOSSARY))

    def test_what_the_glossary_has_passes(self):
        readme = "The law of the clock, auto and FP16, MX on a GPU; `--impl NAME`: batch_prefill/h=4:1/order=lru\n\n    run FILE\n"
        self.assertEqual(self.problems(["auto", "fp16", "law of the clock"], readme), [])

    def test_what_it_has_not_is_found(self):
        for listed, readme in (
            (["tile"], "A tile."),
            ([], "An XYZ."),
            ([], "batch_prefill/h=4:1/cap=30"),
        ):
            found = self.problems(listed, readme)
            self.assertEqual(len(found), 1, readme)
            self.assertIn("docs/glossary.md does not have", found[0])

    def test_a_list_that_is_longer_than_the_readme_is_found(self):
        self.assertIn("README.md does not have it", self.problems(["auto"], "Nothing.")[0])


if __name__ == "__main__":
    unittest.main()
