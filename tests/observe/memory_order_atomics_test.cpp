// How atomics order accesses to device memory, within a workgroup and between workgroups.

#include "tests/observe/memory_order_case.hpp"

#include "tests/support/catch.hpp"

#include <deque>
#include <thread>

using namespace fmha950;
using namespace fmha950::test;

TEST_CASE_METHOD(MemoryOrderCase, "Atomics order workgroups of any number", "[memory_order]") {
  constexpr uint64_t counter = base + 65536, many = 5 << 20;
  TracedWorkgroup one(checks, 1, many + 1), two(other_checks, 1, many + 2);
  TracedWorkgroup far(checks, 2, many + (1 << 20) + 1); // taken for the first
  REQUIRE(hazards.all.size() == 3);                     // which each says
  CHECK(hazards.all[0].severity == observe::Severity::note);
  CHECK(hazards.all[0].what.find("of a launch of more than 1048576 workgroups") == 0);
  hazards.all.clear();
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

TEST_CASE_METHOD(MemoryOrderCase, "Device atomics", "[memory_order]") {
  TracedWorkgroup one(checks, 2, 0), two(other_checks, 2, 1);
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
    REQUIRE(hazards.all.size() == 3); // every wave's atomic conflicts with it
    CHECK(hazards.all[0].earlier.workgroup == 1);
    CHECK(hazards.all[1].earlier.workgroup == 0);
    CHECK(hazards.all[2].earlier.workgroup == 0);
    CHECK(hazards.all[2].earlier.wave == 1);
  }
  SECTION("initialised by a plain store") {
    one.store(0, one_lane(base + 8192));
    two.vm(0, Kind::atomic, one_lane(base + 8192));
    CHECK(hazards.all.size() == 1);
  }
}

TEST_CASE_METHOD(MemoryOrderCase, "A plain store beside atomics conflicts, whoever comes first",
                 "[memory_order]") {
  constexpr uint64_t counter = base + 65536;
  TracedWorkgroup one(checks, 1, 0), two(other_checks, 1, 1);
  const bool one_first = GENERATE(true, false), stores_first = GENERATE(true, false);
  const bool atomics_only = GENERATE(true, false);
  const auto first = [&] {
    if (stores_first && !atomics_only) one.store(0, one_lane(counter));
    add(one, 0, counter, false);
    if (!stores_first && !atomics_only) one.store(0, one_lane(counter));
  };
  if (one_first) first();
  add(two, 0, counter, false);
  if (!one_first) first();
  INFO(one_first << stores_first << atomics_only);
  if (atomics_only) {
    CHECK(hazards.all.empty());
    return;
  }
  REQUIRE(hazards.all.size() == 1);
  CHECK(hazards.all[0].earlier.workgroup == 0);
  CHECK(hazards.all[0].later.workgroup == 1);
}

TEST_CASE_METHOD(MemoryOrderCase, "The last workgroup reduces", "[memory_order]") {
  // Each workgroup stores its part and counts up; the last one sees the full count and reads all parts.
  constexpr int workgroups = 5, waves = 2;
  constexpr uint64_t counter = base + (1 << 20);
  const bool waits = GENERATE(true, false), meets = GENERATE(true, false);
  std::deque<TracedWorkgroup> all; // their instructions outlive them, as a kernel's do
  for (int g = 0; g < workgroups; ++g) {
    TracedWorkgroup& workgroup = all.emplace_back(g % 2 ? other_checks : checks, waves, g);
    for (int w = 0; w < waves; ++w) {
      workgroup.store(w, row_at(4096 * g + 1024 * w));
      if (waits) workgroup.wait_vmcnt(w, 0);
    }
    if (meets) workgroup.barrier();
    add(workgroup, 0, counter);
    if (g < workgroups - 1) continue;
    workgroup.barrier(); // wave 0 tells the others
    for (int from = 0; from < workgroups; ++from)
      for (int w = 0; w < waves; ++w) workgroup.load(1, row_at(4096 * from + 1024 * w));
    workgroup.store(0, one_lane(counter)); // ready for the next launch
  }
  if (waits && meets) {
    CHECK(hazards.all.empty());
  } else if (!waits) {
    REQUIRE(hazards.all.size() >= workgroups - 1);
    CHECK(hazards.all[0].missing == "s_waitcnt vmcnt(0) before the atomic that tells the other workgroup");
  } else { // wave 1's stores were complete, but wave 0 did not know
    CHECK(hazards.all.size() == workgroups - 1);
  }
}

TEST_CASE_METHOD(MemoryOrderCase, "A flag between workgroups", "[memory_order]") {
  constexpr uint64_t flag = base + 8192;
  TracedWorkgroup producer(checks, 1, 0), consumer(other_checks, 1, 1);
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

TEST_CASE_METHOD(MemoryOrderCase, "Knowledge passes from workgroup to workgroup", "[memory_order]") {
  // Each waits for its predecessor's flag, then sets its own: the last one knows of the first.
  constexpr int workgroups = 4;
  constexpr uint64_t flags = base + 65536;
  std::deque<TracedWorkgroup> all;
  for (int g = 0; g < workgroups; ++g) {
    TracedWorkgroup& workgroup = all.emplace_back(g % 2 ? other_checks : checks, 1, g);
    if (g) {
      workgroup.vm(0, Kind::load, one_lane(flags + 4 * (g - 1)), false, true);
      workgroup.wait_vmcnt(0, 0);
    }
    workgroup.load(0, row_at(0));
    workgroup.store(0, row_at(0));
    workgroup.wait_vmcnt(0, 0);
    add(workgroup, 0, flags + 4 * g, false);
  }
  CHECK(hazards.all.empty());
}

TEST_CASE_METHOD(MemoryOrderCase, "An atomic in memory orders LDS too", "[memory_order]") {
  constexpr uint64_t flag = base + 8192;
  TracedWorkgroup workgroup(checks, 2);
  const bool waits = GENERATE(true, false);
  workgroup.ds_write(0, one_lane(0));
  if (waits) workgroup.wait_lgkmcnt(0, 0);
  add(workgroup, 0, flag, false);
  add(workgroup, 1, flag);
  workgroup.ds_read(1, one_lane(0));
  CHECK(hazards.all.empty() == waits);
}

TEST_CASE_METHOD(MemoryOrderCase, "Host threads share what is known of memory", "[memory_order]") {
  constexpr uint64_t counter = base + (1 << 20);
  constexpr int workgroups_per_thread = 50;
  std::deque<TracedWorkgroup> all[2];
  const auto run = [&](int thread) {
    for (int g = 0; g < workgroups_per_thread; ++g) {
      const int id = 2 * g + thread;
      TracedWorkgroup& workgroup = all[thread].emplace_back(thread ? other_checks : checks, 2, id);
      workgroup.load(0, row_at(0));
      workgroup.store(1, row_at(4096 + 1024 * id));
      workgroup.wait_all(1);
      workgroup.barrier();
      add(workgroup, 0, counter);
      workgroup.load(1, row_at(4096 + 1024 * id));
    }
  };
  std::thread first(run, 0), second(run, 1);
  first.join();
  second.join();
  CHECK(hazards.all.empty());
  TracedWorkgroup last(checks, 1, 1000);
  add(last, 0, counter);
  for (int id = 0; id < 2 * workgroups_per_thread; ++id) last.load(0, row_at(4096 + 1024 * id));
  CHECK(hazards.all.empty());
}
