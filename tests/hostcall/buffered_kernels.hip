// printf as clang makes it of -mprintf-kind=buffered. __printf_alloc is the device library's: this one is written from the
// layout of the buffer (two dwords, bytes in use and bytes there are, then the records).
#include "tests/hostcall/device_calls.hpp"

extern "C" {
__device__ int printf(const char*, ...);

__device__ __attribute__((used)) void* __printf_alloc(u32 bytes) {
  auto* const head = reinterpret_cast<u32*>(host::hidden(9)); // byte 72
  u32 used = __scoped_atomic_load_n(head, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  do
    if (used + bytes > head[1]) return nullptr;
  while (!__scoped_atomic_compare_exchange_n(head, &used, used + bytes, false, __ATOMIC_RELAXED,
                                             __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE));
  return reinterpret_cast<char*>(head) + 8 + used;
}

__global__ void prints_buffered(int* out, const char* format) {
  const int id = static_cast<int>(__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x());
  if (id % 16) return;
  out[id] = printf("item %d, %s, %.1f%%\n", id, id ? "not the first" : "the first", id * 0.25);
  out[id] += printf(format, id);
}
}
