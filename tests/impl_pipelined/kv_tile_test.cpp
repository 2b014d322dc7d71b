// The LDS layout against a model of the hardware that knows nothing of it: where LDS DMA writes, what a
// transposed read delivers, which lanes are served together, how many banks there are.
#include "impl_pipelined/kv_tile.hpp"
#include "tests/support/lds_banks.hpp"

#include "tests/support/catch.hpp"
#include <array>
#include <map>
#include <set>
#include <vector>

using fmha950::pipelined::KvTile;
using fmha950::test::half_wave_conflicts;

namespace {

struct Byte { // of the tile in memory
  unsigned row, column;
  bool operator==(const Byte&) const = default;
};

// The tile after eight DMA instructions: lane i's 16 bytes land at 16 i.
std::map<unsigned, Byte> staged_tile() {
  std::map<unsigned, Byte> lds;
  for (unsigned strip = 0; strip < 8; ++strip)
    for (unsigned lane = 0; lane < 64; ++lane)
      for (unsigned byte = 0; byte < 16; ++byte)
        lds[strip * KvTile::strip_bytes + lane * 16 + byte] = {KvTile::row_of(strip, lane),
                                                               KvTile::chunk_of(strip, lane) * 16 + byte};
  return lds;
}

// What ds_read_b64_tr_b8 gives lane `lane`: within its 16 lanes, lane i addresses 8 bytes of row i / 2, half
// i % 2 of an 8 x 16 block, and receives column i (machine_gfx950.md section 3.1).
template <class Address> std::array<unsigned, 8> transposed(unsigned lane, Address address_of) {
  std::array<unsigned, 8> places;
  const unsigned first = lane / 16 * 16, column = lane % 16;
  for (unsigned row = 0; row < 8; ++row) places[row] = address_of(first + row * 2 + column / 8) + column % 8;
  return places;
}

// V's address for the transposed read of `piece` of column block `block`: the lane's row of the 16 that the
// two halves of the wave share, and its 8 of 16 columns.
unsigned row_in_piece(unsigned lane) {
  const unsigned i = lane % 16 / 2;
  return i / 4 * 8 + lane / 32 * 4 + i % 4;
}
unsigned v_address(unsigned lane, unsigned block, unsigned piece) {
  return KvTile::offset(16 * piece + row_in_piece(lane), 2 * block + lane / 16 % 2) + lane % 2 * 8;
}

} // namespace

TEST_CASE("every chunk of every row is staged once, where offset() says") {
  const auto lds = staged_tile();
  REQUIRE(lds.size() == KvTile::bytes);
  for (unsigned row = 0; row < KvTile::rows; ++row)
    for (unsigned column = 0; column < KvTile::row_bytes; ++column)
      REQUIRE(lds.at(KvTile::offset(row, column / 16) + column % 16) == Byte{row, column});
  CHECK(lds.rbegin()->first + 1 == KvTile::bytes);
}

TEST_CASE("a DMA instruction reads whole rows") {
  for (unsigned strip = 0; strip < 8; ++strip)
    for (unsigned first = 0; first < 64; first += 8) {
      std::set<unsigned> chunks;
      for (unsigned lane = first; lane < first + 8; ++lane) {
        CHECK(KvTile::row_of(strip, lane) == KvTile::row_of(strip, first));
        chunks.insert(KvTile::chunk_of(strip, lane));
      }
      CHECK(chunks.size() == 8);
    }
}

TEST_CASE("the four tiles of a workgroup lie side by side") {
  std::set<unsigned> begins = {KvTile::k_tile(0), KvTile::k_tile(1), KvTile::v_tile(0), KvTile::v_tile(1)};
  CHECK(begins.size() == 4);
  for (const unsigned begin : begins) CHECK(begin % KvTile::bytes == 0);
  CHECK(*begins.rbegin() + KvTile::bytes == KvTile::lds_bytes);
  CHECK(KvTile::lds_bytes == 32768);
}

TEST_CASE("reading K as an operand has no bank conflicts") {
  for (unsigned block = 0; block < 2; ++block)
    for (unsigned piece = 0; piece < 4; ++piece)
      for (unsigned half = 0; half < 2; ++half)
        CHECK(half_wave_conflicts(16, [&](unsigned lane) {
                return KvTile::offset(32 * block + lane, 2 * piece + half);
              }) == 0);
}

TEST_CASE("reading V transposed has no bank conflicts") {
  for (unsigned half = 0; half < 2; ++half)
    for (unsigned block = 0; block < 4; ++block)
      for (unsigned piece = 0; piece < 4; ++piece)
        CHECK(half_wave_conflicts(
                  8, [&](unsigned lane) { return v_address(32 * half + lane, block, piece); }) == 0);
}

// Byte 16 b + i of a lane is key 32 b + 8 (i / 4) + 4 (lane / 32) + i % 4: the order in which S^T leaves P
// (mfma_gfx950.md section 2.3).
TEST_CASE("the transposed reads bring each lane its column of V in the order of keys that P has") {
  const auto lds = staged_tile();
  for (unsigned lane = 0; lane < 64; ++lane)
    for (unsigned block = 0; block < 4; ++block)
      for (unsigned piece = 0; piece < 4; ++piece) {
        const auto places = transposed(lane, [&](unsigned other) { return v_address(other, block, piece); });
        for (unsigned j = 0; j < 8; ++j) {
          const unsigned b = (8 * piece + j) / 16, i = (8 * piece + j) % 16;
          const Byte expected = {32 * b + 8 * (i / 4) + 4 * (lane / 32) + i % 4, 32 * block + lane % 32};
          REQUIRE(lds.at(places[j]) == expected);
        }
      }
}

TEST_CASE("what the kernel leaves to exclusive ors and immediate offsets is right") {
  for (unsigned lane = 0; lane < 64; ++lane) {
    const unsigned k_base = KvTile::offset(lane % 32, lane / 32);
    for (unsigned block = 0; block < 2; ++block)
      for (unsigned piece = 0; piece < 4; ++piece)
        CHECK(KvTile::offset(32 * block + lane % 32, 2 * piece + lane / 32) ==
              (k_base ^ piece * 32) + block * 32 * KvTile::row_bytes);
    const unsigned v_base = KvTile::offset(row_in_piece(lane), lane / 16 % 2) + lane % 2 * 8;
    for (unsigned block = 0; block < 4; ++block)
      for (unsigned piece = 0; piece < 4; ++piece)
        CHECK(v_address(lane, block, piece) == (v_base ^ block * 32) + piece * 16 * KvTile::row_bytes);
  }
}
