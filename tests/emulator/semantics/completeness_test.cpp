// No row without a test: all fast tests of this program run once more in a process of its own, which notes
// what OneWave executes. Tests compare what OneWave leaves with values that do not come from the emulator;
// those that compare the emulator with itself (valu_simd_test, schedule sweeps) do not go through it or count
// for nothing.

#include "tests/emulator/one_instruction.hpp"

#include "tests/support/catch.hpp"
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

using namespace fmha950;

namespace {

// Jumps find their target in the code object of a launch:
// tests/machine/launch_test.cpp, "functions are called".
const std::set<std::string> tested_by_launches = {"s_setpc_b64", "s_swappc_b64", "s_call_b64"};

} // namespace

TEST_CASE("every row is executed by a test with independent expected values", "[completeness]") {
  const auto file = std::filesystem::temp_directory_path() / fmt::format("fmha950-rows-{}", getpid());
  const std::string program = std::filesystem::read_symlink("/proc/self/exe");
  const std::string command =
      fmt::format("FMHA950_FUZZ_ROUNDS=1 FMHA950_EXECUTED_ROWS={} {} '~[slow]~[completeness]' > /dev/null",
                  file.string(), program);
  REQUIRE(std::system(command.c_str()) == 0);
  std::set<std::string> executed = tested_by_launches;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) executed.insert(line);
  std::filesystem::remove(file);
  std::string missing;
  for (const isa::Family& family : isa::families())
    for (size_t i = 0; i < family.rows.count; ++i)
      if (family.rows.first[i].execute && !executed.contains(family.rows.first[i].mnemonic))
        missing += fmt::format("{} ({})\n", family.rows.first[i].mnemonic, family.name);
  INFO("no test executes\n" << missing);
  CHECK(missing.empty());
}
