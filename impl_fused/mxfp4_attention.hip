// attention.hip with K and V in MXFP4: their elements, E2M1, are A operands beside Q and P in FP8, and their E8M0 scales go into
// the matrix instructions as they do there. Tiles in LDS take half the room, and rows half the copies.

#include "impl_fused/attention_wave.hpp"

namespace fmha950::fused {

FMHA950_KERNEL(threads, 2) void attention_mxfp4(AttentionArguments arguments) {
  attention<Scales::mx, Stored::e2m1>(arguments);
}

} // namespace fmha950::fused
