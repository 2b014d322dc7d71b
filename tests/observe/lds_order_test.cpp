// Each rule of the LDS order check with a case that must be reported and one that must not.

#include "tests/observe/traced_group.hpp"

#include <catch2/catch.hpp>

using namespace fmha950;
using test::one_lane;

namespace {

constexpr test::LaneRange row{.begin = 0, .bytes = 16, .stride = 16}; // 1 KiB
test::LaneRange row_at(uint64_t begin) { return {.begin = begin, .bytes = 16, .stride = 16}; }

struct Fixture {
  test::CollectedHazards hazards;
  observe::MemoryShadow memory;
  observe::OrderChecks checks{memory, hazards};
  test::TracedGroup group{checks, 4};
};

} // namespace

TEST_CASE_METHOD(Fixture, "LDS DMA, barrier without vmcnt, read by another wave", "[lds_order]") {
  const uint64_t writer = group.dma(0, 0);
  SECTION("no wait") {
    group.barrier();
    const uint64_t reader = group.ds_read(1, row);
    REQUIRE(hazards.all.size() == 1);
    const observe::Hazard& hazard = hazards.all[0];
    CHECK(hazard.type == observe::HazardClass::lds_order);
    CHECK(hazard.earlier.address == writer);
    CHECK(hazard.earlier.wave == 0);
    CHECK(hazard.earlier.lane == 0);
    CHECK(hazard.later.address == reader);
    CHECK(hazard.later.wave == 1);
    CHECK(hazard.begin == 0);
    CHECK(hazard.end == 1024);
    CHECK(hazard.missing == "s_waitcnt vmcnt(0) before the barrier");
    CHECK(hazard.what == "test_instruction reads LDS bytes that test_instruction writes, unordered");
  }
  SECTION("waited for, but no barrier") {
    group.wait_vmcnt(0, 0);
    group.ds_read(1, row);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "a barrier");
  }
  SECTION("waited for after the barrier") {
    group.barrier();
    group.wait_vmcnt(0, 0);
    group.ds_read(1, row);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt vmcnt(0) before the barrier");
  }
  SECTION("another wave's wait does not help") {
    group.wait_vmcnt(1, 0);
    group.barrier();
    group.ds_read(1, row);
    CHECK(hazards.all.size() == 1);
  }
  SECTION("wait and barrier") {
    group.wait_vmcnt(0, 0);
    group.barrier();
    group.ds_read(1, row);
    group.ds_read(2, row);
    CHECK(hazards.all.empty());
  }
  SECTION("a barrier that has not been released") {
    group.wait_vmcnt(0, 0);
    group.arrive(0);
    group.ds_read(1, row);
    CHECK(hazards.all.size() == 1);
  }
}

TEST_CASE_METHOD(Fixture, "vmcnt(N) leaves N operations in flight", "[lds_order]") {
  group.dma(0, 0);
  group.dma(0, 1024);
  group.dma(0, 2048);
  SECTION("exactly enough") {
    group.wait_vmcnt(0, 2);
    group.barrier();
    group.ds_read(1, row);
    CHECK(hazards.all.empty());
    group.ds_read(1, row_at(1024)); // the next one is not
    CHECK(hazards.all.size() == 1);
  }
  SECTION("one too few") {
    group.wait_vmcnt(0, 2);
    group.barrier();
    group.ds_read(1, row_at(1024));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt vmcnt(1) before the barrier");
    CHECK(hazards.all[0].begin == 1024);
    CHECK(hazards.all[0].end == 2048);
  }
}

TEST_CASE_METHOD(Fixture, "The wave that issued the DMA must wait too", "[lds_order]") {
  group.dma(0, 0);
  group.dma(0, 4096);
  SECTION("no wait") {
    group.ds_read(0, row);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt vmcnt(1)");
  }
  SECTION("no wait but a barrier") {
    group.barrier();
    group.ds_read(0, row);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt vmcnt(1)");
  }
  SECTION("wait") {
    group.wait_vmcnt(0, 1);
    group.ds_read(0, row);
    CHECK(hazards.all.empty());
  }
}

