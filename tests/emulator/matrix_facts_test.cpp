// What rows say of matrix instructions, against what their names say (LLVM's, with shape, blocks and types) and
// against the passes of the instruction set's tables.
#include "emulator/isa/decode/opcode_table.hpp"
#include "emulator/program/matrix_facts.hpp"
#include "tests/support/catch.hpp"

#include <regex>
#include <string>

using namespace fmha950::isa;

namespace {

// mfma_gfx950.md section 5.1.
int passes_of(int rows, bool several_blocks, const std::string& name) {
  if (name.starts_with("v_mfma_f64")) return rows == 16 ? 16 : 4;
  if (rows == 4) return 2;
  const bool slow = several_blocks || name.ends_with("_f32");
  return (rows == 32 ? 8 : 4) * (slow ? 2 : 1);
}

// A factory that lacks the passes is none: a row without its facts does not compile.
template <class Factory> constexpr bool takes_no_facts = requires(Factory factory) { factory("v_mfma"); };
constexpr auto factory = [](const char*, Passes) { return Row{}; };
static_assert(!takes_no_facts<decltype(factory)>);
static_assert(!std::is_convertible_v<int, Passes>);

constexpr Row without[] = {{"v_mfma_f32_4x4x1_16b_f32", nullptr}};
static_assert(!all_matrix(without));

} // namespace

TEST_CASE("rows of matrix instructions say what their names and the guide's table say") {
  const std::regex shape(
      "v_s?mfmac?_(scale_)?[a-z0-9]+_([0-9]+)x([0-9]+)x([0-9]+)(_([0-9]+)b)?_([a-z0-9_]+)");
  int matrix_rows = 0;
  for (const Family& family : families())
    for (size_t i = 0; i < family.rows.count; ++i) {
      const Row& row = family.rows.first[i];
      const std::string name = row.mnemonic;
      INFO(name);
      std::smatch parts;
      const bool named = std::regex_match(name, parts, shape);
      REQUIRE(named == (row.matrix.unit != MatrixUnit::none));
      if (!named) continue;
      ++matrix_rows;
      const MatrixFacts& facts = row.matrix;
      CHECK(facts.rows == std::stoi(parts[2]));
      CHECK(facts.rows == std::stoi(parts[3]));
      CHECK(facts.depth == std::stoi(parts[4]));
      CHECK(facts.blocks == (parts[6].matched ? std::stoi(parts[6]) : 1));
      CHECK((facts.form == MatrixForm::sparse) == name.starts_with("v_smfmac"));
      CHECK((facts.form == MatrixForm::scaled) == parts[1].matched);
      CHECK(facts.is_f8f6f4() == name.ends_with("f8f6f4"));
      CHECK(facts.fp8 == (name.find("fp8") != name.npos || name.find("bf8") != name.npos));
      CHECK(facts.passes == passes_of(facts.rows, facts.blocks > 1, name));
      const MatrixUnit unit = name.starts_with("v_mfma_f64") ? MatrixUnit::dgemm
                              : parts[7] == "f32"            ? MatrixUnit::sgemm
                                                             : MatrixUnit::xdl;
      CHECK(facts.unit == unit);
    }
  CHECK(matrix_rows == 68);
}
