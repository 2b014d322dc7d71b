#pragma once
// What a kernel is made of, for the types and the head_dim that its code object is compiled for. FMHA950_BASELINE_ELEMENT:
// of K and V. FMHA950_BASELINE_OPERAND: of Q, and what K and V are widened to. FMHA950_BASELINE_VALUE_DIM: columns of V where
// they are fewer than those of Q and K.

#ifndef FMHA950_BASELINE_VALUE_DIM
#define FMHA950_BASELINE_VALUE_DIM FMHA950_BASELINE_HEAD_DIM
#endif
#include "impl_baseline/attention_wave.hpp"

namespace fmha950::baseline {

FMHA950_INLINE attention::WorkItem work_item(const AttentionArguments& arguments) {
  attention::WorkItem item = arguments.work[workgroup_id_x()];
  if constexpr (!protection("last_page_length")) { // counts every page as full
    const int page_mask = static_cast<int>(low_bits(arguments.page_shift));
    item.key_length = (item.key_length + page_mask) & ~page_mask;
  }
  return item;
}

template <bool Vectorized, Descales WhoseDescales, class Arguments>
FMHA950_INLINE void attention(const Arguments& arguments) {
  using Kernel = Variant<FMHA950_BASELINE_ELEMENT, FMHA950_BASELINE_HEAD_DIM, Vectorized, WhoseDescales,
                         FMHA950_BASELINE_OPERAND, Arguments, FMHA950_BASELINE_VALUE_DIM>;
  __shared__ char lds[LdsLayout<Kernel>::bytes] __attribute__((aligned(1024))); // places in a tile are XORed
  const attention::WorkItem item = work_item(arguments);
  AttentionWave<Kernel>(arguments, item, (LdsBytes)lds).run();
}

// Two workgroups share a CU up to 128 columns, and with short rows of K beyond: LDS holds the tiles of both.
constexpr int row_bytes = FMHA950_BASELINE_HEAD_DIM * element_bytes<FMHA950_BASELINE_ELEMENT>;
constexpr int waves_per_simd = FMHA950_BASELINE_HEAD_DIM <= 128 || row_bytes < 256 ? 2 : 1;

} // namespace fmha950::baseline
