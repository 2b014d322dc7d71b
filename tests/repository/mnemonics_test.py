"""mnemonics.py: names in texts pass; what is told from a name or a number does not."""
import unittest

import mnemonics

CHECK = "emulator/observe/check.cpp"
TEXT = "emulator/timing/loop_report.cpp"


class Mnemonics(unittest.TestCase):
    def problems(self, text, file=CHECK):
        return list(mnemonics.wrong_lines(file, text))

    def test_texts_and_facts_pass(self):
        for text in (
            'fmt::format("{} waits for s_waitcnt vmcnt({})", mnemonic_of(in), count)',
            'hazard.missing = "s_waitcnt vmcnt(0) lgkmcnt(0)";',
            "const std::string_view mnemonic = isa::mnemonic_of(in);\nreturn mnemonic.empty() ? other : mnemonic;",
            "if (in.row->valu.flow == isa::ValuFlow::compare) return; // v_cmp, as m.starts_with(\"v_cmp\") said",
            'if (text.starts_with("pct:")) return;',
            "return in.row && mnemonic == row.mnemonic;",
        ):
            self.assertEqual(self.problems(text), [], text)

    def test_string_tests_are_found(self):
        for text in (
            'if (mnemonic.starts_with("v_pk_")) return;',
            "if (in.row->mnemonic[5] == 'x') return;",
            'const bool saves = isa::contains(in.row->mnemonic, "saveexec");',
            "const std::string_view m = in.row->mnemonic;\nreturn m.ends_with(type);",
            "std::string name = timing::assembler_mnemonic_of(in);\nreturn name.substr(2) == wanted;",
            'return isa::mnemonic_of(in).find("_f32") != npos;',
            'return isa::mnemonic_of(in) == "swap";',
            "return starts_with_any(mnemonic, prefixes);",
            'const auto m = isa::mnemonic_of(in);\nif ("nop" == m) return;',
        ):
            for file in (CHECK, "harness/mutation/mutant.cpp"):
                self.assertEqual(len(self.problems(text, file)), 1, text)

    def test_string_tests_on_disassembled_text_are_found(self):
        for text in (
            "const std::string text = isa::disassemble(in);\nreturn text.substr(text.find(' '));",
            "const auto text = isa::disassemble(code_->instruction(index));\nif (text == \"s_endpgm\") return;",
            "return isa::disassemble(code_->instruction(index)).substr(2);",
            'if (isa::disassemble(in).starts_with("v_pk_")) return;',
            'return isa::disassemble(*in) == "nop";',
            'return strstr(isa::disassemble(in), "exec");',
        ):
            for file in (CHECK, "harness/mutation/mutant.cpp"):
                self.assertGreaterEqual(len(self.problems(text, file)), 1, text)

    def test_disassembled_text_may_be_printed(self):
        for text in (
            "op.text = isa::disassemble(instruction);",
            'return fmt::format("+{:#x} {}", offset(index), isa::disassemble(code_.instruction(index)));',
            'const std::string text = isa::disassemble(in);\nreturn fmt::format("{} at {}", text, offset);',
        ):
            self.assertEqual(self.problems(text), [], text)

    def test_names_of_instructions_are_found_but_for_texts(self):
        self.assertEqual(len(self.problems('if (is({"v_permlane"})) return;')), 1)
        self.assertEqual(len(self.problems('static const Names all = {"ds_gws", "global_load"};')), 1)
        self.assertEqual(len(self.problems('    {"v_not_b32", [](S x) { return ~x.s[0]; }},')), 1)
        self.assertEqual(self.problems('  line("s_nop", nops);', TEXT), [])
        self.assertEqual(len(self.problems('  if (is("v_not_b32")) return nullptr;', TEXT)), 1)
        self.assertEqual(self.problems('if (protection("v_arrived")) wait();', "harness/probe/a.cpp"), [])

    def test_numbers_of_opcodes_are_found(self):
        for text in (
            "constexpr uint32_t pk_fma_f32 = 0x30;\nreturn vop3p(in) &&\n  (in.words[0] >> 16 & 0x7F) == pk_fma_f32;",
            "if (in.words[0] == 0xBF810000) return;",
            "return pk_fma == (in.words[0] >> 16 & 127);",
            "switch (in.words[0] >> 16 & 0x3FF) {",
            "const uint32_t number = in.words[0] >> 18 & 0xFF;\nif (number == 3) return;",
        ):
            self.assertEqual(len(self.problems(text)), 1, text)

    def test_other_fields_pass(self):
        for text in (
            "return (in.words[1] >> 8 & 7) != 6;",
            "const int vgpr = in.words[1] >> 9 & 0xFF;\nread(vgpr);",
            "in.words[0] = (in.words[0] & 0xFFFF0000) | in.simm16;",
            "if (request.words[0] & 1) return 2 == count;",
        ):
            self.assertEqual(self.problems(text), [], text)


if __name__ == "__main__":
    unittest.main()
