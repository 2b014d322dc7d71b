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
      for (const TileOrder order : {row_by_row, TileOrder{1, 1}, TileOrder{2, 4}, TileOrder{4, 128},
                                    TileOrder{8, 64}, TileOrder{32, 1024}}) {
        CAPTURE(rows, columns, order.window, order.chunk);
        std::set<std::pair<uint32_t, uint32_t>> seen;
        for (uint32_t n = 0; n < rows * columns; ++n) {
          const TilePlace place = tile_place(n, rows, columns, order);
          CHECK((place.row < rows && place.column < columns));
          seen.insert({place.row, place.column});
        }
        CHECK(seen.size() == rows * columns);
      }
}

TEST_CASE("workgroup order: without a window row by row") {
  CHECK(tile_place(0, 4, 5, row_by_row).column == 0);
  CHECK(tile_place(7, 4, 5, row_by_row).row == 1);
  CHECK(tile_place(7, 4, 5, row_by_row).column == 2);
}

TEST_CASE("workgroup order: what a chiplet's workgroups in flight share") {
  // 32 x 32 tiles, of which a chiplet runs 32 at a time, one for each of its compute units. Chunks of 64 are gemm.csv's,
  // those of an eighth grid_swizzle.csv's.
  struct Share {
    TileOrder order;
    size_t rows, columns;
  };
  for (const Share& share : {Share{{8, 64}, 8, 4}, Share{row_by_row, 8, 4}, Share{{2, 128}, 2, 16},
                             Share{{4, 128}, 4, 8}, Share{{8, 128}, 8, 4}, Share{{32, 128}, 32, 1}})
    for (uint32_t chiplet = 0; chiplet < chiplets; ++chiplet) {
      CAPTURE(share.order.window, share.order.chunk, chiplet);
      std::set<uint32_t> rows, columns;
      for (uint32_t turn = 0; turn < 32; ++turn) {
        const TilePlace place = tile_place(turn * chiplets + chiplet, 32, 32, share.order);
        rows.insert(place.row);
        columns.insert(place.column);
      }
      CHECK(rows.size() == share.rows);
      CHECK(columns.size() == share.columns);
    }
}
