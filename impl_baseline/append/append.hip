// append_prefill: a chunk of new tokens is appended to an fp8 cache, and its queries attend to the old
// tokens, dequantised, and to the chunk itself as it is. Nothing is read that the same launch writes.
//
// Attention is that of batch_prefill in 16 bits, with tiles that come through the registers: K and V are
// double-buffered in LDS. Per tile t every wave
//   multiplies S^T = K Q^T, writes its rows of K(t + 1) and loads those of V(t + 1), does the softmax and
//   multiplies O^T += V^T P^T, writes its rows of V(t + 1) and loads those of K(t + 2), and meets the others.
// At that barrier a tile becomes visible to all waves, and the one before it has been read by all.

#include "impl_baseline/append/append_wave.hpp"
#include "impl_baseline/append/chunk_appender.hpp"

namespace fmha950::baseline::append {

using Kernel = Variant<FMHA950_APPEND_ELEMENT, FMHA950_APPEND_HEAD_DIM, false, Descales::tensor>;

template <bool Append, bool Attend, bool Windowed = false, bool Rotary = false>
FMHA950_INLINE void run(const AppendArguments& arguments) {
  const attention::WorkItem item = arguments.attention.work[workgroup_id_x()];
  if constexpr (Append) append_chunk<Kernel::Element, Kernel::head_dim, Rotary>(arguments, item);
  if constexpr (Attend) {
    __shared__ char lds[LdsLayout<Kernel>::page_list(0)] __attribute__((aligned(1024))); // places are XORed
    AppendWave<Kernel, Windowed, Rotary>(arguments, item, (LdsBytes)lds).run();
  }
}

// Two workgroups share a CU.
FMHA950_KERNEL(threads, 2) void append_attention(AppendArguments arguments) { run<true, true>(arguments); }

FMHA950_KERNEL(threads, 2) void append_alone(AppendArguments arguments) { run<true, false>(arguments); }
FMHA950_KERNEL(threads, 2) void attention_alone(AppendArguments arguments) { run<false, true>(arguments); }

FMHA950_KERNEL(threads, 2) void append_attention_windowed(AppendArguments arguments) {
  run<true, true, true>(arguments);
}
FMHA950_KERNEL(threads, 2) void attention_alone_windowed(AppendArguments arguments) {
  run<false, true, true>(arguments);
}

// With a window or without.
FMHA950_KERNEL(threads, 2) void append_attention_rotary(AppendArguments arguments) {
  run<true, true, true, true>(arguments);
}
FMHA950_KERNEL(threads, 2) void append_alone_rotary(AppendArguments arguments) {
  run<true, false, true, true>(arguments);
}
FMHA950_KERNEL(threads, 2) void attention_alone_rotary(AppendArguments arguments) {
  run<false, true, true, true>(arguments);
}

} // namespace fmha950::baseline::append
