// Which waits, barriers and launches order accesses to device memory: each rule with a case that must be
// reported and one that must not.

#include "tests/observe/memory_order_case.hpp"

#include "tests/support/catch.hpp"
#include <malloc.h>

using namespace fmha950;
using namespace fmha950::test;

TEST_CASE_METHOD(MemoryOrderCase, "Two waves of a workgroup and device memory", "[memory_order]") {
  TracedWorkgroup workgroup(checks);
  const uint64_t writer = workgroup.store(0, row_at(0));
  SECTION("barrier without a wait") {
    workgroup.barrier();
    const uint64_t reader = workgroup.load(1, row_at(512));
    REQUIRE(hazards.all.size() == 1);
    const observe::Hazard& hazard = hazards.all[0];
    CHECK(hazard.type == observe::HazardClass::memory_order);
    CHECK(hazard.earlier.address == writer);
    CHECK(hazard.earlier.wave == 0);
    CHECK(hazard.earlier.lane == 32);
    CHECK(hazard.later.address == reader);
    CHECK(hazard.later.wave == 1);
    CHECK(hazard.later.lane == 0);
    CHECK(hazard.begin == base + 512);
    CHECK(hazard.end == base + 1024);
    CHECK(hazard.missing == "s_waitcnt vmcnt(0) before the barrier");
    CHECK(hazard.what == "test_instruction reads device bytes that test_instruction writes, unordered");
  }
  SECTION("wait without a barrier") {
    workgroup.wait_vmcnt(0, 0);
    workgroup.store(1, row_at(0));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "a barrier");
  }
  SECTION("wait and barrier") {
    workgroup.wait_vmcnt(0, 0);
    workgroup.barrier();
    workgroup.load(1, row_at(0));
    workgroup.wait_vmcnt(1, 0);
    workgroup.barrier();
    workgroup.store(0, row_at(0));
    CHECK(hazards.all.empty());
  }
  SECTION("neighbours") {
    workgroup.store(1, row_at(1024));
    workgroup.load(1, row_at(2048));
    CHECK(hazards.all.empty());
  }
  SECTION("a store by FLAT, which owes both counters") {
    workgroup.flat_store(0, row_at(8192));
    workgroup.barrier();
    workgroup.load(1, row_at(8192));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt vmcnt(0) lgkmcnt(0) before the barrier");
  }
  SECTION("write after a read that is in flight") {
    workgroup.load(1, row_at(8192));
    workgroup.barrier();
    workgroup.store(0, row_at(8192));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt vmcnt(0) before the barrier");
  }
}

TEST_CASE_METHOD(MemoryOrderCase, "A reader that is ordered before another makes room for others",
                 "[memory_order]") {
  TracedWorkgroup workgroup(checks, 3);
  workgroup.load(0, row_at(0));
  workgroup.wait_all(0);
  workgroup.barrier();
  workgroup.load(1, row_at(0));
  workgroup.load(2, row_at(0));
  workgroup.store(2, row_at(0));
  REQUIRE(hazards.all.size() == 1);
  CHECK(hazards.all[0].earlier.wave == 1);
}

TEST_CASE_METHOD(MemoryOrderCase, "One wave's VMEM is in order, SMEM is not", "[memory_order]") {
  TracedWorkgroup workgroup(checks);
  workgroup.store(0, row_at(0));
  workgroup.load(0, row_at(0));
  workgroup.store(0, row_at(0));
  CHECK(hazards.all.empty());
  SECTION("s_load of what is being stored") {
    workgroup.s_load(0, base + 64, 4);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].later.lane == -1);
    CHECK(hazards.all[0].missing == "s_waitcnt vmcnt(0)");
    CHECK(hazards.all[0].begin == base + 64);
    CHECK(hazards.all[0].end == base + 80);
  }
  SECTION("after a wait") {
    workgroup.wait_vmcnt(0, 0);
    workgroup.s_load(0, base + 64, 4);
    CHECK(hazards.all.empty());
    workgroup.store(0, row_at(0));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt lgkmcnt(0)");
  }
  SECTION("both waited for") {
    workgroup.wait_vmcnt(0, 0);
    workgroup.s_load(0, base + 64, 4);
    workgroup.wait_lgkmcnt(0, 0);
    workgroup.store(0, row_at(0));
    CHECK(hazards.all.empty());
  }
}

