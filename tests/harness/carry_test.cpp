// Pools beyond 4 GiB under the other reading of a buffer's address, which drops the carry out of its low half
// (FMHA950_CARRY, docs/hardware/errata.md). That the option changes addresses: tests/emulator/buffer_test.cpp.
#include "tests/harness/program.hpp"
#include "tests/support/catch.hpp"

TEST_CASE("no kernel needs the carry of a buffer's address, on pages around byte 2^31 and 2^32", "[slow]") {
  for (const char* implementation : {"pipelined", "baseline", "prepass", "fused"}) {
    const Ran ran = run_fmha950(
        std::string("probe --filter 'page_permutation/crossing' --check none --impl ") + implementation,
        "FMHA950_CARRY=32");
    INFO(implementation);
    CHECK(ran.exit_code == 0);
    REQUIRE_FALSE(ran.out.empty());
    CHECK(ran.out.back() == "4 passed, 0 failed, 0 skipped");
  }
}