TEST_CASE_METHOD(Fixture, "DS operations of one wave are in order", "[lds_order]") {
  group.ds_write(0, row);
  group.ds_read(0, row);
  group.ds_write(0, row);
  group.ds_atomic(0, row);
  group.ds_read(0, row);
  CHECK(hazards.all.empty());
}

TEST_CASE_METHOD(Fixture, "LDS DMA of one wave is in order", "[lds_order]") {
  group.dma(0, 0);
  group.dma(0, 0);
  CHECK(hazards.all.empty());
  group.dma(1, 0);
  CHECK(hazards.all.size() == 1);
}

TEST_CASE_METHOD(Fixture, "DMA over bytes that are still read", "[lds_order]") {
  const int reader = GENERATE(0, 2);
  const uint64_t first = group.ds_read(reader, row);
  SECTION("same wave or other, no wait") {
    group.barrier();
    group.dma(0, 0);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].earlier.address == first);
    CHECK(hazards.all[0].earlier.wave == reader);
    CHECK(hazards.all[0].missing ==
          (reader == 0 ? "s_waitcnt lgkmcnt(0)" : "s_waitcnt lgkmcnt(0) before the barrier"));
  }
  SECTION("other buffer") {
    group.barrier();
    group.dma(0, 1024);
    CHECK(hazards.all.empty());
  }
  SECTION("wait and barrier") {
    group.wait_lgkmcnt(reader, 0);
    group.barrier();
    group.dma(0, 0);
    CHECK(hazards.all.empty());
  }
  SECTION("one operation later is enough") {
    group.ds_read(reader, row_at(1024));
    group.wait_lgkmcnt(reader, 1);
    group.barrier();
    group.dma(0, 0);
    CHECK(hazards.all.empty());
    group.dma(0, 1024);
    CHECK(hazards.all.size() == 1);
  }
}

TEST_CASE_METHOD(Fixture, "DMA over bytes that the same wave still writes", "[lds_order]") {
  group.ds_write(0, row);
  SECTION("no wait") {
    group.dma(0, 0);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt lgkmcnt(0)");
  }
  SECTION("wait") {
    group.wait_lgkmcnt(0, 0);
    group.dma(0, 0);
    CHECK(hazards.all.empty());
  }
}

TEST_CASE_METHOD(Fixture, "LDS operations stay in order with SMEM in flight", "[lds_order]") {
  group.ds_read(0, row);
  group.ds_read(0, row_at(1024));
  group.s_load(0, 0x1000);
  SECTION("no wait") {
    group.dma(0, 0);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt lgkmcnt(1)");
  }
  SECTION("a wait for all but the younger one") {
    group.wait_lgkmcnt(0, 1);
    group.dma(0, 0);
    CHECK(hazards.all.empty());
  }
}

TEST_CASE_METHOD(Fixture, "Two waves write the same bytes between barriers", "[lds_order]") {
  group.ds_write(0, row);
  group.wait_all(0);
  SECTION("same bytes") {
    group.ds_write(1, row_at(512));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].begin == 512);
    CHECK(hazards.all[0].end == 1024);
    CHECK(hazards.all[0].earlier.lane == 32);
    CHECK(hazards.all[0].later.lane == 0);
    CHECK(hazards.all[0].missing == "a barrier");
  }
  SECTION("neighbours") {
    group.ds_write(1, row_at(1024));
    CHECK(hazards.all.empty());
  }
}

TEST_CASE_METHOD(Fixture, "A write after reads of several waves names each", "[lds_order]") {
  for (int w : {1, 2, 3}) group.ds_read(w, row);
  group.ds_write(0, row);
  REQUIRE(hazards.all.size() == 3);
  for (int w : {1, 2, 3}) CHECK(hazards.all[w - 1].earlier.wave == w);
}

