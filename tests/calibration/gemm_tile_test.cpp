// LDS of the GEMM kernels, against the measured phases of ds_read_b128.
#include "calibration/gemm_tile.hpp"
#include "tests/support/lds_banks.hpp"

#include "tests/support/catch.hpp"
#include <set>

using namespace fmha950::calibration;
using namespace fmha950::test;

TEST_CASE("GEMM tile: DMA strips fill every chunk of a half once, each where place() says") {
  std::set<uint32_t> filled;
  for (uint32_t strip = 0; strip < HalfTile::strips; ++strip)
    for (uint32_t lane = 0; lane < 64; ++lane) {
      const uint32_t landing = strip * HalfTile::strip_bytes + lane * 16;
      CHECK(HalfTile::place(HalfTile::row_of(strip, lane), HalfTile::chunk_of(strip, lane)) == landing);
      filled.insert(landing);
    }
  CHECK(filled.size() == HalfTile::bytes / 16);
}

// What gemm_wave.hpp reads: lane l row l % edge, chunk l / edge + 64 / edge * s.
TEST_CASE("GEMM tile: operands are read without bank conflicts") {
  for (const uint32_t edge : {16u, 32u})
    for (uint32_t s = 0; s < edge / 8; ++s)
      for (uint32_t block = 0; block < HalfTile::rows / edge; ++block)
        for (const uint32_t upper : {0u, 32u}) {
          CAPTURE(edge, s, block, upper);
          CHECK(half_wave_conflicts(16, [&](unsigned l) {
                  const uint32_t lane = l + upper;
                  return HalfTile::place(block * edge + lane % edge, lane / edge + 64 / edge * s);
                }) == 0);
        }
}

TEST_CASE("GEMM tile: without the swizzle reads would conflict") {
  CHECK(half_wave_conflicts(16, [](unsigned lane) { return lane % 16 * step_bytes; }) > 0);
}
