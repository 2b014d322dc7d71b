// Loops of one kind of instruction: what the embedded device can do at best.
#define global __attribute__((global))

typedef __bf16 Bf16x8 __attribute__((ext_vector_type(8)));
typedef float Floatx4 __attribute__((ext_vector_type(4)));

constexpr int chains = 8; // independent accumulators; loops.cpp counts instructions by it

struct Arguments {
  float* sink; // one float per thread
  int iterations;
};

// Nothing but v_mfma_f32_16x16x32_bf16.
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

// A wave of ten instructions: what a workgroup costs beside what it does.
extern "C" global void bench_small_workgroup(Arguments) {
  const unsigned lane = __builtin_amdgcn_workitem_id_x();
  unsigned a = lane;
  asm volatile("v_add_u32 %0, %0, %0\n v_xor_b32 %0, %0, %1\n v_add_u32 %0, %0, %1\n v_xor_b32 %0, %0, %1\n"
               "v_add_u32 %0, %0, %1\n v_xor_b32 %0, %0, %1\n v_add_u32 %0, %0, %1\n v_xor_b32 %0, %0, %1\n"
               "v_add_u32 %0, %0, %1"
               : "+v"(a)
               : "v"(lane)); // and s_endpgm
}

// Plain VALU instructions, counted: eight kinds that attention kernels are made of, eight times each (loops.cpp counts by the
// 64 of one iteration). The values stay finite and normal, so that no host pays for denormals.
#define EIGHT                                                                                                \
  "v_fma_f32 %0, %0, %7, %8\n"                                                                               \
  "v_mul_f32 %1, %0, %7\n"                                                                                   \
  "v_add_f32 %2, %1, %8\n"                                                                                   \
  "v_max_f32 %3, %2, %1\n"                                                                                   \
  "v_add_u32 %4, %5, %4\n"                                                                                   \
  "v_xor_b32 %5, %4, %6\n"                                                                                   \
  "v_lshlrev_b32 %6, 1, %5\n"                                                                                \
  "v_and_b32 %6, %6, %4\n"

extern "C" global void bench_valu_loop(Arguments arguments) {
  const unsigned lane = __builtin_amdgcn_workitem_id_x();
  float a = 1.0f + (float)lane * 1e-3f, b = 0, c = 0, d = 0;
  const float decay = 0.999f, step = 1e-3f;
  unsigned e = lane, f = 3, g = 5;
  for (int n = 0; n < arguments.iterations; ++n)
    asm volatile(EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT EIGHT
                 : "+v"(a), "+v"(b), "+v"(c), "+v"(d), "+v"(e), "+v"(f), "+v"(g)
                 : "v"(decay), "v"(step));
  arguments.sink[__builtin_amdgcn_workgroup_id_x() * 64 + lane] = a + b + c + d + (float)(e ^ f ^ g);
}
