#pragma once
// The rows of a token (attention/sparse/token_list.hpp) that a wave stages. It looks them up, some tiles
// ahead, by one LDS DMA into its own list in LDS: so nothing of a look-up is in registers while it is under
// way, which the compiler might move.

#include "attention/sparse/row_address.hpp"
#include "attention/sparse/token_list.hpp"
#include "gfx950/lds_dma.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"
#include "impl_prepass/sparse/kernel_arguments.hpp"

namespace fmha950::prepass::sparse {

using namespace gfx950;
using attention::sparse::row_address;
using attention::sparse::TokenList;

// Rows: how many a wave has in each tile; at most as many as it has lanes.
template <int Rows> class TokenRows {
 public:
  static constexpr uint32_t list_bytes = wave_lanes * 4;

  FMHA950_INLINE TokenRows(const AttentionArguments& arguments, uint32_t token, LdsBytes ids)
      : arguments_(arguments), list_(arguments, token), ids_(ids) {}

  FMHA950_INLINE int length() const { return list_.length(); }

  // Starts to look up the rows at `position` and following. Counts as one vector memory operation.
  FMHA950_INLINE void look_up(int position) {
    const int own = list_.clamped(position + static_cast<int>(lane_id() % Rows));
    load_to_lds<4>(list_.entry(own), ids_);
  }

  // Turns the rows that were looked up, for which the caller has waited, into places: scalars, because a DMA
  // instruction brings a whole row.
  FMHA950_INLINE void resolve(int position) {
    uint32_t id;
    read_lds_word(id, lds_address(ids_) + lane_id() * 4);
    wait_lds<0>("ids_read");
    pin(id);
    unrolled<Rows>([&](auto i) {
      const uint32_t row = __builtin_amdgcn_readlane(id, i);
      const bool in_pool = list_.in_pool(list_.clamped(position + i)) || !protection("chunk_rows");
      row_[i] =
          row_address(static_cast<const char*>(in_pool ? arguments_.pool : arguments_.chunk), row, row_bytes);
    });
  }

  FMHA950_INLINE const char* row(int i) const { return row_[i]; }

 private:
  const AttentionArguments& arguments_;
  TokenList list_;
  LdsBytes ids_; // of the rows, in the wave's list
  const char* row_[Rows];
};

} // namespace fmha950::prepass::sparse
