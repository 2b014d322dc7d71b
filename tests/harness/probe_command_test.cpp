// `probe` as a script sees it, on the embedded device.
#include "program.hpp"

#include "tests/support/catch.hpp"
#include <nlohmann/json.hpp>

TEST_CASE("probe --list-probes: a line for each probe") {
  const Ran ran = run_fmha950("probe --list-probes");
  CHECK(ran.exit_code == 0);
  CHECK(ran.out.size() > 500);
  CHECK(ran.out[0].find("/") < ran.out[0].find("  ")); // name, two blanks, reason
}

TEST_CASE("probe: records name the probe, and the closing line counts them") {
  const Ran ran =
      run_fmha950("probe --impl prepass --filter '^exact_table/.*/linear/page=16/quant=page$' --json");
  CHECK(ran.exit_code == 0);
  REQUIRE(ran.out.size() == 2);
  CHECK(ran.err.back() == "2 passed, 0 failed, 0 skipped");
  const auto record = nlohmann::json::parse(ran.out[0]);
  CHECK(record["command"] == "probe");
  CHECK(record["probe"] == "exact_table/sglang/linear/page=16/quant=page");
  CHECK(record["outcome"] == "passed");
  CHECK(record["reproduce"] ==
        "./fmha950 probe --filter '^exact_table/sglang/linear/page=16/quant=page$' --impl prepass");
}

TEST_CASE("probe --table: the page permutations stand above the closing line, a row per list of pages") {
  const Ran ran = run_fmha950("probe --impl prepass --filter 'page_permutation/.*/4097/' --table");
  REQUIRE(ran.out.size() >= 4);
  CHECK(ran.out.back() == "2 passed, 0 failed, 0 skipped");
  CHECK(ran.out[ran.out.size() - 2].starts_with("single      4097 "));
  CHECK(ran.out[ran.out.size() - 2].ends_with("  passed"));
}

TEST_CASE("probe --schedules: a sweep says how to run it again") {
  const Ran ran = run_fmha950(
      "probe --impl prepass --filter '^mask/left/sglang/linear/page=16/quant=none$' --schedules 6 --json");
  CHECK(ran.exit_code == 0);
  REQUIRE(ran.out.size() == 1);
  const auto record = nlohmann::json::parse(ran.out[0]);
  CHECK(record["outcome"] == "passed");
  CHECK(record["reproduce"].get<std::string>().ends_with("--impl prepass --schedules 6 --seed 1"));
  const Ran wrong =
      run_fmha950("probe --impl prepass --filter '^mask/left/sglang/linear/page=16/quant=none$' "
                  "--schedules eager,sometimes");
  CHECK(wrong.exit_code == 3);
  CHECK(wrong.out.empty());
  CHECK(wrong.err.back().starts_with("fmha950: schedule = sometimes: "));
}

TEST_CASE(
    "probe --mutant: a source mutant runs in place of the kernel, and the line that repeats it says so") {
  const std::string probe =
      "probe --impl pipelined --filter '^page_descales/sglang/linear/page=64/quant=page$' --json";
  CHECK(run_fmha950(probe).err.back() == "1 passed, 0 failed, 0 skipped");
  const Ran ran = run_fmha950(probe + " --mutant descale_of_tile");
  CHECK(ran.exit_code == 1);
  REQUIRE(ran.out.size() == 1);
  const auto record = nlohmann::json::parse(ran.out[0]);
  CHECK(record["outcome"] == "inaccurate");
  CHECK(record["reproduce"].get<std::string>().ends_with("--impl pipelined --mutant descale_of_tile"));
  const Ran wrong = run_fmha950("probe --impl pipelined --mutant nonesuch");
  CHECK(wrong.exit_code == 3);
  CHECK(wrong.err.back().starts_with(
      "fmha950: mutant = nonesuch: must be NAME or CODE_OBJECT/NAME of a line of "));
  const Ran several = run_fmha950("probe --impl pipelined --mutant k_arrived");
  CHECK(several.err.back().starts_with(
      "fmha950: mutant = k_arrived: must be CODE_OBJECT/NAME: 2 code objects of "));
}

TEST_CASE("probe --mfma without forms: the instructions themselves, a line of figures for each") {
  const Ran ran = run_fmha950("probe --mfma --filter 'hardware|lds_dma'");
  CHECK(ran.exit_code == 0);
  REQUIRE(ran.out.size() == 2 + 16 + 1);
  CHECK(ran.out[1].ends_with("fma      fdpa     limit  verdict"));
  CHECK(ran.out[3].starts_with("mfma_tile/qk_nope/hardware/per_64 "));
  CHECK(ran.out[3].ends_with("     5e-05  passed"));
  CHECK(ran.out[17].starts_with("lds_dma/global/bytes=16 "));
  CHECK(ran.out.back() == "16 passed, 0 failed, 0 skipped");
  CHECK(run_fmha950("probe --mfma --list-probes").out.size() == 28);
  CHECK(run_fmha950("probe --mfma --schedules 20").exit_code == 3); // for problems only
}

TEST_CASE("probe --mfma: all of them pass", "[slow]") {
  const Ran ran = run_fmha950("probe --mfma");
  CHECK(ran.exit_code == 0);
  REQUIRE_FALSE(ran.out.empty());
  CHECK(ran.out.back() == "28 passed, 0 failed, 0 skipped");
}

TEST_CASE("probe: bad arguments name field, value and what would be right") {
  const Ran filter = run_fmha950("probe --filter nonesuch");
  CHECK(filter.exit_code == 3);
  CHECK(filter.err.back() == "fmha950: filter = nonesuch: matches no probe (--list-probes prints them)");
  CHECK(run_fmha950("probe --schedules 1")
            .err.back()
            .starts_with("fmha950: schedules = 1: must be a number from 2"));
}
