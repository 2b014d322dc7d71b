// GEMM kernels that calibrate the cycle model: C = A B^T with a tile of 256 x 256 per workgroup and K steps
// of 128 bytes, by element, edge of the matrix instruction and schedule. They follow the schedules of the
// published figures (data/calibration/gemm.csv, data/calibration/pingpong_vs_interleave.csv), so that the
// model can be judged by what was measured of them.

#include "calibration/interleaved.hpp"
#include "calibration/ping_pong.hpp"

namespace fmha950::calibration {

template <class Schedule> FMHA950_INLINE void gemm(const GemmArguments& arguments) {
  __shared__ char lds[LdsLayout::bytes] __attribute__((aligned(16)));
  TilePlace place =
      tile_place(workgroup_id_x(), arguments.m / tile_edge, arguments.n / tile_edge, arguments.order);
  // Divisions are made of vector instructions: the compiler has to be told that all lanes have the same.
  pin_scalar(place.row);
  pin_scalar(place.column);
  const uint64_t row = place.row * tile_edge, column = place.column * tile_edge;
  Schedule schedule(static_cast<const char*>(arguments.a) + row * arguments.row_bytes,
                    static_cast<const char*>(arguments.b) + column * arguments.row_bytes, arguments.row_bytes,
                    (LdsBytes)lds);
  schedule.run(arguments.row_bytes / step_bytes);
  schedule.store(static_cast<char*>(arguments.c) + (row * arguments.n + column) * 2, arguments.n * 2);
}

FMHA950_KERNEL(512, 2) void gemm_bf16_16_ping_pong(GemmArguments arguments) {
  gemm<PingPong<Bf16x16>>(arguments);
}
FMHA950_KERNEL(512, 2) void gemm_bf16_32_ping_pong(GemmArguments arguments) {
  gemm<PingPong<Bf16x32>>(arguments);
}
FMHA950_KERNEL(256, 1) void gemm_bf16_16_interleaved(GemmArguments arguments) {
  gemm<Interleaved<Bf16x16>>(arguments);
}
FMHA950_KERNEL(512, 2) void gemm_fp8_16_ping_pong(GemmArguments arguments) {
  gemm<PingPong<Fp8x16>>(arguments);
}
FMHA950_KERNEL(512, 2) void gemm_fp8_32_ping_pong(GemmArguments arguments) {
  gemm<PingPong<Fp8x32>>(arguments);
}
FMHA950_KERNEL(256, 1) void gemm_fp8_16_interleaved(GemmArguments arguments) {
  gemm<Interleaved<Fp8x16>>(arguments);
}

} // namespace fmha950::calibration
