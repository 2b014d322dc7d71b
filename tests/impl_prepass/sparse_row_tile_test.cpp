// The LDS layout of sparse_prefill's rows against a model of the hardware that knows nothing of it.
#include "impl_prepass/sparse/row_tile.hpp"
#include "tests/support/lds_banks.hpp"

#include "tests/support/catch.hpp"
#include <set>

using Tile = fmha950::prepass::sparse::RowTile<64>;
using fmha950::test::half_wave_conflicts;

TEST_CASE("sparse: lane i of a row's DMA instruction fetches what lies at place i") {
  for (unsigned row = 0; row < Tile::rows; ++row) {
    std::set<unsigned> chunks;
    for (unsigned lane = 0; lane < 64; ++lane) {
      const unsigned chunk = Tile::chunk_of(row, lane);
      chunks.insert(chunk);
      CHECK(Tile::place(row, chunk) == row * 1024 + lane * 16);
    }
    CHECK(chunks.size() == 64);
  }
}

TEST_CASE("sparse: a wave's later rows only add bits to the chunks of its first") {
  for (const unsigned rows : {4u, 8u, 16u})
    for (unsigned first = 0; first < Tile::rows; first += rows)
      for (unsigned i = 0; i < rows; ++i)
        for (unsigned lane = 0; lane < 64; ++lane)
          CHECK(Tile::chunk_of(first + i, lane) == (Tile::chunk_of(first, lane) ^ Tile::swizzle(i)));
}

TEST_CASE("sparse: reading keys has no bank conflicts") {
  for (unsigned first_row = 0; first_row < Tile::rows; first_row += 16)
    for (unsigned step = 0; step < 16; ++step)
      for (unsigned half = 0; half < 2; ++half)
        CHECK(half_wave_conflicts(16, [&](unsigned lane) {
                const unsigned l = 32 * half + lane;
                return Tile::place(first_row + l % 16, 4 * step + l / 16);
              }) == 0);
}

TEST_CASE("sparse: reading values transposed has no bank conflicts") {
  for (unsigned first_row = 0; first_row < Tile::rows; first_row += 16)
    for (unsigned block = 0; block < 32; ++block)
      for (unsigned half = 0; half < 2; ++half)
        CHECK(half_wave_conflicts(8, [&](unsigned lane) {
                const unsigned l = 32 * half + lane;
                const unsigned row = first_row + l / 16 * 4 + l % 16 / 4;
                return Tile::place(row, 2 * block + l % 4 / 2) + l % 2 * 8;
              }) == 0);
}

TEST_CASE("sparse: what the kernels leave to flips and immediate offsets is exact") {
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned chunk = 0; chunk < 4; ++chunk) {
      const unsigned own = Tile::place(row, chunk);
      for (unsigned more = 0; more < 16; more += 4)
        for (unsigned far = 0; far < 4; ++far)
          for (unsigned block = 0; block < 4; ++block)
            CHECK(Tile::place(row + 16 * block, chunk + more + 16 * far) ==
                  (own ^ Tile::flip(more)) + 256 * far + 16 * 1024 * block);
    }
}
