#include "emulator/static_check/instruction_tables.hpp"

#include "emulator/isa/mnemonic.hpp"

#include <algorithm>
#include <iterator>

namespace fmha950::static_check {
namespace {

struct MaskEntry {
  std::string_view mnemonic;
  unsigned table;
};
constexpr MaskEntry mask_entries[] = {
    {"s_and_b64", 0b1000},
    {"s_and_saveexec_b64", 0b1000},
    {"s_or_b64", 0b1110},
    {"s_or_saveexec_b64", 0b1110},
    {"s_xor_b64", 0b0110},
    {"s_xor_saveexec_b64", 0b0110},
    {"s_nand_b64", 0b0111},
    {"s_nand_saveexec_b64", 0b0111},
    {"s_nor_b64", 0b0001},
    {"s_nor_saveexec_b64", 0b0001},
    {"s_xnor_b64", 0b1001},
    {"s_xnor_saveexec_b64", 0b1001},
    {"s_andn2_b64", 0b0100},
    {"s_andn2_saveexec_b64", 0b0100},
    {"s_orn2_b64", 0b1101},
    {"s_orn2_saveexec_b64", 0b1101},
    {"s_andn1_saveexec_b64", 0b0010},
    {"s_orn1_saveexec_b64", 0b1011},
    {"s_mov_b64", 0b1100},
    {"s_not_b64", 0b0011},
};

struct PredicateEntry {
  std::string_view mnemonic;
  Predicate predicate;
};
constexpr PredicateEntry predicate_entries[] = {
    {"s_cmp_eq_i32", {Predicate::equal, false}},
    {"s_cmpk_eq_i32", {Predicate::equal, false}},
    {"s_cmp_lg_i32", {Predicate::equal, true}},
    {"s_cmpk_lg_i32", {Predicate::equal, true}},
    {"s_cmp_lt_i32", {Predicate::less_signed, false}},
    {"s_cmpk_lt_i32", {Predicate::less_signed, false}},
    {"s_cmp_ge_i32", {Predicate::less_signed, true}},
    {"s_cmpk_ge_i32", {Predicate::less_signed, true}},
    {"s_cmp_gt_i32", {Predicate::greater_signed, false}},
    {"s_cmpk_gt_i32", {Predicate::greater_signed, false}},
    {"s_cmp_le_i32", {Predicate::greater_signed, true}},
    {"s_cmpk_le_i32", {Predicate::greater_signed, true}},
    {"s_cmp_eq_u32", {Predicate::equal, false}},
    {"s_cmpk_eq_u32", {Predicate::equal, false}},
    {"s_cmp_lg_u32", {Predicate::equal, true}},
    {"s_cmpk_lg_u32", {Predicate::equal, true}},
    {"s_cmp_lt_u32", {Predicate::less, false}},
    {"s_cmpk_lt_u32", {Predicate::less, false}},
    {"s_cmp_ge_u32", {Predicate::less, true}},
    {"s_cmpk_ge_u32", {Predicate::less, true}},
    {"s_cmp_gt_u32", {Predicate::greater, false}},
    {"s_cmpk_gt_u32", {Predicate::greater, false}},
    {"s_cmp_le_u32", {Predicate::greater, true}},
    {"s_cmpk_le_u32", {Predicate::greater, true}},
    {"s_cmp_eq_u64", {Predicate::equal, false}},
    {"s_cmp_lg_u64", {Predicate::equal, true}},
    {"s_bitcmp1_b32", {Predicate::bit, false}},
    {"s_bitcmp0_b32", {Predicate::bit, true}},
    {"s_bitcmp1_b64", {Predicate::bit, false}},
    {"s_bitcmp0_b64", {Predicate::bit, true}},
};

constexpr PredicateEntry lane_predicate_entries[] = {
    {"v_cmp_lt_i32", {Predicate::less_signed, false}},
    {"v_cmp_ge_i32", {Predicate::less_signed, true}},
    {"v_cmp_gt_i32", {Predicate::greater_signed, false}},
    {"v_cmp_le_i32", {Predicate::greater_signed, true}},
};

struct LinearEntry {
  std::string_view mnemonic;
  LinearUse use;
};
// Unsigned scalar sums are those of addresses.
constexpr LinearEntry linear_entries[] = {
    {"s_mov_b32", {LinearUse::copy}},
    {"v_mov_b32", {LinearUse::copy}},
    {"s_add_i32", {LinearUse::sum}},
    {"v_add_u32", {LinearUse::sum}},
    {"s_sub_i32", {LinearUse::difference}},
    {"v_sub_u32", {LinearUse::difference}},
    {"v_subrev_u32", {LinearUse::difference, 1, 0}},
    {"s_lshl_b32", {LinearUse::shifted_left}},
    {"v_lshlrev_b32", {LinearUse::shifted_left, 1, 0}},
    {"v_lshl_add_u32", {LinearUse::shifted_left_sum}},
    {"s_ashr_i32", {LinearUse::shifted_right}},
    {"s_min_i32", {LinearUse::minimum}},
};

using B = KnownBits;
// Tables of bitwise() for what only two sources have a part in: each bit twice.
constexpr uint32_t and_table = 0xC0, or_table = 0xFC, xor_table = 0x3C, and_not_table = 0x30,
                   or3_table = 0xFE, and_or_table = 0xEA;
template <uint32_t Table> B by_bits(B a, B b, B c) { return bitwise(Table, a, b, c); }

struct Evaluation {
  std::string_view mnemonic;
  Evaluate evaluate;
};
constexpr Evaluation evaluations[] = {
    {"s_and_b32", by_bits<and_table>},
    {"v_and_b32", by_bits<and_table>},
    {"s_or_b32", by_bits<or_table>},
    {"v_or_b32", by_bits<or_table>},
    {"s_xor_b32", by_bits<xor_table>},
    {"v_xor_b32", by_bits<xor_table>},
    {"s_andn2_b32", by_bits<and_not_table>},
    {"v_or3_b32", by_bits<or3_table>},
    {"v_and_or_b32", by_bits<and_or_table>},
    {"s_mov_b32", [](B a, B, B) { return a; }},
    {"v_mov_b32", [](B a, B, B) { return a; }},
    {"v_accvgpr_read_b32", [](B a, B, B) { return a; }},
    {"v_accvgpr_write_b32", [](B a, B, B) { return a; }},
    {"s_cselect_b32", [](B a, B b, B) { return common(a, b); }},
    {"v_cndmask_b32", [](B a, B b, B) { return common(a, b); }},
    {"s_add_i32", [](B a, B b, B) { return sum(a, b); }},
    {"s_add_u32", [](B a, B b, B) { return sum(a, b); }},
    {"v_add_u32", [](B a, B b, B) { return sum(a, b); }},
    {"s_sub_i32", [](B a, B b, B) { return difference(a, b); }},
    {"s_sub_u32", [](B a, B b, B) { return difference(a, b); }},
    {"v_sub_u32", [](B a, B b, B) { return difference(a, b); }},
    {"v_subrev_u32", [](B a, B b, B) { return difference(b, a); }},
    {"v_add3_u32", [](B a, B b, B c) { return sum(sum(a, b), c); }},
    {"s_lshl_b32", [](B a, B b, B) { return shifted_left(a, b); }},
    {"s_lshr_b32", [](B a, B b, B) { return shifted_right(a, b); }},
    {"v_lshlrev_b32", [](B a, B b, B) { return shifted_left(b, a); }},
    {"v_lshrrev_b32", [](B a, B b, B) { return shifted_right(b, a); }},
    {"v_lshl_add_u32", [](B a, B b, B c) { return sum(shifted_left(a, b), c); }},
    {"v_add_lshl_u32", [](B a, B b, B c) { return shifted_left(sum(a, b), c); }},
    {"v_lshl_or_b32", [](B a, B b, B c) { return bitwise(or_table, shifted_left(a, b), c, {}); }},
    {"v_xad_u32", [](B a, B b, B c) { return sum(bitwise(xor_table, a, b, {}), c); }},
    {"s_addk_i32", [](B a, B b, B) { return sum(a, b); }},
};

struct BitEntry {
  std::string_view mnemonic;
  BitForm form;
};
constexpr BitEntry bit_entries[] = {
    {"s_mov_b32", {}},
    {"v_mov_b32", {}},
    {"s_not_b32", {0x0F}},
    {"s_and_b32", {and_table}},
    {"v_and_b32", {and_table}},
    {"s_andn2_b32", {and_not_table}},
    {"s_or_b32", {or_table}},
    {"v_or_b32", {or_table}},
    {"v_or3_b32", {or3_table}},
    {"v_and_or_b32", {and_or_table}},
    {"s_lshl_b32", {BitForm::first_source, 0}},
    {"v_lshlrev_b32", {BitForm::first_source, 1}},
    {"v_lshl_or_b32", {or_table, 0}},
};

struct PointerEntry {
  std::string_view mnemonic;
  PointerUse use;
};
constexpr PointerUse one_source{.sources = 1}, two_sources{.sources = 3},
    of_selected{.sources = 3, .selects = true}, third_source{.sources = 4}, offset{};
constexpr PointerUse wide(PointerUse use) {
  use.wide = true;
  return use;
}
constexpr PointerEntry pointer_entries[] = {
    {"s_mov_b32", one_source},
    {"s_mov_b64", wide(one_source)},
    {"v_mov_b32", one_source},
    {"v_mov_b64", wide(one_source)},
    {"v_accvgpr_read_b32", one_source},
    {"v_accvgpr_write_b32", one_source},
    {"v_readfirstlane_b32", one_source},
    {"v_readlane_b32", one_source},
    {"s_add_u32", two_sources},
    {"s_addc_u32", two_sources},
    {"s_add_i32", two_sources},
    {"v_add_u32", two_sources},
    {"v_add_co_u32", two_sources},
    {"v_addc_co_u32", two_sources},
    {"v_add3_u32", {.sources = 7}},
    {"s_and_b32", two_sources},
    {"s_or_b32", two_sources},
    {"v_and_b32", two_sources},
    {"v_or_b32", two_sources},
    {"s_cselect_b32", of_selected},
    {"s_cselect_b64", wide(of_selected)},
    {"v_cndmask_b32", of_selected},
    {"v_lshl_add_u64", {.sources = 5, .wide = true, .shifts_first = true}},
    {"v_lshl_add_u32", third_source},
    {"v_mad_u64_u32", wide(third_source)},
    {"v_mad_i64_i32", wide(third_source)},
    {"v_mad_u32_u24", third_source},
    {"v_mad_i32_i24", third_source},
    {"s_mul_i32", offset},
    {"s_mul_hi_u32", offset},
    {"s_mul_hi_i32", offset},
    {"v_mul_lo_u32", offset},
    {"v_mul_hi_u32", offset},
    {"v_mul_hi_i32", offset},
    {"v_mul_u32_u24", offset},
    {"v_mul_i32_i24", offset},
    {"s_lshl_b32", offset},
    {"s_lshr_b32", offset},
    {"s_ashr_i32", offset},
    {"v_lshlrev_b32", offset},
    {"v_lshrrev_b32", offset},
    {"v_ashrrev_i32", offset},
    {"s_lshl_b64", wide(offset)},
    {"s_lshr_b64", wide(offset)},
    {"s_ashr_i64", wide(offset)},
    {"v_lshlrev_b64", wide(offset)},
    {"v_lshrrev_b64", wide(offset)},
    {"v_ashrrev_i64", wide(offset)},
    {"s_bfe_u32", offset},
    {"v_bfe_u32", offset},
    {"v_cvt_f64_u32", wide(offset)},
    {"v_cvt_f64_i32", wide(offset)},
    {"v_add_f64", wide(offset)},
    {"v_mul_f64", wide(offset)},
    {"v_fma_f64", wide(offset)},
    {"v_fmac_f64", wide(offset)},
};

template <class Entry, size_t N> const Entry* find(const Entry (&entries)[N], const isa::Instruction& in) {
  const auto found = std::ranges::find(entries, isa::mnemonic_of(in), &Entry::mnemonic);
  return found == std::end(entries) ? nullptr : found;
}

} // namespace

std::optional<unsigned> mask_table_of(const isa::Instruction& in) {
  const MaskEntry* entry = find(mask_entries, in);
  return entry ? std::optional(entry->table) : std::nullopt;
}
std::optional<Predicate> predicate_of(const isa::Instruction& in) {
  const PredicateEntry* entry = find(predicate_entries, in);
  return entry ? std::optional(entry->predicate) : std::nullopt;
}
std::optional<Predicate> lane_predicate_of(const isa::Instruction& in) {
  const PredicateEntry* entry = find(lane_predicate_entries, in);
  return entry ? std::optional(entry->predicate) : std::nullopt;
}
std::optional<LinearUse> linear_use_of(const isa::Instruction& in) {
  const LinearEntry* entry = find(linear_entries, in);
  return entry ? std::optional(entry->use) : std::nullopt;
}
Evaluate evaluation_of(const isa::Instruction& in) {
  const Evaluation* entry = find(evaluations, in);
  return entry ? entry->evaluate : nullptr;
}
std::optional<BitForm> bit_form_of(const isa::Instruction& in) {
  const BitEntry* entry = find(bit_entries, in);
  return entry ? std::optional(entry->form) : std::nullopt;
}
std::optional<PointerUse> pointer_use_of(const isa::Instruction& in) {
  const PointerEntry* entry = find(pointer_entries, in);
  return entry ? std::optional(entry->use) : std::nullopt;
}

std::vector<std::vector<std::string_view>> names_in_tables() {
  const auto names = [](const auto& entries) {
    std::vector<std::string_view> all;
    for (const auto& entry : entries) all.push_back(entry.mnemonic);
    return all;
  };
  return {names(mask_entries), names(predicate_entries), names(lane_predicate_entries), names(linear_entries),
          names(evaluations),  names(bit_entries),       names(pointer_entries)};
}

} // namespace fmha950::static_check
