// Each rule of the device-memory order check with a case that must be reported and one that must not.

#include "tests/observe/traced_group.hpp"

#include <catch2/catch.hpp>

#include <deque>
#include <thread>

using namespace fmha950;
using test::Kind;
using test::one_lane;

namespace {

constexpr uint64_t base = 0x7f12'3456'0000;
test::LaneRange row_at(uint64_t offset) { return {.begin = base + offset, .bytes = 16, .stride = 16}; }

struct Fixture {
  Fixture() { memory.begin_launch(); }
  test::CollectedHazards hazards;
  observe::MemoryShadow memory;
  observe::OrderChecks checks{memory, hazards}, other_checks{memory, hazards}; // two host threads

  // An atomic add of lane 0; with `returns` the wave waits for the result.
  static void add(test::TracedGroup& group, int wave, uint64_t address, bool returns = true) {
    group.vm(wave, Kind::atomic, one_lane(address), returns);
    if (returns) group.wait_vmcnt(wave, 0);
  }
};

} // namespace

TEST_CASE_METHOD(Fixture, "Two waves of a workgroup and device memory", "[memory_order]") {
  test::TracedGroup group(checks);
  const uint64_t writer = group.store(0, row_at(0));
  SECTION("barrier without a wait") {
    group.barrier();
    const uint64_t reader = group.load(1, row_at(512));
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
    group.wait_vmcnt(0, 0);
    group.store(1, row_at(0));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "a barrier");
  }
  SECTION("wait and barrier") {
    group.wait_vmcnt(0, 0);
    group.barrier();
    group.load(1, row_at(0));
    group.wait_vmcnt(1, 0);
    group.barrier();
    group.store(0, row_at(0));
    CHECK(hazards.all.empty());
  }
  SECTION("neighbours") {
    group.store(1, row_at(1024));
    group.load(1, row_at(2048));
    CHECK(hazards.all.empty());
  }
  SECTION("write after a read that is in flight") {
    group.load(1, row_at(8192));
    group.barrier();
    group.store(0, row_at(8192));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt vmcnt(0) before the barrier");
  }
}

TEST_CASE_METHOD(Fixture, "A reader that is ordered before another makes room for others", "[memory_order]") {
  test::TracedGroup group(checks, 3);
  group.load(0, row_at(0));
  group.wait_all(0);
  group.barrier();
  group.load(1, row_at(0));
  group.load(2, row_at(0));
  group.store(2, row_at(0));
  REQUIRE(hazards.all.size() == 1);
  CHECK(hazards.all[0].earlier.wave == 1);
}

TEST_CASE_METHOD(Fixture, "Atomics order workgroups of any number", "[memory_order]") {
  constexpr uint64_t counter = base + 65536, many = 5 << 20;
  test::TracedGroup one(checks, 1, many + 1), two(other_checks, 1, many + 2);
  test::TracedGroup far(checks, 2, many + (1 << 20) + 1); // taken for the first
  const bool waits = GENERATE(true, false);
  one.store(0, row_at(0));
  if (waits) one.wait_vmcnt(0, 0);
  add(one, 0, counter, false);
  add(two, 0, counter);
  two.load(0, row_at(0));
  CHECK(hazards.all.empty() == waits);
  if (!waits) CHECK(hazards.all[0].earlier.workgroup == many + 1);
  if (!waits) CHECK(hazards.all[0].later.workgroup == many + 2);
  hazards.all.clear();
  if (!waits) return;
  two.wait_vmcnt(0, 0);
  add(two, 0, counter, false);
  add(far, 1, counter);
  far.load(1, row_at(0));
  far.store(1, row_at(0));
  CHECK(hazards.all.empty());
}

TEST_CASE_METHOD(Fixture, "One wave's VMEM is in order, SMEM is not", "[memory_order]") {
  test::TracedGroup group(checks);
  group.store(0, row_at(0));
  group.load(0, row_at(0));
  group.store(0, row_at(0));
  CHECK(hazards.all.empty());
  SECTION("s_load of what is being stored") {
    group.s_load(0, base + 64, 4);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].later.lane == -1);
    CHECK(hazards.all[0].missing == "s_waitcnt vmcnt(0)");
    CHECK(hazards.all[0].begin == base + 64);
    CHECK(hazards.all[0].end == base + 80);
  }
  SECTION("after a wait") {
    group.wait_vmcnt(0, 0);
    group.s_load(0, base + 64, 4);
    CHECK(hazards.all.empty());
    group.store(0, row_at(0));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt lgkmcnt(0)");
  }
  SECTION("both waited for") {
    group.wait_vmcnt(0, 0);
    group.s_load(0, base + 64, 4);
    group.wait_lgkmcnt(0, 0);
    group.store(0, row_at(0));
    CHECK(hazards.all.empty());
  }
}

