// Where rows of sparse_prefill lie in LDS:
// DMA leaves them where they are read, and no read has bank conflicts.
#include "impl_fused/sparse/part.hpp"
#include "tests/support/lds_banks.hpp"

#include "tests/support/catch.hpp"
#include <set>

using namespace fmha950::fused::sparse;
using fmha950::test::half_wave_conflicts;
using fmha950::test::wave_conflicts;

TEST_CASE("sparse: a DMA instruction brings four chunks of 16 rows to their places") {
  for (unsigned strip = 0; strip < 9; ++strip)
    for (unsigned lane = 0; lane < 64; ++lane)
      CHECK(Part::place(Part::row_of(lane), strip * Part::strip_chunks + Part::chunk_of(lane)) ==
            strip * Part::strip_bytes + lane * 16);
}

TEST_CASE("sparse: reading rows, 16 bytes a lane, has no bank conflicts") {
  for (unsigned first_chunk = 0; first_chunk < 36; first_chunk += 4)
    for (unsigned upper : {0u, 2u}) // lanes 32 and up
      CHECK(half_wave_conflicts(16, [&](unsigned lane) {
              return Part::place(lane % 16, first_chunk + upper + lane / 16);
            }) == 0);
}

TEST_CASE("sparse: reading two neighbouring columns transposed has no bank conflicts") {
  for (unsigned pair = 0; pair < 18; ++pair)
    for (unsigned upper : {0u, 2u})
      CHECK(half_wave_conflicts(8, [&](unsigned lane) {
              const unsigned row = 4 * (upper + lane / 16) + lane % 16 / 4;
              return Part::place(row, 2 * pair + lane % 4 / 2) + lane % 2 * 8;
            }) == 0);
}

TEST_CASE("sparse: reading bytes of both parts transposed has no bank conflicts") {
  for (unsigned chunk = 0; chunk < 28; ++chunk)
    for (unsigned upper : {0u, 2u})
      CHECK(half_wave_conflicts(8, [&](unsigned lane) {
              const unsigned key = lane % 16 / 2, row = 4 * (upper + lane / 16) + key % 4;
              return key / 4 * Part::shift + Part::place(row, chunk) + lane % 2 * 8;
            }) == 0);
}

TEST_CASE("sparse: a quarter of a DMA instruction fetches from four rows, 64 neighbouring bytes each") {
  for (unsigned quarter = 0; quarter < 4; ++quarter) {
    std::set<unsigned> rows, scale_rows, chunks;
    for (unsigned lane = 16 * quarter; lane < 16 * quarter + 16; ++lane) {
      rows.insert(Part::row_of(lane));
      chunks.insert(4 * Part::row_of(lane) + Part::chunk_of(lane));
      scale_rows.insert(PartScales::row_of(lane));
    }
    CHECK(rows.size() == 4);
    CHECK(chunks.size() == 16);
    CHECK(scale_rows.size() == 4);
  }
}

TEST_CASE("sparse: a DMA instruction brings four blocks' scales to their places") {
  for (unsigned load = 0; load < 2; ++load)
    for (unsigned lane = 0; lane < 64; ++lane)
      CHECK(PartScales::of_row(PartScales::row_of(lane)) +
                PartScales::of_block(4 * load + PartScales::block_of(lane)) ==
            load * PartScales::load_bytes + lane * 4);
}

TEST_CASE("sparse: reading halves of chunks, 8 bytes a lane, has no bank conflicts") {
  for (unsigned chunk = 0; chunk < 28; ++chunk)
    CHECK(half_wave_conflicts(
              8, [&](unsigned lane) { return Part::place(lane % 16, chunk) + lane / 16 * 8; }) == 0);
}

TEST_CASE("sparse: reading scales has no bank conflicts") {
  for (unsigned step = 0; step < 4; ++step) // words, of the lane's row
    CHECK(wave_conflicts(4, [&](unsigned lane) {
            return PartScales::of_row(lane % 16) + PartScales::of_block(2 * step + lane / 32);
          }) == 0);
  for (unsigned block = 0; block < 14; ++block) // of four rows
    CHECK(wave_conflicts(16, [&](unsigned lane) {
            return PartScales::of_row(lane / 16 * 4) + PartScales::of_block(block);
          }) == 0);
}
