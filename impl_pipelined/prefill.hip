// FP8 prefill over a paged KV cache, after CK's V3 pipeline. A workgroup is eight waves of 32 query rows
// each; two waves share a SIMD, one of each group. A tile of 64 keys is four phases,
//   0  S^T(t) = K Q^T            beside the second half of P(t - 1)
//   1  V(t - 1) to registers,    K(t + 2) on its way to LDS; the maximum of S^T(t), and the reference
//   2  O^T += V^T P^T (t - 1)    beside the first half of P(t)
//   3  K(t + 1) to registers,    V(t + 1) on its way to LDS
// with a barrier after each, and the second group runs one phase behind the first: while one group computes,
// the other moves memory.
//
// S^T puts a query into a lane: row statistics need one exchange between the halves of the wave, and P,
// rounded to fp8, is the B operand of the second product as it stands. (D of S^T gives lane l the keys
// 8 (r / 4) + 4 (l / 32) + r % 4; V is read with that same order of keys.)
//
// K and V are double-buffered in LDS. Number the intervals between barriers so that the first group is in
// phase p of tile t in interval 4 t + p, the second group one later. K(t) is read in 4 t - 1 and 4 t; its
// buffer is free from 4 t + 1 on, where phase 1 starts K(t + 2). Every wave waits for its strip of K(t + 1)
// at the end of phase 1 of t, the second group in 4 t + 2, and the first group reads it in 4 t + 3. V(t) is
// read in 4 t + 5 and 4 t + 6, waited for at the end of phase 3 of t (4 t + 3 and 4 t + 4), and V(t + 2) is
// started in 4 t + 7. No barrier can be missed.
//
// The queue of a wave's vector memory operations, in issue order, is always
//   ... page(t + 2), K(t + 1), V(t), page(t + 3), K(t + 2), V(t + 1) ...
// Page ids are asked for before the tiles that follow them, so that the wait at the end of phase 3, for them
// and for V(t), keeps K(t + 2) and V(t + 1) in flight: every wait is a constant count of younger operations,
// and none drains the queue. (They must have arrived before the loop's back edge, where the compiler may move
// their register to another.) Tiles past the end are clamped, not skipped: the counts stay true to the end.

#include "impl_pipelined/direct_softmax.hpp"
#include "impl_pipelined/partial_rows.hpp"
#include "impl_pipelined/prefill_wave.hpp"

namespace fmha950::pipelined {

// Part of a tile's keys: normalised output in fp32 and LSE in base 2, for combine.hip.
template <class Wave>
FMHA950_INLINE void store_partial(const PrefillArguments& arguments, const attention::WorkItem& item,
                                  const attention::QueryRows& rows, const Wave& wave, float factor,
                                  float lse) {
  if (!rows.valid()) return;
  const uint32_t block = static_cast<uint32_t>(item.part);
  const uint32_t row = wave_id() * attention::rows_per_wave + lane_id() % 32, half = lane_id() / 32;
  // Item r of a block of columns b is column 32 b + 8 (r / 4) + 4 (l / 32) + r % 4.
  float* chunk = arguments.partial_output + PartialRows::output(block, row, half);
  for (const Float16& columns : wave.output())
    for (int quad = 0; quad < 4; ++quad, chunk += 2 * PartialRows::chunk_stride)
      *reinterpret_cast<Float4*>(chunk) =
          Float4{columns[4 * quad], columns[4 * quad + 1], columns[4 * quad + 2], columns[4 * quad + 3]} *
          factor;
  if (half == 0) arguments.partial_lse[PartialRows::lse(block, row)] = lse;
}

template <class Mfma, class Keys, bool PageDescales, bool SoftCap, class Softmax>
FMHA950_INLINE void prefill(const PrefillArguments& arguments) {
  __shared__ char lds[KvTile::lds_bytes] __attribute__((aligned(1024)));
  const attention::WorkItem item = arguments.work[workgroup_id_x()];
  const auto [first, end] =
      attention::rows_of_wave(item, static_cast<int>(arguments.heads_per_kv_head), wave_id());
  const attention::QueryRows rows(item, arguments.query_heads, arguments.heads_per_kv_head, first, end);
  const auto keys = attention::visible_keys(arguments.window, item, rows.query());
  PrefillWave<Mfma, Keys, PageDescales, SoftCap, Softmax> wave(arguments, item, keys, (LdsBytes)lds);
  // A request without keys and a part without tiles leave before any table or page is read.
  if (below(item.first_tile, item.end_tile, "empty_part")) wave.run(rows, item.first_tile, item.end_tile);

  // A query that saw no key has an output of 0 and an LSE of -inf.
  const bool nothing = protection("nothing_seen") && wave.saw_nothing() &&
                       (protection("masked_part") || arguments.partial_output == nullptr);
  const float sum = wave.denominator();
  const float factor = nothing ? 0 : wave.value_scale() * __builtin_amdgcn_rcpf(sum);
  const float lse = nothing ? negative_infinity : wave.lse(sum);
  if (arguments.partial_output != nullptr) return store_partial(arguments, item, rows, wave, factor, lse);
  rows.store<bf16>(arguments.output, wave.output(), factor);
  rows.store_lse(arguments.lse, natural_lse(lse));
}

// Soft caps take exponentials of their own: with them a P without any gains nothing.
#if FMHA950_PREFILL_DIRECT_P
using Softmax = DirectSoftmax;
#define FMHA950_PREFILL_CAPPED(NAME, KEYS)
#else
using Softmax = attention::LazySoftmax<fp8_shift>;
#define FMHA950_PREFILL_CAPPED(NAME, KEYS) FMHA950_PREFILL_KERNEL(NAME##_cap, KEYS, true)
#endif

#define FMHA950_PREFILL_KERNEL(NAME, KEYS, CAP)                                                              \
  FMHA950_KERNEL(prefill_threads, 2) void NAME(PrefillArguments arguments) {                                 \
    prefill<FMHA950_PREFILL_MFMA, KEYS, FMHA950_PREFILL_PAGE_DESCALES, CAP, Softmax>(arguments);             \
  }
#define FMHA950_PREFILL(NAME, KEYS)                                                                          \
  FMHA950_PREFILL_KERNEL(NAME, KEYS, false)                                                                  \
  FMHA950_PREFILL_CAPPED(NAME, KEYS)

FMHA950_PREFILL(prefill_rebased, PageRebased)
#if !FMHA950_PREFILL_PAGE_DESCALES // whose tiles have one page each
FMHA950_PREFILL(prefill_scattered, PageScattered<uint32_t>)
#endif
FMHA950_PREFILL(prefill_scattered_64, PageScattered<uint64_t>)
#if !FMHA950_PREFILL_PAGE_DESCALES
FMHA950_PREFILL(prefill_contiguous, Contiguous)
#endif

} // namespace fmha950::pipelined
