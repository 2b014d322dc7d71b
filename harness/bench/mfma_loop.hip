// A loop of nothing but v_mfma_f32_16x16x32_bf16: what the embedded device's matrix path can do at best.
#define global __attribute__((global))

typedef __bf16 Bf16x8 __attribute__((ext_vector_type(8)));
typedef float Floatx4 __attribute__((ext_vector_type(4)));

constexpr int chains = 8; // independent accumulators; device_loops.cpp counts instructions by it

struct Arguments {
  float* sink; // one float per thread
  int iterations;
};

extern "C" global void bench_mfma_loop(Arguments arguments) {
  const unsigned lane = __builtin_amdgcn_workitem_id_x();
  Bf16x8 a, b;
  for (int i = 0; i < 8; ++i) {
    a[i] = (__bf16)(0.001f * (float)(lane + i));
    b[i] = (__bf16)(0.002f * (float)(lane ^ i));
  }
  Floatx4 sums[chains] = {};
  for (int n = 0; n < arguments.iterations; ++n)
#pragma unroll
    for (int c = 0; c < chains; ++c)
      sums[c] = __builtin_amdgcn_mfma_f32_16x16x32_bf16(a, b, sums[c], 0, 0, 0);
  Floatx4 total = sums[0];
  for (int c = 1; c < chains; ++c) total += sums[c];
  arguments.sink[__builtin_amdgcn_workgroup_id_x() * 64 + lane] = total[0] + total[1] + total[2] + total[3];
}
