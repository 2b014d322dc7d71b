// Kernel two: flash attention over kernel one's 16-bit scratch, after HipKittens' forward recipe.
// A workgroup is eight waves of 32 queries each; two waves share a SIMD, one of each group.
// A tile of 64 keys is four phases,
//   0  K from LDS to registers          1  S^T = K Q^T
//   2  softmax, V from LDS to registers 3  O^T += V^T P^T
// with a barrier after each, and the second group runs one phase behind the first: while one group's waves
// keep the matrix units busy (phases 1 and 3), the other's use the vector units and LDS (phases 0 and 2).
// Phase 2 is the longest: up to the maximum it goes first where both groups want the vector unit (s_setprio), and P of
// all but a tile's first 16 keys (with page descales: 32) is left to phase 3, beside the products of those before.
//
// S^T puts a query into a lane: row statistics need one exchange between the halves of the wave, and P,
// rounded, is the B operand of the second product as it stands. (D of S^T gives lane l the keys
// 8 (r / 4) + 4 (l / 32) + r % 4; V is read with that same order of keys, see mfma.hpp.)
//
// K and V are double-buffered in LDS. With phases numbered p = 4 tile + phase, the first group is in
// p while the second is in p - 1. K(t) is read in phase 4t, by the second group one interval later,
// so its buffer is free from 4t + 2 on: K(t + 2) is issued at the end of that phase. Each wave waits for
// its part at the end of phase 2 of tile t + 1, the second group just before the first group reads it.
// V likewise, two phases later. Where K has 192 columns, half of it is read in phase 1, and its buffer is free from 4t + 3 on.
// No barrier can be missed: without any one of them a wave reads what another still writes, or the reverse.

#include "impl_prepass/attention_wave.hpp"

namespace fmha950::prepass {

FMHA950_INLINE attention::WorkItem work_item(const AttentionArguments& arguments) {
  attention::WorkItem item = arguments.work[workgroup_id_x()];
  if constexpr (!protection("last_page_length")) { // counts every page as full
    const int page_mask = static_cast<int>(low_bits(arguments.page_shift));
    item.key_length = (item.key_length + page_mask) & ~page_mask;
  }
  return item;
}

template <class Element, bool PageDescales, int KeyDim>
FMHA950_INLINE void attention(const AttentionArguments& arguments) {
  __shared__ char lds[LdsLayout<PageDescales, KeyDim>::bytes] __attribute__((aligned(16)));
  const attention::WorkItem item = work_item(arguments);
  AttentionWave<Element, PageDescales, KeyDim>(arguments, item, (LdsBytes)lds).run();
}

FMHA950_KERNEL(attention_threads, 2) void attention_forward(AttentionArguments arguments) {
  attention<FMHA950_ATTENTION_ELEMENT, FMHA950_ATTENTION_PAGE_DESCALES, FMHA950_ATTENTION_KEY_DIM>(arguments);
}

} // namespace fmha950::prepass
