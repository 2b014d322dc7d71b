// Rows of 448 fp8 NOPE columns and 64 bf16 ROPE columns become rows of 512 bf16, exactly: an fp8 value has
// four significant bits and its scale is a power of two. Only the rows that are wanted, in the order of their
// list; the fp8 rows stay as they are. A wave takes a row, a lane eight of its columns.

#include "gfx950/convert.hpp"
#include "gfx950/mutant.hpp"
#include "impl_prepass/sparse/kernel_arguments.hpp"

namespace fmha950::prepass::sparse {

using namespace gfx950;

constexpr uint32_t lane_columns = 8, nope_lanes = nope_columns / lane_columns;

// fp32, one per 64 columns, in a tensor of its own.
struct SplitRow {
  static constexpr uint32_t nope_bytes = nope_columns;
  static FMHA950_INLINE float scale(const DequantiseArguments& arguments, const uint8_t*, uint64_t row) {
    const uint32_t group = lane_id() / 8;
    return arguments.scale[row * 7 + (protection("scale_group_split") ? group : 6 - group)];
  }
};

// E8M0, one per 32 columns, behind the row's columns.
struct PackedRow {
  static constexpr uint32_t nope_bytes = 512;
  static FMHA950_INLINE float scale(const DequantiseArguments&, const uint8_t* nope, uint64_t) {
    const uint32_t group = lane_id() / 4 ^ (protection("scale_group_packed") ? 0 : 1);
    return e8m0_scale(nope[nope_columns + group]);
  }
};

template <class Row> FMHA950_INLINE void dequantise(const DequantiseArguments& arguments) {
  const uint32_t index = workgroup_id_x() * (dequantise_threads / wave_lanes) + wave_id();
  // The grid is a whole number of workgroups.
  if (protection("slot_end") ? index >= arguments.count : index > arguments.count) return;
  const uint64_t row = arguments.rows == nullptr || !protection("row_of_slot")
                           ? index
                           : static_cast<uint32_t>(arguments.rows[index]);
  Word4 columns;
  if (lane_id() < nope_lanes) {
    const uint64_t offset = row * Row::nope_bytes;
    const auto* nope = static_cast<const uint8_t*>(arguments.nope) +
                       (protection("dequantised_row_32_bits") ? offset : static_cast<uint32_t>(offset));
    const Word2 values = reinterpret_cast<const Word2*>(nope)[lane_id()];
    const float scale = Row::scale(arguments, nope, row);
    const Word2 low = bits_as<Word2>(fp8_to_bf16(values[0], scale));
    const Word2 high = bits_as<Word2>(fp8_to_bf16(values[1], scale));
    columns = __builtin_shufflevector(low, high, 0, 1, 2, 3);
  } else {
    constexpr uint32_t rope_chunks = wave_lanes - nope_lanes;
    columns = static_cast<const Word4*>(arguments.rope)[row * rope_chunks + (lane_id() - nope_lanes)];
  }
  static_cast<Word4*>(arguments.destination)[static_cast<uint64_t>(index) * wave_lanes + lane_id()] = columns;
}

FMHA950_KERNEL(dequantise_threads, 8) void dequantise_split(DequantiseArguments arguments) {
  dequantise<SplitRow>(arguments);
}
FMHA950_KERNEL(dequantise_threads, 8) void dequantise_packed(DequantiseArguments arguments) {
  dequantise<PackedRow>(arguments);
}

} // namespace fmha950::prepass::sparse
