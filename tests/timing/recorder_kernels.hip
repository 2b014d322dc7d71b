// A kernel whose workgroups take two ways, and keep values in scratch.
#include "gfx950/kernel.hpp"

extern "C" __global__ void two_ways(uint32_t* out) {
  using namespace fmha950::gfx950;
  volatile uint32_t local[32]; // indexed by values of run time: in scratch
  for (uint32_t i = 0; i < 32; ++i) local[i] = i + thread_id();
  const uint32_t workgroup = __builtin_amdgcn_workgroup_id_x();
  uint32_t value = local[thread_id() % 32];
  if (workgroup % 2 == 0)
    asm volatile("v_mul_lo_u32 %0, %0, 3" : "+v"(value));
  else
    asm volatile("v_add_u32 %0, 7, %0" : "+v"(value));
  out[workgroup * 64 + thread_id()] = value;
}