TEST_CASE_METHOD(Fixture, "Workgroups of one launch are unordered", "[memory_order]") {
  test::TracedGroup one(checks, 2, 1), five(other_checks, 2, 5);
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

TEST_CASE_METHOD(Fixture, "Launches are ordered", "[memory_order]") {
  {
    test::TracedGroup group(checks, 1, 0);
    group.store(0, row_at(0));
  }
  memory.begin_launch();
  test::TracedGroup group(checks, 1, 1);
  group.load(0, row_at(0));
  group.store(0, row_at(0));
  CHECK(hazards.all.empty());
}

TEST_CASE_METHOD(Fixture, "Bytes of device memory next to each other are no conflict", "[memory_order]") {
  test::TracedGroup one(checks, 1, 0), two(other_checks, 1, 1);
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

TEST_CASE_METHOD(Fixture, "Scratch is nobody else's", "[memory_order]") {
  test::TracedGroup one(checks, 1, 0), two(other_checks, 1, 1);
  one.scratch(0, Kind::store, row_at(0));
  two.scratch(0, Kind::store, row_at(0));
  CHECK(hazards.all.empty());
}

TEST_CASE_METHOD(Fixture, "Device atomics", "[memory_order]") {
  test::TracedGroup one(checks, 2, 0), two(other_checks, 2, 1);
  const auto everywhere = row_at(0);
  one.vm(0, Kind::atomic, everywhere);
  one.vm(1, Kind::atomic, everywhere);
  two.vm(0, Kind::atomic, everywhere);
  CHECK(hazards.all.empty());
  SECTION("polled by a plain load") {
    two.load(1, everywhere);
    CHECK(hazards.all.empty());
  }
  SECTION("overwritten by a plain store") {
    two.store(1, one_lane(base));
    CHECK(hazards.all.size() == 1);
  }
  SECTION("initialised by a plain store") {
    one.store(0, one_lane(base + 8192));
    two.vm(0, Kind::atomic, one_lane(base + 8192));
    CHECK(hazards.all.size() == 1);
  }
}

TEST_CASE_METHOD(Fixture, "The last workgroup reduces", "[memory_order]") {
  // Each workgroup stores its part and counts up; the last one sees the full count and reads all parts.
  constexpr int groups = 5, waves = 2;
  constexpr uint64_t counter = base + (1 << 20);
  const bool waits = GENERATE(true, false), meets = GENERATE(true, false);
  std::deque<test::TracedGroup> all; // their instructions outlive them, as a kernel's do
  for (int g = 0; g < groups; ++g) {
    test::TracedGroup& group = all.emplace_back(g % 2 ? other_checks : checks, waves, g);
    for (int w = 0; w < waves; ++w) {
      group.store(w, row_at(4096 * g + 1024 * w));
      if (waits) group.wait_vmcnt(w, 0);
    }
    if (meets) group.barrier();
    add(group, 0, counter);
    if (g < groups - 1) continue;
    group.barrier(); // wave 0 tells the others
    for (int from = 0; from < groups; ++from)
      for (int w = 0; w < waves; ++w) group.load(1, row_at(4096 * from + 1024 * w));
    group.store(0, one_lane(counter)); // ready for the next launch
  }
  if (waits && meets) {
    CHECK(hazards.all.empty());
  } else if (!waits) {
    REQUIRE(hazards.all.size() >= groups - 1);
    CHECK(hazards.all[0].missing == "s_waitcnt vmcnt(0) before the atomic that tells the other workgroup");
  } else { // wave 1's stores were complete, but wave 0 did not know
    CHECK(hazards.all.size() == groups - 1);
  }
}

TEST_CASE_METHOD(Fixture, "A flag between workgroups", "[memory_order]") {
  constexpr uint64_t flag = base + 8192;
  test::TracedGroup producer(checks, 1, 0), consumer(other_checks, 1, 1);
  consumer.vm(0, Kind::load, one_lane(flag), true, true); // polls: not set yet
  consumer.wait_vmcnt(0, 0);
  consumer.load(0, row_at(65536)); // what the poll saw is acquired by now
  producer.store(0, row_at(0));
  SECTION("set by an atomic after a wait, polled by a plain load") {
    producer.wait_vmcnt(0, 0);
    add(producer, 0, flag, false);
    consumer.load(0, one_lane(flag));
    SECTION("and waited for") {
      consumer.wait_vmcnt(0, 0);
      consumer.load(0, row_at(0));
      CHECK(hazards.all.empty());
    }
    SECTION("but not waited for") {
      consumer.load(0, row_at(0));
      CHECK(hazards.all.size() == 1);
    }
  }
  SECTION("set by a store with a scope") {
    producer.wait_vmcnt(0, 0);
    producer.vm(0, Kind::store, one_lane(flag), false, true);
    consumer.vm(0, Kind::load, one_lane(flag), false, true);
    consumer.wait_vmcnt(0, 0);
    consumer.load(0, row_at(0));
    CHECK(hazards.all.empty());
  }
  SECTION("set too early") {
    add(producer, 0, flag, false);
    consumer.load(0, one_lane(flag));
    consumer.wait_vmcnt(0, 0);
    consumer.load(0, row_at(0));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt vmcnt(0) before the atomic that tells the other workgroup");
  }
  SECTION("an atomic that returns nothing acquires nothing") {
    producer.wait_vmcnt(0, 0);
    add(producer, 0, flag, false);
    consumer.vm(0, Kind::atomic, one_lane(flag));
    consumer.wait_vmcnt(0, 0);
    consumer.load(0, row_at(0));
    CHECK(hazards.all.size() == 1);
  }
  SECTION("set by a plain store") {
    producer.wait_vmcnt(0, 0);
    producer.store(0, one_lane(flag));
    consumer.load(0, one_lane(flag));
    CHECK(hazards.all.size() >= 1);
  }
}

TEST_CASE_METHOD(Fixture, "Knowledge passes from workgroup to workgroup", "[memory_order]") {
  // Each waits for its predecessor's flag, then sets its own: the last one knows of the first.
  constexpr int groups = 4;
  constexpr uint64_t flags = base + 65536;
  std::deque<test::TracedGroup> all;
  for (int g = 0; g < groups; ++g) {
    test::TracedGroup& group = all.emplace_back(g % 2 ? other_checks : checks, 1, g);
    if (g) {
      group.vm(0, Kind::load, one_lane(flags + 4 * (g - 1)), false, true);
      group.wait_vmcnt(0, 0);
    }
    group.load(0, row_at(0));
    group.store(0, row_at(0));
    group.wait_vmcnt(0, 0);
    add(group, 0, flags + 4 * g, false);
  }
  CHECK(hazards.all.empty());
}

TEST_CASE_METHOD(Fixture, "An atomic in memory orders LDS too", "[memory_order]") {
  constexpr uint64_t flag = base + 8192;
  test::TracedGroup group(checks, 2);
  const bool waits = GENERATE(true, false);
  group.ds_write(0, one_lane(0));
  if (waits) group.wait_lgkmcnt(0, 0);
  add(group, 0, flag, false);
  add(group, 1, flag);
  group.ds_read(1, one_lane(0));
  CHECK(hazards.all.empty() == waits);
}

TEST_CASE_METHOD(Fixture, "Memory that was freed is forgotten", "[memory_order]") {
  test::TracedGroup one(checks, 1, 0), two(other_checks, 1, 1);
  one.store(0, row_at(0));
  one.store(0, row_at(1 << 30));
  memory.forget(base - (1ull << 34), base + 4096); // mostly untouched
  two.store(0, row_at(0));
  CHECK(hazards.all.empty());
  two.store(0, row_at(1 << 30));
  CHECK(hazards.all.size() == 1);
}

TEST_CASE_METHOD(Fixture, "Host threads share what is known of memory", "[memory_order]") {
  constexpr uint64_t counter = base + (1 << 20);
  constexpr int groups_per_thread = 50;
  std::deque<test::TracedGroup> all[2];
  const auto run = [&](int thread) {
    for (int g = 0; g < groups_per_thread; ++g) {
      const int id = 2 * g + thread;
      test::TracedGroup& group = all[thread].emplace_back(thread ? other_checks : checks, 2, id);
      group.load(0, row_at(0));
      group.store(1, row_at(4096 + 1024 * id));
      group.wait_all(1);
      group.barrier();
      add(group, 0, counter);
      group.load(1, row_at(4096 + 1024 * id));
    }
  };
  std::thread first(run, 0), second(run, 1);
  first.join();
  second.join();
  CHECK(hazards.all.empty());
  test::TracedGroup last(checks, 1, 1000);
  add(last, 0, counter);
  for (int id = 0; id < 2 * groups_per_thread; ++id) last.load(0, row_at(4096 + 1024 * id));
  CHECK(hazards.all.empty());
}
