// The LDS layout against a model of the hardware that knows nothing of it: where LDS DMA writes, which lanes
// are served together, how many banks there are.
#include "attention/tile_layout.hpp"
#include "tests/support/lds_banks.hpp"

#include "tests/support/catch.hpp"
#include <map>
#include <set>
#include <vector>

using fmha950::test::half_wave_conflicts;
using namespace fmha950::attention;

TEMPLATE_TEST_CASE_SIG("every chunk of every row is staged once, where place() says", "",
                       ((int BYTES), BYTES), 64, 128, 192, 256, 384, 512) {
  using Tile = TileLayout<BYTES>;
  std::map<unsigned, std::pair<unsigned, unsigned>> staged; // lane i's bytes land at 16 i of its strip
  for (unsigned strip = 0; strip < Tile::strips; ++strip)
    for (unsigned lane = 0; lane < 64; ++lane)
      staged[strip * Tile::strip_bytes + lane * 16] = {Tile::row_of(strip, lane),
                                                       Tile::chunk_of(strip, lane)};
  REQUIRE(staged.size() == Tile::rows * Tile::row_chunks);
  for (unsigned row = 0; row < Tile::rows; ++row)
    for (unsigned chunk = 0; chunk < Tile::row_chunks; ++chunk)
      CHECK(staged.at(Tile::place(row, chunk)) == std::pair(row, chunk));
  CHECK(staged.rbegin()->first + 16 == Tile::bytes);
}

TEMPLATE_TEST_CASE_SIG("reading K as an operand has no bank conflicts", "", ((int BYTES), BYTES), 64, 128,
                       192, 256, 384, 512) {
  using Tile = TileLayout<BYTES>;
  for (unsigned block = 0; block < 2; ++block)
    for (unsigned chunk = 0; chunk < Tile::row_chunks; ++chunk)
      CHECK(half_wave_conflicts(16, [&](int lane) {
              return Tile::place(32 * block + key_of_operand_row(lane), chunk);
            }) == 0);
}

TEMPLATE_TEST_CASE_SIG("reading 16-bit V transposed has no bank conflicts", "", ((int BYTES), BYTES), 128,
                       256, 512) {
  using Tile = TileLayout<BYTES>;
  for (unsigned first_row = 0; first_row < 64; first_row += 4)
    for (unsigned first_chunk = 0; first_chunk < Tile::row_chunks; first_chunk += 4)
      CHECK(half_wave_conflicts(8, [&](int lane) {
              return Tile::place(first_row + lane % 16 / 4, first_chunk + lane / 16 * 2 + lane % 4 / 2) +
                     lane % 2 * 8;
            }) == 0);
}

TEMPLATE_TEST_CASE_SIG("reading fp8 V transposed has no bank conflicts", "", ((int BYTES), BYTES), 64, 128,
                       256) {
  using Tile = TileLayout<BYTES>;
  for (unsigned first_row = 0; first_row < 64; first_row += 8)
    for (unsigned first_chunk = 0; first_chunk < Tile::row_chunks; first_chunk += 2)
      CHECK(half_wave_conflicts(8, [&](int lane) {
              return Tile::place(first_row + lane % 16 / 2, first_chunk + lane / 16) + lane % 2 * 8;
            }) == 0);
}

TEMPLATE_TEST_CASE_SIG("reading fp4 V transposed has no bank conflicts", "", ((int BYTES), BYTES), 64, 128) {
  using Tile = TileLayout<BYTES>;
  for (unsigned first_row = 0; first_row < 64; first_row += 16)
    for (unsigned chunk = 0; chunk < Tile::row_chunks; ++chunk)
      CHECK(half_wave_conflicts(
                8, [&](int lane) { return Tile::place(first_row + lane % 16, chunk) + lane / 16 * 8; }) == 0);
}

TEMPLATE_TEST_CASE_SIG("what the compiler knows of a place is one XOR and one sum", "", ((int BYTES), BYTES),
                       64, 128, 192, 256, 384, 512) {
  using Tile = TileLayout<BYTES>;
  // Bits of row and chunk that a lane brings, in all ways in which the rest can be known before.
  for (unsigned lane_rows = 0; lane_rows < 64; ++lane_rows)
    for (unsigned lane_chunks = 0; lane_chunks < Tile::row_chunks; ++lane_chunks) {
      const unsigned row = 45 & ~lane_rows, chunk = 13 % Tile::row_chunks & ~lane_chunks;
      CHECK(Tile::place(lane_rows | row, lane_chunks | chunk) ==
            (Tile::place(lane_rows, lane_chunks) ^ Tile::flip(row, chunk)) + Tile::offset(row, chunk));
    }
}

TEST_CASE("K's rows enter the product in an order that leaves every lane 16 consecutive keys") {
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned r = 0; r < 16; ++r) // D: item r of lane l is row 8 (r / 4) + 4 (l / 32) + r % 4
      CHECK(key_of_operand_row(8 * (r / 4) + 4 * half + r % 4) == 16 * half + r);
}
