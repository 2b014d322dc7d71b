// What rows say of sums, products and comparisons, against what their names say: LLVM's.
#include "emulator/isa/decode/opcode_table.hpp"
#include "emulator/program/truth_table.hpp"
#include "tests/support/catch.hpp"

#include <regex>
#include <string>
#include <vector>

using namespace fmha950::isa;

namespace {

constexpr Row silent = in_role(ScalarRole::plain, {"s_add_u32", nullptr});
constexpr Row comparing(Relation relation) {
  Row row = silent;
  row.comparison.relation = relation;
  return row;
}
static_assert(!all_scalar({silent}));
static_assert(all_scalar({computes(Arithmetic::add_unsigned, silent)}));
static_assert(all_scalar({by_bits(BitFunction::copy, silent)}));
static_assert(all_scalar({comparing(Relation::less)}));

constexpr Row lanes_compared(Relation relation) {
  Row row = valu_row({"v_cmp_lt_i32", nullptr}, whole_registers(ValuClass::plain, ValuFlow::compare));
  row.comparison.relation = relation;
  return row;
}
static_assert(!all_valu({lanes_compared(Relation::none)}));
static_assert(all_valu({lanes_compared(Relation::less)}));

bool is(const std::string& text, const char* pattern) { return std::regex_match(text, std::regex(pattern)); }

Arithmetic arithmetic_by_name(const std::string& name) {
  static const std::vector<std::pair<const char*, Arithmetic>> patterns = {
      {"s_addk?_i32", Arithmetic::add},
      {"s_add_u32", Arithmetic::add_unsigned},
      {"s_addc_u32|v_addc?_co_u32", Arithmetic::add_carry},
      {"s_sub_i32", Arithmetic::subtract},
      {"s_sub_u32", Arithmetic::subtract_unsigned},
      {"s_min_i32", Arithmetic::minimum},
      {"s_mulk?_i32|[sv]_mul_hi_[iu]32|v_mul_(i32_i24|u32_u24)", Arithmetic::multiply},
      {"v_mad_(u64_u32|i64_i32|u32_u24|i32_i24)", Arithmetic::multiply_add},
      {"s_bfe_u32", Arithmetic::field},
      {"v_cvt_f64_[iu]32|v_(add|mul|fma|fmac)_f64", Arithmetic::in_f64},
  };
  for (const auto& [pattern, arithmetic] : patterns)
    if (is(name, pattern)) return arithmetic;
  return Arithmetic::unsaid;
}

Comparison comparison_by_name(const std::string& name) {
  std::smatch parts;
  if (std::regex_match(name, parts, std::regex("s_bitcmp([01])_b(32|64)")))
    return {parts[1] == "1" ? Relation::bit_one : Relation::bit_zero, Comparison::Numbers::without_sign,
            static_cast<uint8_t>(std::stoi(parts[2]))};
  if (!std::regex_match(name, parts, std::regex("(s_cmpk?|v_cmpx?)_([a-z]+)_([fiu])(16|32|64)"))) return {};
  static const std::vector<std::pair<const char*, Relation>> relations = {
      {"eq", Relation::equal},    {"ne|neq", Relation::different}, {"lt", Relation::less},
      {"ge", Relation::at_least}, {"gt", Relation::greater},       {"le", Relation::at_most}};
  Comparison comparison{Relation::other};
  for (const auto& [pattern, relation] : relations)
    if (is(parts[2], pattern)) comparison.relation = relation;
  const bool floats = parts[3] == "f";
  if (parts[2] == "lg" && !floats) comparison.relation = Relation::different; // of floats: false for NaNs
  comparison.numbers = floats            ? Comparison::Numbers::floating
                       : parts[3] == "i" ? Comparison::Numbers::with_sign
                                         : Comparison::Numbers::without_sign;
  comparison.bits = static_cast<uint8_t>(std::stoi(parts[4]));
  comparison.sets_exec = parts[1] == "v_cmpx";
  return comparison;
}

template <class Check> void for_each_row(Check check) {
  for (const Family& family : families())
    for (size_t i = 0; i < family.rows.count; ++i) {
      INFO(family.rows.first[i].mnemonic);
      check(family.rows.first[i]);
    }
}

} // namespace

TEST_CASE("rows say which sums and products they compute, as their names do") {
  int said = 0;
  for_each_row([&](const Row& row) {
    const Arithmetic arithmetic = row.arithmetic == Arithmetic::other ? Arithmetic::unsaid : row.arithmetic;
    CHECK(arithmetic == arithmetic_by_name(row.mnemonic));
    said += arithmetic != Arithmetic::unsaid;
    // One of the two says it.
    CHECK((arithmetic == Arithmetic::unsaid || row.bits == BitFunction::none));
  });
  CHECK(said == 28);
}

TEST_CASE("rows say what they compare and how, as their names do") {
  int said = 0;
  for_each_row([&](const Row& row) {
    const Comparison expected = comparison_by_name(row.mnemonic), &comparison = row.comparison;
    CHECK((comparison.relation == Relation::none) == !is(row.mnemonic, "s_(cmpk?|bitcmp[01])_.*|v_cmpx?_.*"));
    if (comparison.relation == Relation::none || is(row.mnemonic, "v_cmpx?_class_.*")) {
      CHECK((comparison.relation == Relation::none || comparison.relation == Relation::other));
      return;
    }
    ++said;
    CHECK(comparison.relation == expected.relation);
    CHECK(comparison.numbers == expected.numbers);
    CHECK(comparison.bits == expected.bits);
    CHECK(comparison.sets_exec == expected.sets_exec);
  });
  CHECK(said == 222);
}

TEST_CASE("truth tables of functions of single bits") {
  static_assert(truth_table_of(BitFunction::bit_and) == 0xC0);
  static_assert(truth_table_of(BitFunction::and_not) == 0x30);
  static_assert(truth_table_of(BitFunction::or3) == 0xFE);
  static_assert(truth_table_of(BitFunction::and_or) == 0xEA);
  static_assert(truth_table_of(BitFunction::insert) == 0xCA);
  for_each_row([&](const Row& row) {
    const bool by_table =
        is(row.mnemonic, "[sv]_(mov|not|and|or|xor|nand|nor|xnor|andn2|orn2|or3|and_or|bfi)_b(32|64)|"
                         "s_\\w+_(saveexec|wrexec)_b64");
    if (row.bits != BitFunction::none) CHECK(truth_table_of(row.bits).has_value() == by_table);
  });
}
