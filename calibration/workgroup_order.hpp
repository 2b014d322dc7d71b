#pragma once
// Which tile of C a workgroup computes. Workgroup n runs on chiplet n mod 8 (machine_gfx950.md section 6.1),
// whose L2 serves only its own 32 compute units: workgroups of a chiplet shall share rows of A and B.
// Pure arithmetic, shared by the kernels and the host.

#include <stdint.h>

namespace fmha950::calibration {

constexpr uint32_t chiplets = 8;

struct TilePlace {
  uint32_t row, column; // in tiles
};

// Renumbers the workgroups so that every chiplet has `chunk` consecutive numbers at a time. What remains
// beyond the last whole round over the chiplets keeps its number.
constexpr uint32_t consecutive_on_chiplet(uint32_t workgroup, uint32_t workgroups, uint32_t chunk) {
  const uint32_t round = chiplets * chunk;
  if (workgroup >= workgroups / round * round) return workgroup;
  const uint32_t chiplet = workgroup % chiplets, turn = workgroup / chiplets; // its n-th on this chiplet
  return turn / chunk * round + chiplet * chunk + turn % chunk;
}

// Window 0: row by row, with no regard to chiplets.
// Window w: bands of w rows of tiles, each walked column by column, `chunk` tiles in a row to a chiplet. The published
// kernels have 64 and 256 (data/calibration/gemm.csv), or an eighth of all (grid_swizzle.csv).
struct TileOrder {
  uint32_t window, chunk;
};
constexpr TileOrder row_by_row{0, 0};

constexpr TilePlace tile_place(uint32_t workgroup, uint32_t rows, uint32_t columns, TileOrder order) {
  const uint32_t window = order.window;
  if (window == 0) return {workgroup / columns, workgroup % columns};
  const uint32_t n = consecutive_on_chiplet(workgroup, rows * columns, order.chunk);
  const uint32_t band = n / (window * columns), in_band = n % (window * columns), first_row = band * window;
  const uint32_t band_rows = rows - first_row < window ? rows - first_row : window;
  return {first_row + in_band % band_rows, in_band / band_rows};
}

} // namespace fmha950::calibration
