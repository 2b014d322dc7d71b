// Soundness of the rules, against execution itself: one state is run twice with two fillings of what nobody
// wrote; a result bit that differs must be marked invalid. Over every VALU and SALU mnemonic that can be
// assembled from a few operand patterns.

#include "emulator/isa/families.hpp"
#include "tests/observe/twin_states.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::test;

namespace {

std::vector<std::string> mnemonics(std::initializer_list<std::string_view> families) {
  std::vector<std::string> names;
#define FMHA950_COLLECT(name)                                                                                \
  if (std::find(families.begin(), families.end(), #name) != families.end())                                  \
    for (size_t i = 0; i < isa::simd_baseline::rows_##name.count; ++i)                                       \
      names.push_back(isa::simd_baseline::rows_##name.first[i].mnemonic);
  FMHA950_FAMILIES(FMHA950_COLLECT)
#undef FMHA950_COLLECT
  return names;
}

// Sources v0..v7 and s0..s7 in pairs, destinations v8, v9 and s8, s9 (larger ones from v16 up).
const char* const vector_patterns[] = {
    "v8, v0",
    "v8, a0",
    "a8, v0",
    "a8, a0",
    "v8, v[0:1]",
    "v[8:9], v0",
    "v[8:9], v[0:1]",
    "v8, s0",
    "v8, v0, v2",
    "v8, s0, v2",
    "v8, v0, v2 op_sel:[1,0,0]",
    "v8, v0, v2 op_sel:[0,1,1]",
    "v8, v0, v2 op_sel:[1,0] op_sel_hi:[0,1]",
    "v8, v0, v2, v4",
    "v8, v0, s2, v4",
    "v8, v0, v2, v4 op_sel:[1,0,0,0]",
    "v8, v0, v2, v4 op_sel:[0,1,1,1]",
    "v8, v0, v2, v4 op_sel:[1,0,1] op_sel_hi:[0,1,1]",
    "v8, v0, op_sel:[1,0]",
    "v8, v0 op_sel:[1,0,0,0]",
    "v8, v0, v2 op_sel:[0,0,1,1]",
    "v8, v0, v2 op_sel:[0,0,0,1]",
    "v8, v0, v2 op_sel:[1,0,1,0]",
    "v8, v0, v2, v4 op_sel:[0,0,1,0]",
    "v[8:9], v[0:1], v[2:3]",
    "v[8:9], v[0:1], v[2:3] op_sel:[1,0] op_sel_hi:[0,1]",
    "v[8:9], v[0:1], v[2:3], v[4:5]",
    "v[8:9], v0, v[2:3]",
    "v[8:9], v[0:1], v2",
    "v[8:9], v0, v2",
    "v[8:9], v0, v2 op_sel:[1,0,0]",
    "v8, v[0:1], v2",
    "v8, v[0:1], v2, v4",
    "v8, v[0:1], v[2:3]",
    "v[8:9], v[0:1], v2, v[4:5]",
    "v[8:11], v[0:1], v2, v[4:7]",
    "v8, v0, 0x3f80, v2",
    "v8, v0, v2, 0x3f80",
    "v8, vcc, v0, v2",
    "v8, vcc, v0, v2, vcc",
    "v8, s[8:9], v0, v2, s[0:1]",
    "v8, v0, v2, vcc",
    "v8, v0, v2, s[0:1]",
    "v[8:9], s[8:9], v0, v2, v[4:5]",
    "v8, vcc, v0, v2, v4",
    "v8, vcc, v0, v2, v0",
    "v[8:9], vcc, v[0:1], v[2:3], v[4:5]",
    "vcc, v0, v2",
    "s[8:9], v0, v2",
    "s[8:9], s0, v2",
    "vcc, v[0:1], v[2:3]",
    "vcc, v[0:1], v2",
    "s8, v0",
    "s8, v0, 7",
    "v8, s0, 7",
    "v[16:21], v[0:15], v[0:15], v2",
    "v[16:21], v[0:15], v2",
    "v[16:21], v[0:15], v2, v4",
    "v[32:37], v[0:31], v2, v4",
    "v[16:47], v[0:5], v2",
    "v[16:31], v[0:5], v2",
    "v8, v0 quad_perm:[1,2,3,0] row_mask:0xf bank_mask:0xf",
    "v8, v0 row_shr:3 row_mask:0xb bank_mask:0xf bound_ctrl:0",
    "v8, v0, v2 row_ror:5 row_mask:0xf bank_mask:0x7",
    "v8, v0, v2 row_mirror row_mask:0xf bank_mask:0xf",
    "vcc, v0, v2 src0_sel:WORD_1 src1_sel:BYTE_2",
    "v8, v0 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1",
    "v8, v0 dst_sel:WORD_1 dst_unused:UNUSED_SEXT src0_sel:BYTE_3",
    "v8, v0, v2 dst_sel:BYTE_2 dst_unused:UNUSED_SEXT src0_sel:WORD_1 src1_sel:BYTE_2",
    "v8, sext(v0), v2 dst_sel:WORD_0 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_1 src1_sel:WORD_1",
};
const char* const scalar_patterns[] = {
    "s8, s0",          "s[8:9], s[0:1]",     "s[8:9], s0",        "s8, s[0:1]",
    "s8, s0, s2",      "s[8:9], s[0:1], s2", "s[8:9], s0, s2",    "s[8:9], s[0:1], s[2:3]",
    "s0, s2",          "s[0:1], s[2:3]",     "s[0:1], s2",        "s8, 0x1234",
    "s[8:9], vcc, -1", "s8, s0, 5",          "s[8:9], s[0:1], 5",
};

template <size_t N>
std::vector<std::string> forms(const std::string& mnemonic, const char* const (&patterns)[N]) {
  std::vector<std::string> texts;
  for (const char* pattern : patterns) try {
      const std::string text = mnemonic + " " + pattern;
      // The device executes v_pk_fmac_f16 without its DPP and SDWA controls.
      if (mnemonic == "v_pk_fmac_f16" && text.find(':') != text.npos) continue;
      assemble(text);
      texts.push_back(text);
    } catch (const std::runtime_error&) {
    }
  return texts;
}

} // namespace

TEST_CASE("initialised: results that depend on what nobody wrote are marked: VALU", "[initialised][slow]") {
  std::string uncovered;
  size_t covered = 0;
  for (const std::string& mnemonic :
       mnemonics({"valu_f32", "valu_int", "valu_bits", "valu_compare", "lane", "transcendental", "packed",
                  "valu_f64", "valu_f16", "valu_int16", "valu_bytes", "valu_scale", "valu_division",
                  "packed_dot", "convert", "convert_small", "convert_scaled", "convert_scaled_32"})) {
    const auto texts = forms(mnemonic, vector_patterns);
    if (texts.empty()) uncovered += " " + mnemonic;
    covered += texts.size();
    for (const std::string& text : texts)
      check_soundness(text, mnemonic.starts_with("v_cmpx") ? 60 : 12, std::hash<std::string>{}(text));
  }
  CHECK(uncovered == " v_nop v_clrexcp"); // which have no operands
  CHECK(covered > 2000);
}

TEST_CASE("initialised: results that depend on what nobody wrote are marked: SALU", "[initialised][slow]") {
  std::string uncovered;
  size_t covered = 0;
  for (const std::string& mnemonic : mnemonics({"salu", "sop1"})) {
    const auto texts = forms(mnemonic, scalar_patterns);
    if (texts.empty()) uncovered += " " + mnemonic;
    covered += texts.size();
    for (const std::string& text : texts) check_soundness(text, 100, std::hash<std::string>{}(text));
  }
  CHECK(uncovered == "");
  CHECK(covered > 180);
}
