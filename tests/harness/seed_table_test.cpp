// analysis/seed_table.py: modelled figures of our kernels beside measured ones of the seed's.
#include "program.hpp"
#include "tests/harness/python.hpp"
#include "tests/support/temporary_folder.hpp"

#include "tests/support/catch.hpp"

namespace {

const std::string row = "batch_prefill/h=6:1/sq=1024/sk=1024/d=128/q=fp8/kv=fp8/quant=tensor/page=1/causal=1";

}

TEST_CASE(
    "seed table: a row has each implementation, its rival's measured figure and both ends of the ratio") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "seed.jsonl";
  REQUIRE(run_fmha950("perf --samples 5 --impl pipelined,baseline " + row + " --output " + file).exit_code ==
          0);
  const Finished finished = analysis("seed_table.py " + quoted(std::filesystem::path(file)));
  INFO(finished.output);
  REQUIRE(finished.status == 0);
  CHECK_THAT(finished.output, Catch::Contains("| h=6:1 sq=1024 sk=1024 quant=tensor page=1 causal=1 | ") &&
                                  Catch::Contains(" | 47.7 | ") && Catch::Contains(" | 43.1 | "));
  CHECK_THAT(finished.output,
             Catch::Contains("pipelined to seed V3: ") && Catch::Contains("ahead in 1 of 1 rows"));
  CHECK_THAT(finished.output, Catch::Contains(": ahead); at its pessimistic end") && !Catch::Contains("?"));
}

TEST_CASE("seed table: nothing is ahead where the sampling error is unknown") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "seed.jsonl";
  REQUIRE(run_fmha950("perf --samples 1 --impl pipelined " + row + " --output " + file).exit_code == 0);
  const Finished finished = analysis("seed_table.py " + quoted(std::filesystem::path(file)));
  INFO(finished.output);
  REQUIRE(finished.status == 0);
  CHECK_THAT(finished.output, Catch::Contains(" ?) | 47.7 | ") &&
                                  Catch::Contains(" ?: undecided); at its pessimistic end ahead in 0 of 1"));
}

TEST_CASE("seed table: results that lack an implementation, or that the seed has not measured, are refused") {
  const TemporaryFolder folder;
  const std::string file = folder.path() / "other.jsonl";
  const std::string other = "batch_prefill/h=1:1/sq=256/sk=256/d=128/q=fp8/kv=fp8/quant=tensor";
  REQUIRE(run_fmha950("perf --samples 1 --impl pipelined " + other + " --output " + file).exit_code == 0);
  const Finished finished = analysis("seed_table.py " + quoted(std::filesystem::path(file)));
  CHECK(finished.status != 0);
  CHECK_THAT(finished.output, Catch::Contains(other + ": the seed has not measured it"));
  CHECK(analysis("seed_table.py /no/such/file").status != 0);
}
