// The target's figures and what follows from them: machine_gfx950.md sections 3, 6.1 and 6.5.
#include "numerics/target.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <utility>

using fmha950::target;

TEST_CASE("target: an MI355X") {
  CHECK(target.processor == std::string("gfx950"));
  CHECK(target.architecture == std::string("gfx950:sramecc+:xnack-"));
  CHECK(target.version() == 95);
  CHECK(target.gcn_number() == 950);
  CHECK(target.wave_lanes == 64);
  CHECK(target.vgprs_per_lane == 512);
  CHECK(target.compute_units() == 256);
  CHECK(target.waves_per_cu() == 32);
  CHECK(target.lds_bytes_per_cu == 163840);
}

TEST_CASE("target: waves by registers, LDS by blocks") {
  const std::pair<uint32_t, int> waves[] = {{1, 8},   {8, 8},   {64, 8},  {65, 7},  {72, 7},  {73, 6},
                                            {128, 4}, {129, 3}, {256, 2}, {257, 1}, {512, 1}, {513, 0}};
  for (const auto& [vgprs, expected] : waves) {
    INFO(vgprs);
    CHECK(target.waves_by_vgprs(vgprs) == expected);
  }
  CHECK(target.lds_allocated(0) == 0);
  CHECK(target.lds_allocated(1) == 1280);
  CHECK(target.lds_allocated(1280) == 1280);
  CHECK(target.lds_allocated(1281) == 2560);
  CHECK(target.lds_allocated(163840) == 163840);
}
