// The rules that look at values are two tables by mnemonic: each line must be some row's.
#include "emulator/isa/decode/opcode_table.hpp"
#include "emulator/observe/initialised/initialised_rules.hpp"
#include "emulator/program/row.hpp"
#include "tests/support/catch.hpp"

using namespace fmha950;

TEST_CASE("initialised: every rule by mnemonic is found by a row of its kind", "[initialised]") {
  int vector_rules = 0, scalar_rules = 0;
  for (const isa::Family& family : isa::families())
    for (size_t i = 0; i < family.rows.count; ++i) {
      const isa::Row& row = family.rows.first[i];
      isa::Instruction in;
      in.row = &row;
      INFO(row.mnemonic);
      const bool of_vectors = observe::bits_rule_of(in), of_scalars = observe::scalar_rule_of(in);
      vector_rules += of_vectors;
      scalar_rules += of_scalars;
      CHECK((!of_vectors || row.valu.kind != isa::ValuClass::none));
      CHECK((!of_scalars || row.valu.kind == isa::ValuClass::none));
      // EXEC's new value has no other description.
      const bool sets_exec =
          row.scalar == isa::ScalarRole::saves_exec || row.scalar == isa::ScalarRole::writes_exec;
      CHECK((!sets_exec || of_scalars));
    }
  // As many as the tables of initialised_bits_rules.cpp have lines: one that no row has is a slip of the pen.
  CHECK(vector_rules == 33);
  CHECK(scalar_rules == 54);
}