TEST_CASE_METHOD(Fixture, "The latest reader does not hide an earlier one", "[lds_order]") {
  group.ds_read(1, row); // in flight across the barrier
  group.barrier();
  group.ds_read(2, row);
  group.wait_all(2);
  group.barrier(); // orders wave 2's, not wave 1's
  group.ds_write(0, row);
  REQUIRE(hazards.all.size() == 1);
  CHECK(hazards.all[0].earlier.wave == 1);
  CHECK(hazards.all[0].missing == "s_waitcnt lgkmcnt(0) before the barrier");
}

TEST_CASE_METHOD(Fixture, "Wave groups meet at different s_barrier instructions", "[lds_order]") {
  // Waves 0, 1 copy while 2, 3 compute; then they change roles. A barrier is a number, not an address.
  for (int phase = 0; phase < 6; ++phase) {
    const int copying = phase % 2 ? 2 : 0, computing = phase % 2 ? 0 : 2;
    const uint32_t to = phase % 2 ? 8192 : 0, from = phase % 2 ? 0 : 8192;
    for (int w : {copying, copying + 1}) {
      group.dma(w, to + 1024 * (w - copying));
      group.wait_vmcnt(w, 0);
      group.arrive(w);
    }
    for (int w : {computing, computing + 1}) {
      group.ds_read(w, row_at(from));
      group.ds_read(w, row_at(from + 1024));
      group.wait_lgkmcnt(w, 0);
      group.arrive(w);
    }
    group.release();
  }
  CHECK(hazards.all.empty());
}

TEST_CASE_METHOD(Fixture, "Ring of three buffers, loads two tiles ahead", "[lds_order]") {
  const bool enough = GENERATE(true, false);
  const auto prefetch = [&](int tile) {
    for (int w = 0; w < 4; ++w) group.dma(w, 4096 * (tile % 3) + 1024 * w);
  };
  prefetch(0);
  prefetch(1);
  for (int tile = 0; tile < 12; ++tile) {
    for (int w = 0; w < 4; ++w) group.wait_vmcnt(w, enough ? 1 : 2);
    group.barrier();
    prefetch(tile + 2);
    for (int w = 0; w < 4; ++w) {
      for (uint32_t part = 0; part < 4; ++part) group.ds_read(w, row_at(4096 * (tile % 3) + 1024 * part));
      group.wait_lgkmcnt(w, 0);
    }
  }
  CHECK(hazards.all.empty() == enough);
}

TEST_CASE_METHOD(Fixture, "Bytes next to each other are no conflict", "[lds_order]") {
  SECTION("apart") {
    group.ds_write(0, {.begin = 0, .bytes = 1, .stride = 2});
    group.ds_write(1, {.begin = 1, .bytes = 1, .stride = 2});
    CHECK(hazards.all.empty());
  }
  SECTION("dwords were there before") {
    group.ds_write(0, row);
    group.wait_all(0);
    group.barrier();
    group.ds_write(0, one_lane(4, 2));
    group.ds_write(1, one_lane(6, 2));
    CHECK(hazards.all.empty());
    group.ds_read(2, one_lane(0, 4)); // ordered by the barrier
    CHECK(hazards.all.empty());
    group.ds_read(2, one_lane(5, 1));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].begin == 5);
    CHECK(hazards.all[0].end == 6);
    CHECK(hazards.all[0].earlier.wave == 0);
  }
  SECTION("the split keeps what was known") {
    group.ds_write(0, one_lane(8, 4));
    group.ds_read(1, one_lane(10, 1));
    CHECK(hazards.all.size() == 1);
  }
  SECTION("dwords that are not aligned") {
    group.ds_write(0, one_lane(3, 4));
    group.ds_write(1, one_lane(7, 4));
    CHECK(hazards.all.empty());
    group.ds_write(2, one_lane(6, 4));
    CHECK(hazards.all.size() == 2);
  }
}

