"""includes.py: an arrow down passes; one up, sideways or in a circle does not, nor a slow header in another file."""
import unittest

import includes

ORDER = includes.FolderOrder("# the floor\nbase other\n\nmiddle\nmiddle/inner\nsorts/shared\nsorts/*\nimpl_*/low\nimpl_*\nimpl_a/high\ntop\n")
FILES = {"base/a.hpp", "base/deep/b.hpp", "other/c.hpp", "middle/d.hpp", "middle/inner/e.hpp", "top/f.hpp", "new/g.hpp", "impl_a/h.hpp", "impl_a/in/i.hpp", "impl_a/low/n.hpp", "impl_a/high/o.hpp", "impl_b/j.hpp", "impl_b/low/p.hpp", "sorts/shared/k.hpp", "sorts/one/l.hpp", "sorts/two/m.hpp"}


class Includes(unittest.TestCase):
    def problems(self, file, *targets):
        text = "".join(f'#include "{target}"\n' for target in targets)
        return list(includes.wrong_includes(ORDER, file, text, FILES))

    def test_down_and_within_pass(self):
        self.assertEqual(self.problems("base/a.hpp", "base/deep/b.hpp"), [])
        self.assertEqual(self.problems("middle/inner/e.hpp", "middle/d.hpp", "base/a.hpp"), [])
        self.assertEqual(self.problems("top/f.hpp", "middle/inner/e.hpp", "other/c.hpp"), [])
        self.assertEqual(self.problems("impl_a/h.hpp", "impl_a/in/i.hpp", "middle/d.hpp"), [])
        self.assertEqual(self.problems("sorts/one/l.hpp", "sorts/shared/k.hpp", "middle/d.hpp"), [])
        self.assertEqual(self.problems("impl_a/h.hpp", "sorts/two/m.hpp"), [])

    def test_subfolders_of_what_a_pattern_names(self):
        for file, target in (("impl_a/h.hpp", "impl_a/low/n.hpp"), ("impl_a/high/o.hpp", "impl_a/h.hpp"), ("impl_a/high/o.hpp", "impl_a/low/n.hpp")):
            self.assertEqual(self.problems(file, target), [], f"{file} -> {target}")
            self.assertEqual(len(self.problems(target, file)), 1, f"{target} -> {file}")
        for file, target in (("impl_a/h.hpp", "impl_b/low/p.hpp"), ("impl_a/high/o.hpp", "impl_b/j.hpp"), ("impl_a/high/o.hpp", "impl_b/low/p.hpp")):
            self.assertEqual(len(self.problems(file, target)), 1, f"{file} -> {target}")

    def test_angle_brackets_do_not_hide_an_include(self):
        self.assertEqual(len(list(includes.wrong_includes(ORDER, "base/a.hpp", "#include <middle/d.hpp>\n", FILES))), 1)
        self.assertEqual(list(includes.wrong_includes(ORDER, "base/a.hpp", "#include <other/system.hpp>\n", FILES)), [])

    def test_up_sideways_and_unknown_do_not(self):
        for file, target in (
            ("base/a.hpp", "middle/d.hpp"),
            ("middle/d.hpp", "middle/inner/e.hpp"),
            ("base/a.hpp", "other/c.hpp"),
            ("top/f.hpp", "new/g.hpp"),
            ("impl_a/h.hpp", "impl_b/j.hpp"),
            ("impl_a/in/i.hpp", "top/f.hpp"),
            ("sorts/one/l.hpp", "sorts/two/m.hpp"),
            ("sorts/shared/k.hpp", "sorts/one/l.hpp"),
            ("top/f.hpp", "d.hpp"),
        ):
            self.assertEqual(len(self.problems(file, target)), 1, f"{file} -> {target}")

    def test_a_folder_that_the_list_lacks_is_found(self):
        self.assertEqual(len(self.problems("new/g.hpp")), 1)

    def test_a_slow_header_has_one_file(self):
        text = "#include <regex>\n#include <string>\n"
        self.assertEqual(list(includes.slow_includes(includes.SLOW["regex"][0], text)), [])
        self.assertEqual(len(list(includes.slow_includes("harness/judge/verdict.cpp", text))), 1)


if __name__ == "__main__":
    unittest.main()
