// Rows of 448 fp8 NOPE columns and 64 bf16 ROPE columns become rows of 512 bf16, exactly: an fp8 value has
// four significant bits and its scale is a power of two. Only the rows that are wanted, in the order of their
// list; the fp8 rows stay as they are. A wave takes some rows, whose loads are under way together, a lane
// eight columns of each.

#include "gfx950/convert.hpp"
#include "gfx950/mutant.hpp"
#include "impl_prepass/sparse/kernel_arguments.hpp"

namespace fmha950::prepass::sparse {

using namespace gfx950;

constexpr uint32_t lane_columns = 8, nope_lanes = nope_columns / lane_columns;

// fp32, one per 64 columns, in a tensor of its own.
struct SplitRow {
  static constexpr uint32_t nope_bytes = nope_columns;
  static FMHA950_INLINE float scale(const RowsToDequantise& rows, const uint8_t*, uint64_t row) {
    const uint32_t block = lane_id() / 8;
    return rows.scale[row * 7 + (protection("scale_group_split") ? block : 6 - block)];
  }
};

// E8M0, one per 32 columns, behind the row's columns.
struct PackedRow {
  static constexpr uint32_t nope_bytes = 512;
  static FMHA950_INLINE float scale(const RowsToDequantise&, const uint8_t* nope, uint64_t) {
    const uint32_t block = lane_id() / 4 ^ (protection("scale_group_packed") ? 0 : 1);
    return e8m0_scale(nope[nope_columns + block]);
  }
};

template <class Row> FMHA950_INLINE void dequantise(const RowsToDequantise& wanted, uint32_t workgroup) {
  constexpr int rows = dequantised_rows_per_wave;
  const uint32_t first = (workgroup * (dequantise_threads / wave_lanes) + wave_id()) * rows;
  // The grid is a whole number of workgroups: rows past the end repeat the last and are not stored.
  const uint32_t count = protection("slot_end") ? wanted.count : wanted.count + 1;
  if (first >= count) return;
  uint64_t row[rows];
  for (uint32_t i = 0; i < rows; ++i) {
    const uint32_t index = minimum(first + i, count - 1);
    row[i] = wanted.rows == nullptr || !protection("row_of_slot") ? index
                                                                  : static_cast<uint32_t>(wanted.rows[index]);
  }
  Word4 columns[rows];
  if (lane_id() < nope_lanes) {
    Word2 values[rows];
    float scale[rows];
    for (int i = 0; i < rows; ++i) { // all loads before the first result
      const uint64_t offset = row[i] * Row::nope_bytes;
      const auto* nope = static_cast<const uint8_t*>(wanted.nope) +
                         (protection("dequantised_row_32_bits") ? offset : static_cast<uint32_t>(offset));
      values[i] = reinterpret_cast<const Word2*>(nope)[lane_id()];
      scale[i] = Row::scale(wanted, nope, row[i]);
    }
    for (int i = 0; i < rows; ++i) {
      const Word2 low = bits_as<Word2>(fp8_to_bf16(values[i][0], scale[i]));
      const Word2 high = bits_as<Word2>(fp8_to_bf16(values[i][1], scale[i]));
      columns[i] = __builtin_shufflevector(low, high, 0, 1, 2, 3);
    }
  } else {
    constexpr uint32_t rope_chunks = wave_lanes - nope_lanes;
    for (int i = 0; i < rows; ++i)
      columns[i] = static_cast<const Word4*>(wanted.rope)[row[i] * rope_chunks + (lane_id() - nope_lanes)];
  }
  auto* slots =
      static_cast<Word4*>(wanted.destination) + static_cast<uint64_t>(first) * wave_lanes + lane_id();
  for (uint32_t i = 0; i < rows; ++i)
    if (first + i < count) slots[i * wave_lanes] = columns[i];
}

template <class Row> FMHA950_INLINE void dequantise_all(const DequantiseArguments& arguments) {
  uint32_t workgroup = workgroup_id_x();
  int of = 0;
  for (; of < 2; ++of) {
    const uint32_t own = dequantise_workgroups(arguments.rows[of].count);
    if (workgroup < own) break;
    workgroup -= own;
  }
  dequantise<Row>(arguments.rows[of], workgroup);
}

FMHA950_KERNEL(dequantise_threads, 8) void dequantise_split(DequantiseArguments arguments) {
  dequantise_all<SplitRow>(arguments);
}
FMHA950_KERNEL(dequantise_threads, 8) void dequantise_packed(DequantiseArguments arguments) {
  dequantise_all<PackedRow>(arguments);
}

} // namespace fmha950::prepass::sparse
