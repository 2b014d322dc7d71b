// Kernels that call the host, and their faulty twins.
#include "tests/hostcall/device_calls.hpp"

namespace {

__device__ u32 item() { return __builtin_amdgcn_workitem_id_x(); }
__device__ u32 group() { return __builtin_amdgcn_workgroup_id_x(); }

} // namespace

extern "C" {

// Each third lane of each wave prints a line; out: what printf returned.
__global__ void prints(long* out) {
  const u32 id = group() * 128 + item();
  if (id % 3) return;
  u64 message = host::begin_message(false);
  message = host::append(message, "item %3d of %s has %5.2f\n", false);
  message = host::append(message, 1, id, 0, false);
  message = host::append(message, "a string of some length, in two pieces and a bit more", false);
  out[id] = host::append(message, 1, __builtin_bit_cast(u64, id * 0.5), 0, true);
}

__global__ void prints_malformed(long* out) {
  const u64 message = host::append(host::begin_message(false), "%d and %n\n", false);
  out[item()] = host::append(message, 2, 5, 6, true);
}

// Three ways to make the host look.
__global__ void asks_by_interrupt(u64* out) {
  out[item()] = host::call<host::Wakes::interrupt>(3, 0, 4096) % 4096;
}
__global__ void asks_by_sleep(u64* out) { out[item()] = host::call<host::Wakes::sleep>(3, 0, 4096) % 4096; }
__global__ void asks_nobody(u64* out) { out[item()] = host::call<host::Wakes::never>(3, 0, 4096) % 4096; }

__global__ void asks_unknown_service(u64* out) { out[item()] = host::call(9, 1); }
__global__ void appends_to_nothing(u64* out) { out[item()] = host::append(u64{77} << 8, 1, 1, 0, true); }

__global__ void asserts(u32 group_that_fails, u32 item_that_fails) {
  if (group() != group_that_fails || item() != item_that_fails) return;
  u64 message = host::begin_message(true);
  message = host::append(message, "%s:%u: Device-side assertion `%s' failed.\n", false);
  message = host::append(message, "kernels.hip", false);
  message = host::append(message, 1, __LINE__, 0, false);
  host::append(message, "item() != item_that_fails", true);
  __builtin_trap();
}
__global__ void aborts() { __builtin_trap(); }

// Allocates, fills, sums and frees; 0 in out where there was no memory.
__global__ void allocates(u64* out, u64 bytes) {
  const u32 id = group() * 64 + item();
  auto* const memory = reinterpret_cast<u32*>(host::call(3, 0, bytes));
  out[id] = 0;
  if (!memory) return;
  for (u64 i = 0; i < bytes / 4; ++i) memory[i] = id + 1;
  u64 sum = 0;
  for (u64 i = 0; i < bytes / 4; ++i) sum += memory[i];
  out[id] = sum;
  host::call(3, reinterpret_cast<u64>(memory));
}
// Keeps what it allocates, or frees what it is given.
__global__ void keeps(u64* out, u64 bytes) {
  if (item() == 0) *out = host::call(3, 0, bytes);
}
__global__ void frees(u64 address) {
  if (item() == 0) host::call(3, address);
}
__global__ void reads_unwritten(u32* out) {
  if (item() != 0) return;
  const auto* const memory = reinterpret_cast<u32*>(host::call(3, 0, 64));
  if (memory[3] == 1) *out = 1;
}

__global__ void calls_function(u64 function, u64* out) {
  if (item() == 0) *out = host::call(1, function, 20, 22);
}
}
