// Kernel one: the pages that the batch touches, from the pool's type and layout to rows of 128 16-bit values,
// each page and head together (kernel_arguments.hpp). FP8 becomes bf16 exactly; MX exponents are powers of
// two and go in with it; descales that are not stay outside and are only gathered here, one per slot and
// head.
//
// Grid: x covers the pieces of one head, y is the head.

#include "gfx950/convert.hpp"
#include "impl_prepass/kernel_arguments.hpp"

namespace fmha950::prepass {

using namespace gfx950;

// A piece of 16 bytes of the pool, widened to 16 bits: 16 fp8 values, or 8 values that stay as they are.
template <class Stored> constexpr uint32_t values_per_piece = 16 / sizeof(Stored);
template <class Stored> using Widened = Vector<uint32_t, values_per_piece<Stored> / 2>;

// Where one piece comes from.
struct Source {
  const char* page;
  uint32_t slot;
  uint32_t page_id;
  uint32_t head;
};

FMHA950_INLINE Source source_of(const RelayoutArguments& arguments, uint32_t slot) {
  const uint32_t page_id = arguments.pages[slot];
  const uint32_t head = workgroup_id_y();
  const uint64_t offset =
      page_id * arguments.page_stride + static_cast<uint64_t>(head) * arguments.head_stride;
  return {static_cast<const char*>(arguments.pool) + offset, slot, page_id, head};
}

FMHA950_INLINE uint32_t* scratch_row(const RelayoutArguments& arguments, uint32_t head, uint32_t row) {
  const uint64_t rows = static_cast<uint64_t>(arguments.slots) << arguments.page_shift;
  return static_cast<uint32_t*>(arguments.scratch) + (head * rows + row) * (row_bytes / 4);
}

FMHA950_INLINE void gather_descale(const RelayoutArguments& arguments, const Source& source) {
  if (arguments.descale != nullptr)
    arguments.slot_descale[source.head * arguments.slots + source.slot] =
        arguments.descale[static_cast<uint64_t>(source.page_id) * arguments.kv_heads + source.head];
}

FMHA950_INLINE Widened<uint8_t> widen(Word4 piece, float power_of_two) {
  Widened<uint8_t> result;
  for (int i = 0; i < 4; ++i) {
    const Word2 four = bits_as<Word2>(fp8_to_bf16(piece[i], power_of_two));
    result[2 * i] = four[0];
    result[2 * i + 1] = four[1];
  }
  return result;
}

// With an exponent for every column. The product is exact unless it leaves bf16's range.
FMHA950_INLINE Widened<uint8_t> widen(Word4 piece, Word4 exponents) {
  Widened<uint8_t> result;
  for (int i = 0; i < 8; ++i) {
    const uint32_t shift = i % 2 * 16;
    const uint32_t two = exponents[i / 2] >> shift;
    const Float2 scale = {e8m0_value(two & 0xff), e8m0_value(two >> 8 & 0xff)};
    result[i] = bits_as<uint32_t>(round_pair<bf16>(fp8_pair(piece[i / 2] >> shift) * scale));
  }
  return result;
}

// Rows whose columns lie together by pieces: LINEAR K and V, VECTORIZED K. One piece per thread.
template <class Stored> FMHA950_INLINE void relayout_rows(const RelayoutArguments& arguments) {
  constexpr uint32_t pieces = head_dim / values_per_piece<Stored>; // of a row
  const uint32_t index = workgroup_id_x() * relayout_threads + thread_id();
  const uint32_t row = index / pieces, piece = index % pieces;
  const uint32_t slot = row >> arguments.page_shift, row_in_page = row & ((1u << arguments.page_shift) - 1);
  if (slot >= arguments.slots) return;
  const Source source = source_of(arguments, slot);
  if (row_in_page == 0 && piece == 0) gather_descale(arguments, source);
  const auto values = *reinterpret_cast<const Word4*>(
      source.page + static_cast<uint64_t>(row_in_page) * arguments.row_stride +
      piece * arguments.chunk_stride);
  auto* destination = reinterpret_cast<Widened<Stored>*>(scratch_row(arguments, source.head, row)) + piece;
  if constexpr (sizeof(Stored) == 2) {
    *destination = values;
  } else if (arguments.exponent_axis == Exponents::per_32_rows) {
    const uint64_t block = (static_cast<uint64_t>(source.page_id) << arguments.page_shift | row_in_page) / 32;
    const uint8_t* exponents = arguments.exponents + (block * arguments.kv_heads + source.head) * head_dim;
    *destination = widen(values, reinterpret_cast<const Word4*>(exponents)[piece]);
  } else {
    uint32_t exponent = 127; // 2^0
    if (arguments.exponent_axis == Exponents::per_32_columns) {
      const uint64_t pool_row = static_cast<uint64_t>(source.page_id) << arguments.page_shift | row_in_page;
      exponent = arguments.exponents[(pool_row * arguments.kv_heads + source.head) * 4 + piece / 2];
    }
    *destination = widen(values, e8m0_scale(exponent));
  }
}

// VECTORIZED V: 16 bytes are consecutive rows of one column. A wave takes a block of these rows, a lane two
// columns, so that every store of the wave is a whole row.
template <class Stored> FMHA950_INLINE void relayout_columns(const RelayoutArguments& arguments) {
  constexpr uint32_t rows = values_per_piece<Stored>; // of a block
  const uint32_t block = workgroup_id_x() * (relayout_threads / wave_lanes) + wave_id();
  const uint32_t row = block * rows;
  const uint32_t slot = row >> arguments.page_shift, row_in_page = row & ((1u << arguments.page_shift) - 1);
  if (slot >= arguments.slots) return;
  const Source source = source_of(arguments, slot);
  if (row_in_page == 0 && lane_id() == 0) gather_descale(arguments, source);
  const auto* columns = reinterpret_cast<const Word4*>(
      source.page + static_cast<uint64_t>(row_in_page / rows) * arguments.chunk_stride + lane_id() * 32);
  Widened<Stored> first, second;
  if constexpr (sizeof(Stored) == 2) {
    first = columns[0];
    second = columns[1];
  } else {
    uint32_t exponents = 0x7f7f; // 2^0 for both columns
    if (arguments.exponent_axis == Exponents::per_32_rows) {
      const uint64_t pool_block =
          (static_cast<uint64_t>(source.page_id) << arguments.page_shift | row_in_page) / 32;
      exponents = reinterpret_cast<const uint16_t*>(
          arguments.exponents + (pool_block * arguments.kv_heads + source.head) * head_dim)[lane_id()];
    }
    first = widen(columns[0], e8m0_scale(exponents & 0xff));
    second = widen(columns[1], e8m0_scale(exponents >> 8));
  }
  uint32_t* destination = scratch_row(arguments, source.head, row) + lane_id();
  for (uint32_t i = 0; i < rows; ++i) {
    const uint32_t shift = i % 2 * 16;
    destination[i * (row_bytes / 4)] = (first[i / 2] >> shift & 0xffff) | second[i / 2] >> shift << 16;
  }
}

FMHA950_KERNEL(relayout_threads, 4) void relayout_rows_fp8(RelayoutArguments arguments) {
  relayout_rows<uint8_t>(arguments);
}
FMHA950_KERNEL(relayout_threads, 4) void relayout_rows_16bit(RelayoutArguments arguments) {
  relayout_rows<uint16_t>(arguments);
}
FMHA950_KERNEL(relayout_threads, 4) void relayout_columns_fp8(RelayoutArguments arguments) {
  relayout_columns<uint8_t>(arguments);
}
FMHA950_KERNEL(relayout_threads, 4) void relayout_columns_16bit(RelayoutArguments arguments) {
  relayout_columns<uint16_t>(arguments);
}

} // namespace fmha950::prepass
