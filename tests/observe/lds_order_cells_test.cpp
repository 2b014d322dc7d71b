// What the LDS order check remembers of each byte, through workgroups short and long.

#include "tests/observe/lds_order_case.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::test;

TEST_CASE_METHOD(LdsOrderCase, "Bytes next to each other are no conflict", "[lds_order]") {
  SECTION("apart") {
    workgroup.ds_write(0, {.begin = 0, .bytes = 1, .stride = 2});
    workgroup.ds_write(1, {.begin = 1, .bytes = 1, .stride = 2});
    CHECK(hazards.all.empty());
  }
  SECTION("dwords were there before") {
    workgroup.ds_write(0, row);
    workgroup.wait_all(0);
    workgroup.barrier();
    workgroup.ds_write(0, one_lane(4, 2));
    workgroup.ds_write(1, one_lane(6, 2));
    CHECK(hazards.all.empty());
    workgroup.ds_read(2, one_lane(0, 4)); // ordered by the barrier
    CHECK(hazards.all.empty());
    workgroup.ds_read(2, one_lane(5, 1));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].begin == 5);
    CHECK(hazards.all[0].end == 6);
    CHECK(hazards.all[0].earlier.wave == 0);
  }
  SECTION("the split keeps what was known") {
    workgroup.ds_write(0, one_lane(8, 4));
    workgroup.ds_read(1, one_lane(10, 1));
    CHECK(hazards.all.size() == 1);
  }
  SECTION("dwords that are not aligned") {
    workgroup.ds_write(0, one_lane(3, 4));
    workgroup.ds_write(1, one_lane(7, 4));
    CHECK(hazards.all.empty());
    workgroup.ds_write(2, one_lane(6, 4));
    CHECK(hazards.all.size() == 2);
  }
}

TEST_CASE_METHOD(LdsOrderCase, "LDS atomics", "[lds_order]") {
  for (int w = 0; w < 4; ++w) workgroup.ds_atomic(w, one_lane(0));
  CHECK(hazards.all.empty());
  SECTION("read without a barrier") {
    workgroup.ds_read(3, one_lane(0));
    CHECK(hazards.all.size() == 3); // with each of the others'
  }
  SECTION("read after it") {
    for (int w = 0; w < 4; ++w) workgroup.wait_all(w);
    workgroup.barrier();
    workgroup.ds_read(3, one_lane(0));
    workgroup.ds_atomic(3, one_lane(0));
    CHECK(hazards.all.empty());
    workgroup.ds_write(0, one_lane(0));
    CHECK(hazards.all.size() == 2); // the read and the atomic of wave 3
  }
  SECTION("initialised without a barrier") {
    workgroup.ds_write(0, one_lane(64));
    workgroup.ds_atomic(1, one_lane(64));
    CHECK(hazards.all.size() == 1);
  }
}

TEST_CASE_METHOD(LdsOrderCase, "Workgroups start with fresh LDS", "[lds_order]") {
  workgroup.ds_read(0, row);
  workgroup.ds_write(1, row_at(1024));
  workgroup.ds_atomic(2, row_at(2048));
  workgroup.dma(3, 3072);
  TracedWorkgroup next(checks, 8, 1);
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
  CollectedHazards hazards;
  observe::MemoryShadow memory;
  observe::OrderChecks checks{memory, hazards};
  TracedWorkgroup workgroup{checks, 2, 0, 1280};
  workgroup.ds_write(0, LdsOrderCase::row_at(1024));
  workgroup.dma(1, 1280);
  workgroup.ds_read(1, LdsOrderCase::row_at(1280));
  CHECK(hazards.all.empty());
}

TEST_CASE_METHOD(LdsOrderCase, "A long workgroup keeps what is still needed", "[lds_order]") {
  std::vector<uint64_t> writers;
  workgroup.dma(3, 60 * 1024); // in flight while all others come and go
  const uint64_t kept = workgroup.ds_read(2, row_at(62 * 1024));
  for (int round = 0; round < 6000; ++round) {
    writers.push_back(workgroup.ds_write(0, one_lane(0)));
    workgroup.wait_all(0);
    if (round % 3 == 0) {
      workgroup.barrier();
      workgroup.ds_read(1, one_lane(0));
      workgroup.wait_all(1);
      workgroup.barrier();
    }
  }
  CHECK(hazards.all.empty());
  workgroup.ds_read(1, one_lane(0));
  workgroup.wait_all(1);
  REQUIRE(hazards.all.size() == 1);
  CHECK(hazards.all[0].earlier.address == writers.back());
  workgroup.barrier();
  const uint64_t read = workgroup.ds_read(1, one_lane(0));
  workgroup.ds_write(0, one_lane(0));
  REQUIRE(hazards.all.size() == 2);
  CHECK(hazards.all[1].earlier.address == read);
  workgroup.ds_write(0, row_at(60 * 1024));
  workgroup.ds_write(0, row_at(62 * 1024));
  REQUIRE(hazards.all.size() == 4);
  CHECK(hazards.all[2].earlier.wave == 3);
  CHECK(hazards.all[3].earlier.address == kept);
}
