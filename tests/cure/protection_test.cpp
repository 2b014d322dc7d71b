// Texts of protections and of what reports say is missing.
#include "harness/cure/need.hpp"
#include "harness/cure/protection.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::harness;
using namespace fmha950::harness::cure;

TEST_CASE("protection: its text is what option mutant takes") {
  Protection wait;
  wait.offset = 0x10;
  wait.vmcnt = 3;
  CHECK(wait.id("k") == "k+0x10:before:s_waitcnt vmcnt(3)");
  wait.lgkmcnt = 0;
  wait.barrier = true;
  CHECK(wait.id("k") == "k+0x10:before:s_waitcnt vmcnt(3) lgkmcnt(0);s_barrier");
  wait.from = 0xc;
  CHECK(wait.id("k") == "k+0x10:edge(0xc):s_waitcnt vmcnt(3) lgkmcnt(0);s_barrier");
  Protection tightened;
  tightened.offset = 0x20;
  tightened.tightens = true;
  tightened.vmcnt = 1;
  tightened.lgkmcnt = 2;
  CHECK(tightened.id("k") == "k+0x20:vmcnt=1,k+0x20:lgkmcnt=2");
  Protection states;
  states.offset = 0x4;
  states.states = 19;
  CHECK(states.id("k") == "k+0x4:before:s_nop 15;s_nop 2");
  CHECK(changes("k", "k+0x8:nop-drop", {states, tightened}) ==
        "k+0x8:nop-drop,k+0x4:before:s_nop 15;s_nop 2,k+0x20:vmcnt=1,k+0x20:lgkmcnt=2");
}

TEST_CASE("need: what is missing, in the words of the checks") {
  HazardReport report;
  report.earlier = report.later = "there";
  const auto need = [&](const std::string& missing) {
    report.missing = missing;
    return need_of(report);
  };
  CHECK(need("s_nop 15, s_nop 3")->states == 20);
  CHECK(need("s_nop 0")->kind == Need::Kind::states);
  CHECK(need("a barrier")->kind == Need::Kind::barrier);
  CHECK(need("s_waitcnt vmcnt(2) before the barrier")->kind == Need::Kind::wait_before_barrier);
  CHECK(need("s_waitcnt vmcnt(2) before the barrier")->vmcnt);
  CHECK_FALSE(need("s_waitcnt vmcnt(2) before the barrier")->lgkmcnt);
  CHECK(need("s_waitcnt lgkmcnt(0)")->kind == Need::Kind::wait);
  CHECK_FALSE(need("s_waitcnt lgkmcnt(0)")->vmcnt);
  for (const char* other :
       {"", "buffer_inv sc1 after the flag is seen", "num_records of at most what the allocation holds",
        "an order between workgroups: an atomic, or launches of their own"})
    CHECK_FALSE(need(other));
  report.later.clear();
  CHECK_FALSE(need("a barrier")); // one side is no instruction of the kernel
}
