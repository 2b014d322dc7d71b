// What rows say of VALU instructions, against what their names say: LLVM's, with operation and types.
#include "emulator/isa/decode/opcode_table.hpp"
#include "emulator/program/valu_facts.hpp"
#include "tests/support/catch.hpp"

#include <regex>
#include <string>
#include <vector>

using namespace fmha950::isa;

namespace {

constexpr Row without[] = {{"v_add_f32", nullptr}};
static_assert(!all_valu(without));
constexpr ValuFacts whole = whole_registers(ValuClass::plain, ValuFlow::together);
constexpr bool compiles(const ValuFacts& facts) {
  return all_valu({valu_row({"v_add_f32", nullptr}, facts)});
}
constexpr bool compiles_without(auto fact) {
  ValuFacts facts = whole;
  fact(facts);
  return compiles(facts);
}
static_assert(compiles(whole));
static_assert(!compiles({.kind = ValuClass::plain}));
static_assert(!compiles_without([](ValuFacts& facts) { facts.kind = ValuClass::none; }));
static_assert(!compiles_without([](ValuFacts& facts) { facts.flow = ValuFlow::unsaid; }));
static_assert(!compiles_without([](ValuFacts& facts) { facts.writes = 0; }));
static_assert(!compiles_without([](ValuFacts& facts) { facts.reads[0] = 0; }));

constexpr Row added = computes(Arithmetic::add_unsigned, {"s_add_u32", nullptr});
static_assert(!all_scalar({added}));
static_assert(all_scalar({in_role(ScalarRole::plain, added)}));

bool is_half(const std::string& type) {
  return type == "f16" || type == "u16" || type == "i16" || type == "b16" || type == "bf16";
}

struct Name { // what it says
  std::string text;

  bool has(const char* part) const { return text.find(part) != text.npos; }
  bool is(const char* pattern) const { return std::regex_match(text, std::regex(pattern)); }

  bool is_valu() const { return text.starts_with("v_") && !is("v_s?mfma(?!_ld).*"); }
  ValuClass kind() const {
    if (is("v_(exp|log|rcp|rsq|sqrt|sin|cos)_.*")) return ValuClass::transcendental;
    if (is("v_(mul_(lo|hi)_[ui]32|mad_(u64_u32|i64_i32))")) return ValuClass::wide_multiply;
    if (is("v_cvt_.*")) return ValuClass::conversion;
    if (is("v_pk_.*")) return ValuClass::packed;
    if (is("v_dot.*")) return ValuClass::dot;
    return is("v_fmac?_f64") ? ValuClass::fma_f64 : ValuClass::plain;
  }
  ValuFlow flow() const {
    static const std::vector<std::pair<const char*, ValuFlow>> patterns = {
        {"v_(nop|clrexcp|mfma_ld_scale_b32)", ValuFlow::nothing},
        {"v_(mov_b|accvgpr_).*", ValuFlow::copy},
        {"v_cmpx?_.*", ValuFlow::compare},
        {"v_cndmask_b32", ValuFlow::select},
        {"v_swap_b32", ValuFlow::swap},
        {"v_permlane16_swap_b32", ValuFlow::swap_rows_16},
        {"v_permlane32_swap_b32", ValuFlow::swap_rows_32},
        {"v_readfirstlane_b32", ValuFlow::read_first_lane},
        {"v_readlane_b32", ValuFlow::read_lane},
        {"v_writelane_b32", ValuFlow::write_lane},
        {"v_pk_mov_b32", ValuFlow::word_from_each},
        {"v_pk_.*_f32", ValuFlow::packed_words},
        {"v_pk_.*", ValuFlow::packed_halves},
        {"v_fma_mix.*", ValuFlow::mixed},
        {"v_mad_[ui]64_[ui]32", ValuFlow::low_word_of_low_words},
        {"v_cvt_(pk_b?f16_f32|pkrtz_.*|pknorm_.*|pk_[ui]16_[ui]32)|v_pack_b32_f16", ValuFlow::half_from_each},
        {"v_cvt_(scalef32_)?pk_[fb][pf]8_f32", ValuFlow::code_from_each},
        {"v_cvt_scalef32_pk_[fb][pf]8_b?f16", ValuFlow::codes_of_halves},
        {"v_cvt_pk(accum)?_u8_f32", ValuFlow::byte_in_word},
        {"v_cvt_(scalef32_)?(sr_(pk_)?[fb][pf][48]_.*|pk_fp4_.*)|v_cvt_sr_b?f16_f32", ValuFlow::narrowed},
        {"v_cvt_(scalef32_)?(f(16|32)_[fb][pf]8|pk_b?f(16|32)_fp4)", ValuFlow::widened},
        {"v_cvt_(scalef32_)?pk_b?f(16|32)_[fb][pf]8", ValuFlow::widened_each}};
    for (const auto& [pattern, flow] : patterns)
      if (is(pattern)) return flow;
    return ValuFlow::together;
  }
  std::vector<std::string> types() const {
    std::vector<std::string> found;
    const std::regex type("_((?:bf|f|u|i|b)(?:16|32|64))(?=_|$)");
    for (std::sregex_iterator at(text.begin(), text.end(), type), end; at != end; ++at)
      found.push_back((*at)[1]);
    return found;
  }
  std::string last_type() const { return text.substr(text.rfind('_') + 1); }

