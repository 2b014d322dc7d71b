// `device --coverage FILE.co` as a user meets it.
#include "program.hpp"

#include "tests/support/catch.hpp"
#include <regex>

TEST_CASE("device --coverage FILE: exact, approximate with the reason, and the count of the file's opcodes") {
  const Ran ran = run_fmha950("device --coverage " CODE_OBJECTS "/prepass_attention_bf16.co");
  CHECK(ran.exit_code == 0);
  REQUIRE(ran.out.size() >= 3);
  CHECK(ran.out.front().starts_with("exact "));
  std::smatch counts;
  REQUIRE(std::regex_match(ran.out.back(), counts, std::regex(R"((\d+) of (\d+) opcodes \(100\.0 %\))")));
  CHECK(counts[1] == counts[2]);
  CHECK(std::stoi(counts[1]) < 300); // of the file, not of the target
  std::string all;
  for (const std::string& line : ran.out) all += line + "\n";
  CHECK(std::regex_search(all, std::regex("approximate +\\d+  .*v_exp_f32.*ulps")));
  CHECK(std::regex_search(all, std::regex("approximate +\\d+  .*v_mfma_f32_32x32x16_bf16.*sums")));
}

TEST_CASE("device --coverage FILE: what is no gfx950 code object is refused with its reason") {
  for (const auto& [file, reason] :
       {std::pair("/no_such_file.co", "No such file"), {"/loader_gfx942.co", "is for gfx942"}}) {
    const Ran ran = run_fmha950(std::string("device --coverage " CODE_OBJECTS) + file);
    CHECK(ran.exit_code != 0);
    REQUIRE(ran.err.size() == 1);
    CHECK(ran.err[0].find(reason) != std::string::npos);
  }
}
