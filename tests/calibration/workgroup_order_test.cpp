// The order of tiles over the chiplets.
#include "calibration/workgroup_order.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <set>
#include <utility>

using namespace fmha950::calibration;

TEST_CASE("workgroup order: every tile once, whatever the window and shape") {
  for (const uint32_t rows : {1u, 3u, 8u, 17u, 32u})
    for (const uint32_t columns : {1u, 4u, 32u, 33u})
      for (const uint32_t window : {0u, 1u, 2u, 4u, 8u, 32u}) {
        CAPTURE(rows, columns, window);
        std::set<std::pair<uint32_t, uint32_t>> seen;
        for (uint32_t n = 0; n < rows * columns; ++n) {
          const TilePlace place = tile_place(n, rows, columns, window);
          CHECK((place.row < rows && place.column < columns));
          seen.insert({place.row, place.column});
        }
        CHECK(seen.size() == rows * columns);
      }
}

TEST_CASE("workgroup order: without a window row by row") {
  CHECK(tile_place(0, 4, 5, 0).column == 0);
  CHECK(tile_place(7, 4, 5, 0).row == 1);
  CHECK(tile_place(7, 4, 5, 0).column == 2);
}

TEST_CASE("workgroup order: a chiplet's workgroups in flight share rows and columns") {
  // The published size: 32 x 32 tiles, window 8. The 32 workgroups that a chiplet runs at a time (one for
  // each of its compute units) are half of an 8 x 8 square.
  for (uint32_t chiplet = 0; chiplet < chiplets; ++chiplet) {
    std::set<uint32_t> rows, columns;
    for (uint32_t turn = 0; turn < 32; ++turn) {
      const TilePlace place = tile_place(turn * chiplets + chiplet, 32, 32, 8);
      rows.insert(place.row);
      columns.insert(place.column);
    }
    CHECK(rows.size() == 8);
    CHECK(columns.size() == 4);
  }
}
