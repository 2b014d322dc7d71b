// Texts of protections and of what reports say is missing.
#include "harness/cure/need.hpp"
#include "harness/cure/protection.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::harness;
using namespace fmha950::harness::cure;

TEST_CASE("protection: its text is what option mutant takes") {
  Protection wait;
  wait.at.offset = 0x10;
  wait.vmcnt = 3;
  CHECK(wait.id("k") == "k+0x10:before:s_waitcnt vmcnt(3)");
  wait.lgkmcnt = 0;
  wait.barrier = true;
  CHECK(wait.id("k") == "k+0x10:before:s_waitcnt vmcnt(3) lgkmcnt(0);s_barrier");
  wait.from = 0xc;
  CHECK(wait.id("k") == "k+0x10:edge(0xc):s_waitcnt vmcnt(3) lgkmcnt(0);s_barrier");
  Protection tightened;
  tightened.at.offset = 0x20;
  tightened.tightens = true;
  tightened.vmcnt = 1;
  tightened.lgkmcnt = 2;
  CHECK(tightened.id("k") == "k+0x20:vmcnt=1,k+0x20:lgkmcnt=2");
  Protection states;
  states.at.offset = 0x4;
  states.states = 19;
  CHECK(states.id("k") == "k+0x4:before:s_nop 15;s_nop 2");
  CHECK(changes("k", "k+0x8:nop-drop", {states, tightened}) ==
        "k+0x8:nop-drop,k+0x4:before:s_nop 15;s_nop 2,k+0x20:vmcnt=1,k+0x20:lgkmcnt=2");
}

TEST_CASE("need: what would do, as the device says it") {
  HazardReport report;
  report.earlier = report.later = "there";
  const auto need = [&](const Lacks& lacks) {
    report.lacks = lacks;
    return need_of(report);
  };
  const Lacks states{.states = 20}, barrier{.barrier = true}, wait{.lgkmcnt = true},
      before{.vmcnt = true, .before_barrier = true};
  CHECK(need(states)->kind == Need::Kind::states);
  CHECK(need(states)->states == 20);
  CHECK(need(barrier)->kind == Need::Kind::barrier);
  CHECK(need(before)->kind == Need::Kind::wait_before_barrier);
  CHECK(need(before)->vmcnt);
  CHECK_FALSE(need(before)->lgkmcnt);
  CHECK(need(wait)->kind == Need::Kind::wait);
  CHECK_FALSE(need(wait)->vmcnt);
  CHECK_FALSE(need({}));
  report.later.clear();
  CHECK_FALSE(need(barrier)); // one side is no instruction of the kernel
}
