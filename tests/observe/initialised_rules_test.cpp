// Which rows have rules that look at values. That the rules are sound is initialised_random_test.cpp's.
#include "emulator/isa/decode/opcode_table.hpp"
#include "emulator/observe/initialised/initialised_rules.hpp"
#include "emulator/program/row.hpp"
#include "tests/support/catch.hpp"

using namespace fmha950;

TEST_CASE("initialised: rows with a function of single bits have its rule", "[initialised]") {
  int vector_rules = 0, scalar_rules = 0;
  for (const isa::Family& family : isa::families())
    for (size_t i = 0; i < family.rows.count; ++i) {
      const isa::Row& row = family.rows.first[i];
      isa::Instruction in;
      in.row = &row;
      INFO(row.mnemonic);
      const bool has_rule = observe::bits_rule_of(in);
      CHECK(has_rule == (row.bits != isa::BitFunction::none));
      (row.valu.kind == isa::ValuClass::none ? scalar_rules : vector_rules) += has_rule;
    }
  CHECK(vector_rules == 33);
  CHECK(scalar_rules == 54);
}

TEST_CASE("initialised: what saturates has no rule of single bits", "[initialised]") {
  constexpr isa::Row row = isa::by_bits(isa::BitFunction::add, {"v_add_u32", nullptr});
  isa::Instruction in;
  in.row = &row;
  CHECK(observe::bits_rule_of(in));
  in.clamp = true;
  CHECK(!observe::bits_rule_of(in));
}

// all_scalar() is what rows are asserted by: one that changes EXEC without saying how does not compile.
constexpr isa::Row silent[] = {isa::in_role(isa::ScalarRole::saves_exec, {"s_and_saveexec_b64", nullptr})};
constexpr isa::Row said[] = {isa::by_bits(isa::BitFunction::bit_and, silent[0])};
static_assert(!isa::all_scalar(silent) && isa::all_scalar(said));
