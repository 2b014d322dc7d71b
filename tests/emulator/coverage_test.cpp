#include "emulator/isa/coverage.hpp"
#include "emulator/isa/decode/opcode_table.hpp"
#include "emulator/loader/code_object.hpp"
#include "interface/hip.hpp"
#include "tests/support/source_path.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <fstream>
#include <llvm/Config/llvm-config.h>

using namespace fmha950;

namespace {

bool holds(const std::vector<std::string>& mnemonics, const char* mnemonic) {
  return std::ranges::find(mnemonics, mnemonic) != mnemonics.end();
}
std::string last_line(const std::string& text) {
  const size_t begin = text.rfind('\n', text.size() - 2);
  return text.substr(begin == text.npos ? 0 : begin + 1);
}

} // namespace

TEST_CASE("coverage: every opcode that LLVM 22 knows for gfx950") {
  size_t implemented = 0;
  std::string missing;
  for (const isa::FamilyCoverage& family : isa::coverage_by_family()) {
    implemented += family.implemented.size();
    for (const std::string& mnemonic : family.missing) missing += mnemonic + " ";
  }
  INFO(missing);
#if LLVM_VERSION_MAJOR == 22
  CHECK(missing.empty());
  CHECK(implemented == 1236);
  CHECK(last_line(isa::coverage()) == "1236 of 1236 opcodes (100.0 %)\n");
#else
  CHECK(implemented > 1200);
#endif
}

TEST_CASE("coverage: docs/coverage.md says of every family where its tests' expected values come from") {
  std::ifstream page(source_path("docs/coverage.md"));
  std::string table;
  for (std::string line; std::getline(page, line);)
    if (line.starts_with("| `")) table += line.substr(0, line.find('|', 1)) + "\n";
  for (const isa::Family& family : isa::families()) {
    INFO(family.name);
    CHECK(table.find('`' + std::string(family.name) + '`') != table.npos);
  }
  CHECK(table.find("`no_family`") == table.npos);
}

TEST_CASE("coverage of a file: its opcodes, exact or approximate with the reason") {
  const loader::CodeObject object(hip::code_object("differential_functions"));
  const isa::FileCoverage coverage = isa::coverage_of(object);
  CHECK(coverage.missing.empty());
  CHECK(coverage.undecoded == 0);
  CHECK(holds(coverage.exact, "v_add_f32"));
  CHECK(holds(coverage.exact, "s_endpgm"));
  size_t approximate = 0;
  bool found = false;
  for (const auto& [why, mnemonics] : coverage.approximate) {
    approximate += mnemonics.size();
    found |= holds(mnemonics, "v_rcp_f32") && why.find("ulps") != why.npos;
    for (const std::string& mnemonic : mnemonics) CHECK(!holds(coverage.exact, mnemonic.c_str()));
  }
  CHECK(found);
  const size_t all = coverage.exact.size() + approximate;
  CHECK(last_line(isa::text_of(coverage)) ==
        std::to_string(all) + " of " + std::to_string(all) + " opcodes (100.0 %)\n");
}

TEST_CASE(
    "coverage of a file: what is missing counts against it, and bytes that are no instruction are named") {
  isa::FileCoverage coverage;
  coverage.exact = {"v_b", "v_a"};
  coverage.approximate["so"] = {"v_c"};
  coverage.missing = {"v_d"};
  coverage.undecoded = 2;
  CHECK(isa::text_of(coverage) == "exact          2  v_a v_b\n"
                                  "approximate    1  v_c: so\n"
                                  "missing        1  v_d: a launch that comes to one stops\n"
                                  "undecoded      2  dwords that are no instruction of gfx950\n"
                                  "3 of 4 opcodes (75.0 %)\n");
  CHECK(isa::text_of({}) == "0 of 0 opcodes (100.0 %)\n");
}

TEST_CASE("coverage of a file: a hardware register that stops a launch is missing by its name") {
  const isa::FileCoverage coverage =
      isa::coverage_of(loader::CodeObject(hip::code_object("hardware_registers")));
  CHECK(coverage.missing ==
        std::vector<std::string>{"s_getreg_b32 hwreg(HW_REG_IB_STS)", "s_setreg_b32 hwreg(HW_REG_STATUS)"});
  CHECK(holds(coverage.exact, "s_getreg_b32"));
  CHECK(holds(coverage.exact, "s_setreg_b32"));
}

TEST_CASE("rows say why their results are not exact") {
  const auto why = [](const char* mnemonic) {
    const isa::Row* row = isa::find_row(mnemonic);
    REQUIRE(row);
    return std::string(row->approximation ? row->approximation : "");
  };
  for (const char* mnemonic : {"v_exp_f32", "v_sin_f16", "v_rsq_f64"})
    CHECK(why(mnemonic).find("ulps") != std::string::npos);
  for (const char* mnemonic : {"v_mfma_f32_32x32x16_bf16", "v_mfma_scale_f32_16x16x128_f8f6f4",
                               "v_smfmac_f32_16x16x64_f16", "v_mfma_f32_16x16x32_fp8_fp8"})
    CHECK(why(mnemonic).find("sums") != std::string::npos);
  for (const char* mnemonic : {"buffer_load_format_x", "tbuffer_store_format_d16_xyzw"})
    CHECK(why(mnemonic).find("guess") != std::string::npos);
  for (const char* mnemonic : {"v_add_f32", "v_mfma_i32_16x16x64_i8", "v_mfma_f32_32x32x2_f32", "v_fma_f64",
                               "buffer_load_dword", "s_set_gpr_idx_on"})
    CHECK(why(mnemonic).empty());
}
