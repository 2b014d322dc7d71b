// A request of LDS DMA for FMHA950_BYTES bytes per lane from FMHA950_SOURCE, which is an address or a buffer
// and an offset: what lds_dma_test.cpp compiles.
#include "gfx950/lds_dma.hpp"

using namespace fmha950::gfx950;

FMHA950_KERNEL(64, 1) void request([[maybe_unused]] const char* address, [[maybe_unused]] uint32_t bytes) {
  __shared__ uint32_t landing[256];
  load_to_lds<FMHA950_BYTES>(FMHA950_SOURCE, (LdsPointer)landing);
}