  // Of flows in which halves are told apart.
  bool writes_half() const {
    if (flow() == ValuFlow::compare || is("v_(sad_u16|m?qsad_.*|dot.*|cvt_pk.*)")) return false;
    if (is("v_(ashr|sat)_pk_.*")) return true;
    return !types().empty() && is_half(types().front());
  }
  bool reads_half(int source) const {
    if (is("v_(sad_u16|sat_pk_.*|dot.*|cmpx?_(f|t|tru)_.*)")) return false;
    if (is("v_mad_[ui]32_[ui]16") && source == 2) return false;
    if (is("v_cmpx?_class_f16") && source == 1) return false;
    return is_half(last_type());
  }
  bool keeps_rest() const {
    return is(
        "v_(mad|fma|div_fixup)_f16|v_(min3|max3|med3)_[fui]16|v_(add|sub|mad)_i16|v_mad_u16|v_ashr_pk_.*|"
        "v_bitop3_b16");
  }
};

int sources_of(const Row& row) { // of those that signatures give: others read whatever the default says
  return Name{row.mnemonic}.is("v_(cvt|frexp|exp|log|rcp|rsq|sqrt|sin|cos|floor|ceil|trunc|rndne|fract)_.*")
             ? 1
         : Name{row.mnemonic}.is("v_(mad|fma|min3|max3|med3|div_fixup|bitop3).*") ? 3
                                                                                  : 2;
}

} // namespace

TEST_CASE("rows of VALU instructions say what their names say") {
  int valu_rows = 0;
  for (const Family& family : families())
    for (size_t i = 0; i < family.rows.count; ++i) {
      const Row& row = family.rows.first[i];
      const Name name{row.mnemonic};
      const ValuFacts& facts = row.valu;
      INFO(row.mnemonic);
      REQUIRE(name.is_valu() == (facts.kind != ValuClass::none));
      if (!name.is_valu()) continue;
      ++valu_rows;
      CHECK(facts.kind == name.kind());
      CHECK(facts.flow == name.flow());
      CHECK(facts.accumulates == name.is("v_(fmac|mac|pk_fmac|dot[248]c|cvt_pkaccum)_.*"));
      CHECK(facts.takes_mask == name.is("v_cndmask_b32|v_(addc|subb|subbrev)_co_u32"));
      CHECK(facts.takes_vcc == name.is("v_div_fmas_.*"));
      CHECK(facts.carries == (name.has("_co_") || name.is("v_div_scale_.*|v_mad_(u64_u32|i64_i32)")));
      CHECK(facts.always_moves == name.is("v_cvt_scalef32_sr_pk_fp4_.*"));
      CHECK(facts.keeps_rest == name.keeps_rest());
      CHECK(facts.crosses_lanes() == name.is("v_(readlane|readfirstlane|writelane|permlane).*"));
      CHECK((facts.widest >= 16) == name.is("v_cvt_.*(pk32|2xpk16)_.*"));
      CHECK((facts.widest == 32) == name.is("v_cvt_.*(pk32|2xpk16)_(f32_[fb][pf]6|[fb][pf]6_f32)"));
      if (name.kind() == ValuClass::transcendental) CHECK((facts.widest == 2) == name.has("_f64"));
    }
  CHECK(valu_rows == 553);
}

