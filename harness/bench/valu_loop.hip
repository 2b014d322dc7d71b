// A loop of plain VALU instructions, counted: eight kinds that attention kernels are made of, eight times
// each. The values stay finite and normal, so that no host pays for denormals.
#define global __attribute__((global))

struct Arguments {
  float* sink; // one float per thread
  int iterations;
};

// Eight instructions; device_loops.cpp counts by the 64 of one iteration.
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
