// `device --loops` as a user meets it: the report of a code object, and what is said of files that are none.
#include "program.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <fstream>

namespace {

// The only line on stderr, of a command that must refuse with the code of invalid input.
std::string refusal(const std::string& arguments) {
  const Ran ran = run_fmha950("device " + arguments);
  CHECK(ran.exit_code != 0);
  CHECK(ran.out.empty());
  REQUIRE(ran.err.size() == 1);
  return ran.err[0];
}

} // namespace

TEST_CASE(
    "device --loops: the attention kernel's loop over tiles keeps the matrix unit busy for 1024 clocks") {
  const std::string file = CODE_OBJECTS "/prepass_attention_bf16.co";
  const auto matrix_lines = [&](const std::string& arguments) {
    const Ran ran = run_fmha950("device --loops " + file + arguments);
    CHECK(ran.exit_code == 0);
    CHECK(ran.out.at(0).starts_with("modelled: "));
    return std::count_if(ran.out.begin(), ran.out.end(), [&](const std::string& line) {
      return line.find(arguments.empty() ? "matrix       1024 clocks" : "matrix       2048 clocks") !=
             line.npos;
    });
  };
  CHECK(matrix_lines("") == 1);
  CHECK(matrix_lines(" --waves-per-simd 2") == 1);
}

TEST_CASE("device --loops: what is no gfx950 code object is refused with its reason") {
  const TemporaryFolder folder;
  const std::string text = folder.path() / "text.co", empty = folder.path() / "empty.co";
  std::ofstream(text) << "not an ELF file";
  std::ofstream(empty).flush();
  CHECK(refusal("--loops " + folder.path().string() + "/missing.co").find("No such file") !=
        std::string::npos);
  CHECK(refusal("--loops " + folder.path().string()).find("must be a file") != std::string::npos);
  CHECK(refusal("--loops " + text).find("text.co: not a code object") != std::string::npos);
  CHECK(refusal("--loops " + empty).find("truncated code object: 0 bytes") != std::string::npos);
  CHECK(refusal("--loops " CODE_OBJECTS "/loader_gfx942.co").find("is for gfx942") != std::string::npos);
}