TEST_CASE_METHOD(MemoryOrderCase, "Workgroups of one launch are unordered", "[memory_order]") {
  TracedWorkgroup one(checks, 2, 1), five(other_checks, 2, 5);
  SECTION("they read the same") {
    one.load(0, row_at(0));
    five.load(0, row_at(0));
    CHECK(hazards.all.empty());
  }
  SECTION("one writes what the other reads: named by workgroup, whoever came first") {
    const bool writer_first = GENERATE(true, false);
    if (writer_first) one.store(0, row_at(0));
    five.load(1, row_at(0));
    if (!writer_first) one.store(0, row_at(0));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].earlier.workgroup == 1);
    CHECK(hazards.all[0].later.workgroup == 5);
    CHECK(hazards.all[0].later.wave == 1);
    CHECK(hazards.all[0].what ==
          "test_instruction reads device bytes that test_instruction writes, unordered");
    CHECK(hazards.all[0].missing == "an order between workgroups: an atomic, or launches of their own");
  }
  SECTION("waits and barriers do not help") {
    one.store(0, row_at(0));
    one.wait_all(0);
    one.barrier();
    five.barrier();
    five.store(0, row_at(0));
    CHECK(hazards.all.size() == 1);
  }
  SECTION("the same wave number of two workgroups is not one wave") {
    one.store(0, row_at(0));
    five.store(0, row_at(0));
    CHECK(hazards.all.size() == 1);
  }
  SECTION("two workgroups read, a reader writes") {
    one.load(0, row_at(0));
    five.load(0, row_at(0));
    one.wait_all(0);
    one.store(0, row_at(0));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].later.workgroup == 5);
  }
}

TEST_CASE_METHOD(MemoryOrderCase, "Stores of the same bytes by two workgroups are a note", "[memory_order]") {
  TracedWorkgroup one(checks, 1, 0), two(other_checks, 1, 1);
  const bool equal = GENERATE(true, false);
  one.stores(7);
  two.stores(equal ? 7 : 8);
  one.store(0, row_at(0));
  two.store(0, row_at(0));
  REQUIRE(hazards.all.size() == 1);
  CHECK(hazards.all[0].severity == (equal ? observe::Severity::note : observe::Severity::error));
  CHECK((hazards.all[0].what.find("with the same values") != std::string::npos) == equal);
  hazards.all.clear();
  two.load(0, row_at(0));
  one.load(0, one_lane(base)); // whoever reads it is not ordered after the other's store
  CHECK(hazards.all.size() == 1);
  CHECK(hazards.all[0].severity == observe::Severity::error);
}

TEST_CASE_METHOD(MemoryOrderCase, "A wave with too many operations for a tag says so, once",
                 "[memory_order]") {
  TracedWorkgroup group(checks, 1, 0);
  group.skip(0, machine::Queue::vm, (1 << 20) - 3);
  group.store(0, row_at(0));
  CHECK(hazards.all.empty());
  for (int i = 0; i < 3; ++i) group.store(0, row_at(0));
  REQUIRE(hazards.all.size() == 1);
  CHECK(hazards.all[0].severity == observe::Severity::note);
  CHECK(hazards.all[0].what.find("from number 1048575 on are taken for complete") != std::string::npos);
}

TEST_CASE_METHOD(MemoryOrderCase, "Launches are ordered", "[memory_order]") {
  {
    TracedWorkgroup workgroup(checks, 1, 0);
    workgroup.store(0, row_at(0));
  }
  memory.begin_launch();
  TracedWorkgroup workgroup(checks, 1, 1);
  workgroup.load(0, row_at(0));
  workgroup.store(0, row_at(0));
  CHECK(hazards.all.empty());
}

