// Kernel one: the pages that the batch touches, from the pool's type and layout to rows of
// 128 16-bit values, K's also of 192, each page and head together (kernel_arguments.hpp). FP8 becomes bf16 exactly.
// MX exponents are powers of two and go in with it. Descales that are no powers of two stay outside:
// they are only gathered here, one per slot and head.
//
// Grid: x covers the pieces of one head, y is the head.

#include "gfx950/convert.hpp"
#include "gfx950/mutant.hpp"
#include "impl_prepass/kernel_arguments.hpp"

namespace fmha950::prepass {

using namespace gfx950;

constexpr uint32_t row_columns = FMHA950_RELAYOUT_COLUMNS;
constexpr uint32_t row_words = row_columns / 2; // of scratch
constexpr bool may_be_microscaled = row_columns == head_dim;
constexpr bool may_be_split = row_columns == head_dim; // descales of V, whose rows are never longer

// A piece of 16 bytes of the pool, widened to 16 bits: 16 fp8 values, or 8 values that stay as they are.
template <class Stored> constexpr uint32_t values_per_piece = 16 / sizeof(Stored);
template <class Stored> using Widened = Vector<uint32_t, values_per_piece<Stored> / 2>;

// Where one piece comes from.
struct Source {
  const char* page;
  uint32_t slot;
  uint32_t page_id;
  uint32_t first_row; // of the page, in the slot
  uint32_t head;
};

// A pool is larger than 4 GiB: a page's place takes 64 bits all the way.
FMHA950_INLINE uint64_t page_offset(const RelayoutArguments& arguments, uint32_t page_id) {
  const uint64_t offset = page_id * arguments.page_stride;
  if constexpr (!protection("page_base_32_bits")) return static_cast<uint32_t>(offset);
  if constexpr (!protection("page_base_31_bits")) return static_cast<int32_t>(offset);
  return offset;
}

FMHA950_INLINE const char* address_of(const void* pool, uint64_t offset) {
  if constexpr (protection("page_base_carry")) return static_cast<const char*>(pool) + offset;
  const auto base = reinterpret_cast<uint64_t>(pool);
  const uint32_t low = static_cast<uint32_t>(base) + static_cast<uint32_t>(offset);
  return reinterpret_cast<const char*>(((base >> 32) + (offset >> 32)) << 32 | low);
}

FMHA950_INLINE Source source_of(const RelayoutArguments& arguments, uint32_t slot) {
  uint32_t page_id = arguments.pages[slot];
  if constexpr (!protection("page_id_16_bits")) page_id &= 0xffff;
  const uint32_t head = workgroup_id_y();
  const uint64_t offset =
      page_offset(arguments, page_id) + static_cast<uint64_t>(head) * arguments.head_stride;
  const uint32_t first_row = summand(arguments.first_rows[slot], "block_of_page");
  return {address_of(arguments.pool, offset), slot, page_id, first_row, head};
}

// The grid is a whole number of workgroups, the table is not.
FMHA950_INLINE bool past_the_table(const RelayoutArguments& arguments, uint32_t slot) {
  if constexpr (!protection("table_end")) return slot > arguments.slots;
  return slot >= arguments.slots;
}

// Which of the per-page descales and exponents belong to a page:
// those of its place in the pool, not of its slot.
FMHA950_INLINE uint32_t scale_page(const Source& source) {
  if constexpr (!protection("scales_of_page")) return source.slot;
  return source.page_id;
}

// The row of the pool, counted over all of its pages, whose exponents belong to a row of the page.
FMHA950_INLINE uint64_t pool_row(const RelayoutArguments& arguments, const Source& source,
                                 uint32_t row_in_page) {
  return static_cast<uint64_t>(scale_page(source)) * arguments.page_size + row_in_page;
}

FMHA950_INLINE uint32_t* scratch_row(const RelayoutArguments& arguments, uint32_t head, uint32_t row) {
  const uint64_t rows = static_cast<uint64_t>(arguments.slots) << arguments.slot_shift;
  return static_cast<uint32_t*>(arguments.scratch) + (head * rows + row) * row_words;
}

// A descale as exact * rest. Kernel two can apply V's descale only to P, before it rounds P to bf16: that
// alone would round P = 1 of a dominating key, which is otherwise exact. But a product of an FP8 value and a
// number of four significant bits still fits bf16's eight. So one of these, 8/8 to 15/8, goes into the
// values, exactly: the one that leaves a rest next to a bf16 value.
struct SplitDescale {
  float exact, rest;
};

FMHA950_INLINE SplitDescale split(float descale) {
  SplitDescale best = {1, descale};
  int least = 1 << 16;
  for (int eighths = 8; eighths < 16; ++eighths) {
    const float rest = descale * (8.0f / static_cast<float>(eighths));
    const int distance = static_cast<int16_t>(bits_as<uint32_t>(rest)); // from the nearest bf16
    const int magnitude = distance < 0 ? -distance : distance;
    if (magnitude < least) {
      least = magnitude;
      best = {static_cast<float>(eighths) / 8, rest};
    }
  }
  return best;
}

// What is to be multiplied into the values of a page and head. `first` of its threads notes what is left.
// Only V is transposed, and V's descales are split.
template <class Stored, bool Transposing>
FMHA950_INLINE float apply_descale(const RelayoutArguments& arguments, const Source& source, bool first) {
  if (sizeof(Stored) == 2 || arguments.descale == nullptr) return 1; // only FP8 has descales
  const float descale = arguments.descale[static_cast<uint64_t>(scale_page(source)) * arguments.kv_heads +
                                          summand(source.head, "descale_of_head")];
  const SplitDescale parts =
      Transposing || (may_be_split && arguments.split_descale) ? split(descale) : SplitDescale{1, descale};
  if (first) arguments.slot_descale[source.head * arguments.slots + source.slot] = parts.rest;
  return parts.exact;
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

// With factors of at most four significant bits, for values 2 i and 2 i + 1. The products are exact unless
// they leave bf16's range.
template <class Factors> FMHA950_INLINE Widened<uint8_t> widen_times(Word4 piece, Factors factors) {
  Widened<uint8_t> result;
  for (int i = 0; i < 8; ++i)
    result[i] = bits_as<uint32_t>(round_pair<bf16>(fp8_pair(piece[i / 2] >> i % 2 * 16) * factors(i)));
  return result;
}

// Rows whose columns lie together by pieces: LINEAR K and V, VECTORIZED K. One piece per thread.
template <class Stored> FMHA950_INLINE void relayout_rows(const RelayoutArguments& arguments) {
  constexpr uint32_t pieces = row_columns / values_per_piece<Stored>; // of a row
  constexpr uint32_t working = relayout_threads / pieces * pieces;    // threads: a workgroup has whole rows
  if (working < relayout_threads && thread_id() >= working) return;
  const uint32_t index = workgroup_id_x() * working + thread_id();
  const uint32_t row = index / pieces, piece = index % pieces;
  const uint32_t slot = row >> arguments.slot_shift, row_in_slot = row & low_bits(arguments.slot_shift);
  if (past_the_table(arguments, slot)) return;
  const Source source = source_of(arguments, slot);
  const uint32_t row_in_page = source.first_row + row_in_slot;
  const float exact = apply_descale<Stored, false>(arguments, source, row_in_slot == 0 && piece == 0);
  const auto values = *reinterpret_cast<const Word4*>(
      source.page + static_cast<uint64_t>(row_in_page) * arguments.row_stride +
      piece * arguments.chunk_stride);
  auto* destination = reinterpret_cast<Widened<Stored>*>(scratch_row(arguments, source.head, row)) + piece;
  if constexpr (sizeof(Stored) == 2) {
    *destination = values;
  } else if (may_be_microscaled && arguments.exponent_axis == Exponents::per_32_rows) {
    const uint64_t block = pool_row(arguments, source, row_in_page) / 32;
    const uint8_t* exponents = arguments.exponents + (block * arguments.kv_heads + source.head) * head_dim;
    const Word4 own = reinterpret_cast<const Word4*>(exponents)[piece];
    *destination = widen_times(values, [&](int i) {
      const uint32_t two = own[i / 2] >> i % 2 * 16;
      return Float2{e8m0_value(two & 0xff), e8m0_value(two >> 8 & 0xff)};
    });
  } else if (may_be_split && arguments.split_descale) {
    *destination = widen_times(values, [&](int) { return Float2{exact, exact}; });
  } else {
    uint32_t exponent = 127; // 2^0
    if (may_be_microscaled && arguments.exponent_axis == Exponents::per_32_columns) {
      const uint64_t row_of_pool = pool_row(arguments, source, row_in_page);
      exponent = arguments.exponents[(row_of_pool * arguments.kv_heads + source.head) * 4 + piece / 2];
    }
    *destination = widen(values, e8m0_scale(exponent));
  }
}

#if FMHA950_RELAYOUT_COLUMNS == 128 // V never has more
// VECTORIZED V: 16 bytes are consecutive rows of one column. A wave takes a block of these rows, a lane two
// columns, so that every store of the wave is a whole row.
template <class Stored> FMHA950_INLINE void relayout_columns(const RelayoutArguments& arguments) {
  constexpr uint32_t rows = values_per_piece<Stored>; // of a block
  const uint32_t block = workgroup_id_x() * (relayout_threads / wave_lanes) + wave_id();
  const uint32_t row = block * rows;
  const uint32_t slot = row >> arguments.slot_shift, row_in_slot = row & low_bits(arguments.slot_shift);
  if (past_the_table(arguments, slot)) return;
  const Source source = source_of(arguments, slot);
  const uint32_t row_in_page = source.first_row + row_in_slot;
  const float exact = apply_descale<Stored, true>(arguments, source, row_in_slot == 0 && lane_id() == 0);
  const auto* columns = reinterpret_cast<const Word4*>(
      source.page + static_cast<uint64_t>(row_in_page / rows) * arguments.chunk_stride + lane_id() * 32);
  Widened<Stored> first, second;
  if constexpr (sizeof(Stored) == 2) {
    first = columns[0];
    second = columns[1];
  } else {
    uint32_t exponents = 0x7f7f; // 2^0 for both columns
    if (arguments.exponent_axis == Exponents::per_32_rows) {
      const uint64_t pool_block = pool_row(arguments, source, row_in_page) / 32;
      exponents = reinterpret_cast<const uint16_t*>(
          arguments.exponents + (pool_block * arguments.kv_heads + source.head) * head_dim)[lane_id()];
    }
    if (arguments.split_descale) {
      first = widen_times(columns[0], [&](int) { return Float2{exact, exact}; });
      second = widen_times(columns[1], [&](int) { return Float2{exact, exact}; });
    } else {
      first = widen(columns[0], e8m0_scale(exponents & 0xff));
      second = widen(columns[1], e8m0_scale(exponents >> 8));
    }
  }
  uint32_t* destination = scratch_row(arguments, source.head, row) + lane_id();
  for (uint32_t i = 0; i < rows; ++i) {
    const uint32_t shift = i % 2 * 16;
    destination[i * row_words] = (first[i / 2] >> shift & 0xffff) | second[i / 2] >> shift << 16;
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
#else // names of their own: a problem runs them beside those for V
FMHA950_KERNEL(relayout_threads, 4) void relayout_wide_rows_fp8(RelayoutArguments arguments) {
  relayout_rows<uint8_t>(arguments);
}
FMHA950_KERNEL(relayout_threads, 4) void relayout_wide_rows_16bit(RelayoutArguments arguments) {
  relayout_rows<uint16_t>(arguments);
}
#endif

} // namespace fmha950::prepass
