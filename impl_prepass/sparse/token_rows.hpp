#pragma once
// The keys of a token in the order of the loop: the rows of its prefix list, in the pool, and then those of
// its extend list, in the chunk. A wave looks up the rows that it stages, some tiles ahead, by one LDS DMA
// into its own list in LDS: so nothing of a look-up is in registers while it is under way, which the compiler
// might move.
//
// Positions past the end are the last row's: nothing is read of a list's padding, whose ids are out of range,
// nor of rows that no list names, which may hold NaN.

#include "gfx950/lds_dma.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"
#include "impl_prepass/sparse/kernel_arguments.hpp"

namespace fmha950::prepass::sparse {

using namespace gfx950;

// Rows: of a wave in each tile, at most as many as it has lanes.
template <int Rows> class TokenRows {
 public:
  static constexpr uint32_t list_bytes = wave_lanes * 4;

  FMHA950_INLINE TokenRows(const AttentionArguments& arguments, uint32_t token, LdsBytes list)
      : arguments_(arguments), list_(list) {
    const int32_t prefix_begin = arguments.prefix_indptr[token];
    const int32_t* extend_indptr =
        protection("extend_indptr") ? arguments.extend_indptr : arguments.prefix_indptr;
    const int32_t extend_begin = extend_indptr[token];
    prefix_length_ = arguments.prefix_indptr[token + 1] - prefix_begin;
    length_ = prefix_length_ + arguments.extend_indptr[token + 1] - arguments.extend_indptr[token];
    prefix_ = arguments.prefix_indices + prefix_begin;
    // So that both lists are indexed by position.
    extend_ = arguments.extend_indices + (extend_begin - static_cast<int64_t>(prefix_length_));
  }

  FMHA950_INLINE int length() const { return length_; }

  // Starts to look up the rows at `position` and following. Counts as one vector memory operation.
  FMHA950_INLINE void look_up(int position) {
    const int own = clamped(position + static_cast<int>(lane_id() % Rows));
    load_to_lds<4>((own < prefix_length_ ? prefix_ : extend_) + own, list_);
  }

  // Turns the rows that were looked up, for which the caller has waited, into places: scalars, because a DMA
  // instruction brings a whole row. 64 bits: pools may exceed 4 GiB.
  FMHA950_INLINE void resolve(int position) {
    uint32_t id;
    read_lds_word(id, lds_address(list_) + lane_id() * 4);
    if constexpr (protection("ids_read")) wait_lds<0>();
    pin(id);
    unrolled<Rows>([&](auto i) {
      const uint64_t row = static_cast<uint32_t>(__builtin_amdgcn_readlane(id, i));
      const bool in_pool = clamped(position + i) < prefix_length_ || !protection("chunk_rows");
      row_[i] = address_of(in_pool ? arguments_.pool : arguments_.chunk, row);
    });
  }

  FMHA950_INLINE const char* row(int i) const { return row_[i]; }

 private:
  FMHA950_INLINE int clamped(int position) const {
    const int last = length_ - (protection("position_clamp_exact") ? 1 : 0);
    return protection("position_clamp") ? minimum(position, last) : position;
  }

  static FMHA950_INLINE const char* address_of(const void* rows, uint64_t row) {
    const uint64_t offset =
        protection("row_offset_32_bits") ? row * row_bytes : static_cast<uint32_t>(row * row_bytes);
    if constexpr (protection("row_base_carry")) return static_cast<const char*>(rows) + offset;
    const auto base = reinterpret_cast<uint64_t>(rows);
    const uint32_t low = static_cast<uint32_t>(base) + static_cast<uint32_t>(offset);
    return reinterpret_cast<const char*>(((base >> 32) + (offset >> 32)) << 32 | low);
  }

  const AttentionArguments& arguments_;
  const int32_t *prefix_, *extend_;
  int prefix_length_, length_;
  LdsBytes list_;
  const char* row_[Rows];
};

} // namespace fmha950::prepass::sparse