TEST_CASE_METHOD(MemoryOrderCase, "Bytes of device memory next to each other are no conflict",
                 "[memory_order]") {
  TracedWorkgroup one(checks, 1, 0), two(other_checks, 1, 1);
  SECTION("halves of dwords") {
    one.store(0, {.begin = base, .bytes = 2, .stride = 4});
    two.store(0, {.begin = base + 2, .bytes = 2, .stride = 4});
    CHECK(hazards.all.empty());
    two.load(0, one_lane(base + 9, 1));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].begin == base + 9);
    CHECK(hazards.all[0].end == base + 10);
  }
  SECTION("16 bytes were loaded before") {
    one.load(0, row_at(0));
    one.store(0, one_lane(base + 4));
    two.store(0, one_lane(base + 1024));
    two.load(0, one_lane(base + 8));
    CHECK(hazards.all.empty());
    two.store(0, one_lane(base + 12, 1));
    CHECK(hazards.all.size() == 1);
  }
  SECTION("across a page") {
    one.store(0, one_lane(base + 4096 - 8, 16));
    two.store(0, one_lane(base + 4096 - 12, 4));
    two.store(0, one_lane(base + 4096 + 8, 4));
    CHECK(hazards.all.empty());
    two.store(0, one_lane(base + 4096 + 4, 4));
    two.store(0, one_lane(base + 4096 - 4, 4));
    CHECK(hazards.all.size() == 2);
  }
}

TEST_CASE_METHOD(MemoryOrderCase, "Bytes that a wave copies one by one need no cell each", "[memory_order]") {
  TracedWorkgroup one(checks, 1, 0), two(other_checks, 1, 1);
  const LaneRange bytes{.begin = base, .bytes = 1, .stride = 1};
  one.load(0, bytes);
  one.store(0, bytes);
  CHECK(memory.block(base).cells() == 4096 / 16);
  two.store(0, one_lane(base + 33, 1)); // alone: now they do
  CHECK(memory.block(base).cells() == 4096);
  REQUIRE(hazards.all.size() == 1);
  CHECK(hazards.all[0].begin == base + 33);
  CHECK(hazards.all[0].end == base + 34);
  two.store(0, {.begin = base + 64, .bytes = 1, .stride = 1}); // beside
  CHECK(hazards.all.size() == 1);
}

TEST_CASE_METHOD(MemoryOrderCase, "Scratch is nobody else's", "[memory_order]") {
  TracedWorkgroup one(checks, 1, 0), two(other_checks, 1, 1);
  one.scratch(0, Kind::store, row_at(0));
  two.scratch(0, Kind::store, row_at(0));
  CHECK(hazards.all.empty());
}

TEST_CASE_METHOD(MemoryOrderCase, "Memory that was freed is forgotten", "[memory_order]") {
  TracedWorkgroup one(checks, 1, 0), two(other_checks, 1, 1);
  one.store(0, row_at(0));
  one.store(0, row_at(1 << 30));
  memory.forget(base - (1ull << 34), base + 4096); // mostly untouched
  two.store(0, row_at(0));
  CHECK(hazards.all.empty());
  two.store(0, row_at(1 << 30));
  CHECK(hazards.all.size() == 1);
}

TEST_CASE("memory order: what is known of memory that was freed takes no memory any more", "[unsanitized]") {
  using namespace fmha950::observe;
  constexpr uint64_t base = 0x8000'3456'0000; // where no host has memory
  MemoryShadow memory;
  constexpr uint64_t pages = 2000;
  const auto in_use = [] { return mallinfo2().uordblks + mallinfo2().hblkhd; };
  const size_t before = in_use();
  for (uint64_t page = 0; page < pages; ++page) {
    MemoryBlock& block = memory.block(base + page * MemoryBlock::bytes);
    block.lock();
    block.span(1, base + page * MemoryBlock::bytes, 4);
    block.unlock();
  }
  CHECK(in_use() > before + pages * 1024 * sizeof(MemoryCell)); // a cell for four bytes
  memory.forget(base, base + pages * MemoryBlock::bytes);
  CHECK(in_use() < before + pages * 2 * sizeof(MemoryBlock) + (size_t{1} << 20));
}
