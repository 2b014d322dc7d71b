// Accesses wait beside the cells of LDS, with footprints that are kept for addresses that come again. Neither list is
// endless: what leaves them must be found all the same.

#include "tests/observe/lds_order_case.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::test;

namespace {

constexpr int many = 3000; // more than there are footprints
LaneRange at(int i) { return one_lane(static_cast<uint64_t>(16 * i), 4, i % 64); }

} // namespace

TEST_CASE_METHOD(LdsOrderCase, "Many writes wait for a barrier", "[lds_order]") {
  std::vector<uint64_t> writers;
  for (int i = 0; i < many; ++i) writers.push_back(workgroup.ds_write(0, at(i)));
  SECTION("which does not come") {
    for (int i = 0; i < many; ++i) {
      workgroup.ds_read(1, at(i));
      REQUIRE(hazards.all.size() == static_cast<size_t>(i) + 1);
      CHECK(hazards.all.back().earlier.address == writers[static_cast<size_t>(i)]);
      CHECK(hazards.all.back().earlier.lane == i % 64);
    }
  }
  SECTION("which comes") {
    workgroup.wait_all(0);
    workgroup.barrier();
    for (int i = 0; i < many; ++i) workgroup.ds_read(1, at(i));
    CHECK(hazards.all.empty());
  }
  SECTION("which the last ones miss") {
    workgroup.wait_lgkmcnt(0, 15);
    workgroup.barrier();
    for (int i = 0; i < many; ++i) workgroup.ds_read(1, at(i));
    REQUIRE(hazards.all.size() == 15);
    CHECK(hazards.all.front().earlier.address == writers[many - 15]);
  }
}

TEST_CASE_METHOD(LdsOrderCase, "Many reads wait for a barrier", "[lds_order]") {
  std::vector<uint64_t> readers;
  for (int i = 0; i < many; ++i) readers.push_back(workgroup.ds_read(2, at(i)));
  for (int i = 0; i < many; ++i) {
    workgroup.dma(3, static_cast<uint32_t>(16 * i), 1);
    REQUIRE(hazards.all.size() == static_cast<size_t>(i) + 1);
    CHECK(hazards.all.back().earlier.address == readers[static_cast<size_t>(i)]);
    CHECK(hazards.all.back().earlier.lane == i % 64);
  }
}

TEST_CASE_METHOD(LdsOrderCase, "The last write of a byte hides those before it, wherever they wait",
                 "[lds_order]") {
  workgroup.ds_write(0, row);
  const uint64_t last = workgroup.ds_write(1, row); // a hazard of its own
  REQUIRE(hazards.all.size() == 1);
  workgroup.ds_read(1, row);
  REQUIRE(hazards.all.size() == 1);
  workgroup.ds_read(2, row);
  REQUIRE(hazards.all.size() == 2);
  CHECK(hazards.all[1].earlier.address == last);
}

TEST_CASE_METHOD(LdsOrderCase, "Dwords that wait become bytes", "[lds_order]") {
  const uint64_t writer = workgroup.ds_write(0, row);
  workgroup.ds_write(0, one_lane(2048 + 1, 1));
  workgroup.ds_read(1, one_lane(17, 1));
  REQUIRE(hazards.all.size() == 1);
  CHECK(hazards.all[0].earlier.address == writer);
  CHECK(hazards.all[0].earlier.lane == 1);
  CHECK(hazards.all[0].begin == 17);
  CHECK(hazards.all[0].end == 18);
}
