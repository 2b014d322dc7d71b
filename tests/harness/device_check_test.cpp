// `device --check` as a user meets it: the closing line, the exit code, one kernel, JSON, and what is refused.
#include "program.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"
#include <fstream>
#include <nlohmann/json.hpp>

using nlohmann::json;

namespace {

const std::string misses = CODE_OBJECTS "/corpus_misses.co";

} // namespace

TEST_CASE("device --check: errors come with both instructions, their lines, and an exit code") {
  const Ran ran = run_fmha950("device --check " + misses + " --kernel missing_nop");
  CHECK(ran.exit_code == 2); // hazard
  REQUIRE(ran.out.size() == 6);
  CHECK(ran.out[0] == "kernel missing_nop");
  CHECK(ran.out[1].find("error wait_states: v_mfma_f32_16x16x16_f16 writes ") != std::string::npos);
  CHECK(ran.out[2].find("earlier +0x") != std::string::npos);
  CHECK(ran.out[3].find("later   +0x") != std::string::npos);
  CHECK(ran.out[3].find("at tests/corpus/misses.hip:") != std::string::npos);
  CHECK(ran.out[4].find("missing s_nop 7") != std::string::npos);
  CHECK(ran.out[5] == "1 error, 0 warnings, 0 unknown");
}

TEST_CASE("device --check: a sound kernel's code ends with 0 and counts what is superfluous in its loop") {
  const Ran ran = run_fmha950("device --check " CODE_OBJECTS "/prepass_attention_bf16.co");
  CHECK(ran.exit_code == 0);
  CHECK(ran.out.back().starts_with("0 errors, 0 warnings, "));
  CHECK(std::ranges::any_of(ran.out, [](const std::string& line) {
    return line.starts_with("  loop at +0x") && line.find(" of depth 1, ") != std::string::npos;
  }));
}

TEST_CASE("device --check: JSON, a line for each finding and the sum") {
  const Ran ran = run_fmha950("device --json --check " + misses);
  CHECK(ran.exit_code == 2);
  int errors = 0;
  for (const std::string& line : ran.out) {
    const json value = json::parse(line);
    if (value["severity"] != "error") continue;
    ++errors;
    CHECK(value["later"]["offset"] > value["earlier"]["offset"]);
    CHECK_FALSE(value["missing"].get<std::string>().empty());
  }
  CHECK(json::parse(ran.out.back())["errors"] == errors);
}

TEST_CASE("device --check: what cannot be checked is refused with its reason") {
  const TemporaryFolder folder;
  const std::string text = folder.path() / "text.co";
  std::ofstream(text) << "not an ELF file";
  for (const auto& [arguments, reason] : {std::pair("--check " + text, "not a code object"),
                                          {"--check " + misses + " --kernel no_such", "no_such"},
                                          {"--kernel missing_nop", "--check"},
                                          {"--check " CODE_OBJECTS "/loader_gfx942.co", "is for gfx942"}}) {
    CAPTURE(arguments);
    const Ran ran = run_fmha950("device " + arguments);
    CHECK(ran.exit_code != 0);
    CHECK(ran.out.empty());
    REQUIRE_FALSE(ran.err.empty());
    CHECK(ran.err[0].find(reason) != std::string::npos);
  }
}
