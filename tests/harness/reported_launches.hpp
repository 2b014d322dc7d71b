#pragma once
// A file of FMHA950_TIMING_REPORT, as a program leaves it: the harness itself is one.

#include "tests/harness/program.hpp"
#include "tests/support/catch.hpp"

#include <string>

namespace fmha950::test {

inline const std::string small_problem = "batch_prefill/h=2:1/sq=65/sk=129/d=128/q=bf16/kv=bf16";

// `name`: of the file in the folder. Several launches, all in the null stream.
inline std::string reported_launches(const TemporaryFolder& folder,
                                     const std::string& name = "timings.jsonl") {
  const std::string path = folder.path() / name;
  const Ran ran =
      run_fmha950("run '" + small_problem + "' --impl prepass --no-isolate", "FMHA950_TIMING_REPORT=" + path);
  INFO(joined(ran.err));
  REQUIRE(ran.exit_code == 0);
  return path;
}

} // namespace fmha950::test