TEST_CASE_METHOD(Fixture, "LDS atomics", "[lds_order]") {
  for (int w = 0; w < 4; ++w) group.ds_atomic(w, one_lane(0));
  CHECK(hazards.all.empty());
  SECTION("read without a barrier") {
    group.ds_read(3, one_lane(0));
    CHECK(hazards.all.size() == 3); // with each of the others'
  }
  SECTION("read after it") {
    for (int w = 0; w < 4; ++w) group.wait_all(w);
    group.barrier();
    group.ds_read(3, one_lane(0));
    group.ds_atomic(3, one_lane(0));
    CHECK(hazards.all.empty());
    group.ds_write(0, one_lane(0));
    CHECK(hazards.all.size() == 2); // the read and the atomic of wave 3
  }
  SECTION("initialised without a barrier") {
    group.ds_write(0, one_lane(64));
    group.ds_atomic(1, one_lane(64));
    CHECK(hazards.all.size() == 1);
  }
}

TEST_CASE_METHOD(Fixture, "Workgroups start with fresh LDS", "[lds_order]") {
  group.ds_read(0, row);
  group.ds_write(1, row_at(1024));
  group.ds_atomic(2, row_at(2048));
  group.dma(3, 3072);
  test::TracedGroup next(checks, 8, 1);
  for (uint32_t at : {0, 1024, 2048, 3072}) {
    next.ds_write(at / 1024 + 4, row_at(at));
    next.ds_read(at / 1024 + 4, row_at(at));
  }
  CHECK(hazards.all.empty());
  next.ds_write(0, row_at(3072));
  CHECK(hazards.all.size() == 2);
  CHECK(hazards.all[0].later.workgroup == 1);
}

TEST_CASE("Beyond the workgroup's LDS nothing is touched", "[lds_order]") {
  test::CollectedHazards hazards;
  observe::MemoryShadow memory;
  observe::OrderChecks checks{memory, hazards};
  test::TracedGroup group{checks, 2, 0, 1280};
  group.ds_write(0, row_at(1024));
  group.dma(1, 1280);
  group.ds_read(1, row_at(1280));
  CHECK(hazards.all.empty());
}

TEST_CASE_METHOD(Fixture, "A long workgroup keeps what is still needed", "[lds_order]") {
  std::vector<uint64_t> writers;
  group.dma(3, 60 * 1024); // in flight while all others come and go
  const uint64_t kept = group.ds_read(2, row_at(62 * 1024));
  for (int round = 0; round < 6000; ++round) {
    writers.push_back(group.ds_write(0, one_lane(0)));
    group.wait_all(0);
    if (round % 3 == 0) {
      group.barrier();
      group.ds_read(1, one_lane(0));
      group.wait_all(1);
      group.barrier();
    }
  }
  CHECK(hazards.all.empty());
  group.ds_read(1, one_lane(0));
  group.wait_all(1);
  REQUIRE(hazards.all.size() == 1);
  CHECK(hazards.all[0].earlier.address == writers.back());
  group.barrier();
  const uint64_t read = group.ds_read(1, one_lane(0));
  group.ds_write(0, one_lane(0));
  REQUIRE(hazards.all.size() == 2);
  CHECK(hazards.all[1].earlier.address == read);
  group.ds_write(0, row_at(60 * 1024));
  group.ds_write(0, row_at(62 * 1024));
  REQUIRE(hazards.all.size() == 4);
  CHECK(hazards.all[2].earlier.wave == 3);
  CHECK(hazards.all[3].earlier.address == kept);
}

TEST_CASE("Entries of a log that are no longer needed go, the others stay", "[lds_order]") {
  observe::NumberedLog<uint32_t> log;
  log.clear(7);
  for (uint32_t number = 7; number < 50'000; ++number) {
    log.put(number, 3 * number);
    const uint32_t needed = number > 5000 ? number - 1000 : 7;
    log.drop_before(needed);
    REQUIRE(log[needed] == 3 * needed);
    REQUIRE(log[number] == 3 * number);
    REQUIRE(log.held() < 12'000);
  }
  log.drop_before(60'000); // more than there are
  log.put(70'000, 1);      // the numbers between stay empty
  CHECK(log[70'000] == 1);
}
