// One request of LDS DMA by one wave, of each width and in both forms, and all of LDS afterwards.

#include "gfx950/lds_dma.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/waits.hpp"
#include "harness/instruction/kernel_arguments.hpp"

namespace fmha950::instruction {

using namespace gfx950;

template <class Request> FMHA950_INLINE void run(const LdsDmaArguments& arguments, Request request) {
  __shared__ uint32_t lds[lds_words];
  const uint32_t lane = lane_id();
  for (uint32_t i = lane; i < lds_words; i += wave_lanes) lds[i] = lds_before + i;
  wait_lds<0>();
  if (arguments.active >> lane & 1) request(arguments.offsets[lane], (LdsPointer)(lds + lds_guard));
  wait_vector_memory<0>("arrived");
  for (uint32_t i = lane; i < lds_words; i += wave_lanes) {
    uint32_t word;
    read_lds_word(word, lds_address((LdsPointer)lds) + 4 * i);
    wait_lds<0>();
    pin(word);
    arguments.lds[i] = word;
  }
}

// What a chain of sizes without a branch for this one does: nothing.
constexpr bool requested = protection("request");
// A row of 12 bytes asked for as if it were 16.
template <int BYTES> constexpr int width = BYTES == 12 && !protection("width") ? 16 : BYTES;

template <int BYTES> FMHA950_INLINE void from_buffer(const LdsDmaArguments& arguments) {
  const BufferResource source =
      raw_buffer(arguments.source, protection("num_records") ? arguments.bytes : 0xffffffff);
  run(arguments, [&](uint32_t offset, LdsPointer destination) {
    if constexpr (requested) load_to_lds<width<BYTES>>(source, offset, destination);
  });
}

template <int BYTES> FMHA950_INLINE void from_address(const LdsDmaArguments& arguments) {
  run(arguments, [&](uint32_t offset, LdsPointer destination) {
    if constexpr (requested) load_to_lds<width<BYTES>>(arguments.source + offset, destination);
  });
}

#define LDS_DMA_KERNELS(BYTES)                                                                               \
  FMHA950_KERNEL(64, 1) void lds_dma_buffer_##BYTES(LdsDmaArguments arguments) {                             \
    from_buffer<BYTES>(arguments);                                                                           \
  }                                                                                                          \
  FMHA950_KERNEL(64, 1) void lds_dma_global_##BYTES(LdsDmaArguments arguments) {                             \
    from_address<BYTES>(arguments);                                                                          \
  }
LDS_DMA_KERNELS(1)
LDS_DMA_KERNELS(2)
LDS_DMA_KERNELS(4)
LDS_DMA_KERNELS(12)
LDS_DMA_KERNELS(16)

} // namespace fmha950::instruction