TEST_CASE("rows of VALU instructions say which bytes they read and write, as their names do") {
  for (const Family& family : families())
    for (size_t i = 0; i < family.rows.count; ++i) {
      const Row& row = family.rows.first[i];
      const Name name{row.mnemonic};
      const ValuFacts& facts = row.valu;
      INFO(row.mnemonic);
      if (!name.is_valu()) continue;
      if (facts.flow == ValuFlow::narrowed)
        CHECK(facts.writes == (name.is("v_cvt_sr_b?f16_f32") ? low_half : one_byte));
      if (facts.flow == ValuFlow::mixed)
        CHECK(facts.writes == (name.has("mixhi") ? high_half : name.has("mixlo") ? low_half : one_word));
      if (facts.flow == ValuFlow::widened)
        CHECK(facts.writes == (name.has("pk_f32")                         ? all_bytes
                               : name.is(".*_f16_.*") && !name.has("pk_") ? low_half
                                                                          : one_word));
      if (facts.flow == ValuFlow::compare && name.is("v_cmpx?_(f|t|tru)_.*"))
        for (uint8_t bytes : facts.reads) CHECK(bytes == 0);
      std::smatch byte;
      const std::string text = row.mnemonic;
      if (std::regex_match(text, byte, std::regex("v_cvt_f32_ubyte([0-3])")))
        CHECK(facts.reads[0] == one_byte << std::stoi(byte[1]));
      else if (name.is("v_cvt_off_f32_i4"))
        CHECK(facts.reads[0] == one_byte);
      else if (facts.flow == ValuFlow::together && facts.widest <= 2) { // wider ones move whole registers
        CHECK((facts.writes == low_half) == name.writes_half());
        for (int source = 0; source < sources_of(row); ++source)
          CHECK((facts.reads[source] == low_half) == name.reads_half(source));
      } else if (facts.flow == ValuFlow::compare || facts.flow == ValuFlow::half_from_each) {
        for (int source = 0; source < 2; ++source)
          CHECK((facts.reads[source] == low_half) == name.reads_half(source));
      } else if (name.is("v_cvt_scalef32_sr_[fb][pf]8_.*")) {
        CHECK((facts.reads[0] == low_half) == name.reads_half(0));
      }
    }
}

TEST_CASE("rows of the SALU say what they do to EXEC and with M0, as their names do") {
  int roles = 0;
  for (const Family& family : families())
    for (size_t i = 0; i < family.rows.count; ++i) {
      const Row& row = family.rows.first[i];
      const Name name{row.mnemonic};
      INFO(row.mnemonic);
      const bool of_salu = name.text.starts_with("s_") && row.control == ControlRole::unsaid &&
                           row.memory.kind == MemoryKind::none;
      CHECK((row.scalar != ScalarRole::unsaid) == of_salu);
      CHECK((row.scalar == ScalarRole::moves_from) == name.is("s_movrels_b(32|64)"));
      CHECK((row.scalar == ScalarRole::moves_to) == name.is("s_movreld_b(32|64)"));
      CHECK((row.scalar == ScalarRole::saves_exec) == name.has("_saveexec_"));
      CHECK((row.scalar == ScalarRole::writes_exec) == name.has("_wrexec_"));
      CHECK((row.scalar == ScalarRole::updates) ==
            name.is("s_(bitset[01]_b(32|64)|cmov_b(32|64)|cmovk_i32)"));
      if (row.scalar == ScalarRole::updates || row.scalar == ScalarRole::plain ||
          row.scalar == ScalarRole::unsaid)
        continue;
      ++roles;
      CHECK((row.constant[0] == ConstantType::i64) == name.has("_b64"));
    }
  CHECK(roles == 16);
}
