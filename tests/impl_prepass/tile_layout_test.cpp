// The LDS layout against a model of the hardware that knows nothing of it: where LDS DMA writes, which lanes
// are served together, how many banks there are.
#include "impl_prepass/tile_layout.hpp"
#include "tests/support/lds_banks.hpp"

#include "tests/support/catch.hpp"
#include <array>
#include <map>
#include <set>
#include <vector>

using fmha950::prepass::NarrowTileLayout;
using fmha950::prepass::TileLayout;
using fmha950::test::half_wave_conflicts;

namespace {

// Row and chunk of every 16 bytes of a tile, as its strips of DMA leave them: lane i's bytes land at 16 i.
template <class Layout> std::map<unsigned, std::pair<unsigned, unsigned>> staged_tile(unsigned strips) {
  std::map<unsigned, std::pair<unsigned, unsigned>> place;
  for (unsigned strip = 0; strip < strips; ++strip)
    for (unsigned lane = 0; lane < 64; ++lane)
      place[strip * Layout::strip_bytes + lane * 16] = {Layout::row_of(strip, lane), Layout::chunk_of(lane)};
  return place;
}

template <class Layout> void check_staged_once(unsigned strips, unsigned chunks) {
  const auto place = staged_tile<Layout>(strips);
  REQUIRE(place.size() == 64 * chunks);
  for (unsigned row = 0; row < 64; ++row)
    for (unsigned chunk = 0; chunk < chunks; ++chunk) {
      const auto found = place.find(Layout::offset(row, chunk));
      REQUIRE(found != place.end());
      CHECK(found->second == std::pair(row, chunk));
    }
  CHECK(place.rbegin()->first + 16 <= Layout::bytes);
}

} // namespace

TEST_CASE("every chunk of every row is staged once, where offset() says") {
  check_staged_once<TileLayout>(16, 16);
}

TEST_CASE("a DMA instruction reads whole rows") {
  for (unsigned strip = 0; strip < 16; ++strip)
    for (unsigned first = 0; first < 64; first += 16) {
      std::set<unsigned> chunks;
      for (unsigned lane = first; lane < first + 16; ++lane) {
        CHECK(TileLayout::row_of(strip, lane) == TileLayout::row_of(strip, first));
        chunks.insert(TileLayout::chunk_of(lane));
      }
      CHECK(chunks.size() == 16);
    }
}

TEST_CASE("reading K as an operand has no bank conflicts") {
  for (int block = 0; block < 2; ++block)
    for (int step = 0; step < 8; ++step)
      for (int half = 0; half < 2; ++half)
        CHECK(half_wave_conflicts(
                  16, [&](int lane) { return TileLayout::offset(32 * block + lane, 2 * step + half); }) == 0);
}

TEST_CASE("reading V transposed has no bank conflicts") {
  for (int first_row = 0; first_row < 64; first_row += 4)
    for (int block = 0; block < 4; ++block)
      CHECK(half_wave_conflicts(8, [&](int lane) {
              const unsigned row = first_row + lane % 16 / 4;
              const unsigned column = 32 * block + lane / 16 * 16 + lane % 4 * 4;
              return TileLayout::offset(row, column / 8) + column % 8 * 2;
            }) == 0);
}

TEST_CASE("what the kernel leaves to immediate offsets is additive") {
  for (unsigned row = 0; row < 32; ++row)
    for (unsigned chunk = 0; chunk < 4; ++chunk)
      for (unsigned step = 0; step < 4; ++step) {
        CHECK(TileLayout::offset(row + 32, chunk) ==
              TileLayout::offset(row, chunk) + TileLayout::offset(32, 0));
        CHECK(TileLayout::offset(row, chunk + 4 * step) ==
              TileLayout::offset(row, chunk) + TileLayout::offset(0, 4 * step));
        if (row < 16)
          CHECK(TileLayout::offset(row + 16 * step, chunk) ==
                TileLayout::offset(row, chunk) + TileLayout::offset(16 * step, 0));
      }
}

TEST_CASE("of K's columns past the 128th every chunk is staged once, where offset() says") {
  check_staged_once<NarrowTileLayout>(NarrowTileLayout::strips, 8);
}

TEST_CASE("a lane's row of these columns is one that it fetches of the first ones") {
  for (unsigned wave = 0; wave < 8; ++wave)
    for (unsigned lane = 0; lane < 64; ++lane)
      CHECK(NarrowTileLayout::row_of(wave, lane) ==
            TileLayout::row_of(NarrowTileLayout::is_upper(lane) ? wave + 8 : wave, lane));
}

TEST_CASE(
    "reading them as an operand has no bank conflicts, and what is left to immediate offsets is additive") {
  using Tile = NarrowTileLayout;
  for (int block = 0; block < 2; ++block)
    for (int chunk = 0; chunk < 8; ++chunk)
      CHECK(half_wave_conflicts(16, [&](int lane) { return Tile::offset(32 * block + lane, chunk); }) == 0);
  for (unsigned row = 0; row < 32; ++row)
    for (unsigned chunk = 0; chunk < 4; ++chunk) {
      CHECK(Tile::offset(row + 32, chunk) == Tile::offset(row, chunk) + Tile::offset(32, 0));
      CHECK(Tile::offset(row, chunk + 4) == Tile::offset(row, chunk) + Tile::offset(0, 4));
    }
}
