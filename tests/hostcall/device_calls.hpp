#pragma once
// The device's half of hostcall, written from the documented layout (docs/device.md): what ROCm's device library does.

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __constant_as__ __attribute__((address_space(4)))
using u32 = unsigned;
using u64 = unsigned long;

namespace host {

struct Header {
  u64 next, lanes;
  u32 service, control;
};
struct Signal {
  u64 kind, value;
  u64* mailbox;
  u32 event;
};
struct Buffer {
  Header* headers;
  u64 (*payloads)[64][8];
  Signal* doorbell;
  u64 free, ready, index_mask;
};

// A hidden argument by its place in words (machine_gfx950.md section 5.3).
__device__ inline u64 hidden(int word) {
  return ((const __constant_as__ u64*)__builtin_amdgcn_implicitarg_ptr())[word];
}
__device__ inline Buffer* buffer() { return reinterpret_cast<Buffer*>(hidden(10)); } // byte 80
__device__ inline u32 lane() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
__device__ inline u64 first(u64 value) {
  const auto low = static_cast<u32>(__builtin_amdgcn_readfirstlane(static_cast<u32>(value)));
  return static_cast<u64>(__builtin_amdgcn_readfirstlane(static_cast<u32>(value >> 32))) << 32 | low;
}

template <class T> __device__ inline T load(T* from, int order) {
  return __scoped_atomic_load_n(from, order, __MEMORY_SCOPE_SYSTEM);
}
__device__ inline bool replace(u64* at, u64& expected, u64 by, int order) {
  return __scoped_atomic_compare_exchange_n(at, &expected, by, false, order, __ATOMIC_RELAXED,
                                            __MEMORY_SCOPE_SYSTEM);
}

__device__ inline u64 pop(Buffer* b) {
  u64 top = load(&b->free, __ATOMIC_ACQUIRE);
  for (;;) {
    const u64 next = load(&b->headers[top & b->index_mask].next, __ATOMIC_RELAXED);
    if (replace(&b->free, top, next, __ATOMIC_ACQUIRE)) return top;
  }
}
__device__ inline void push(Buffer* b, u64* stack, u64 packet) {
  u64 top = load(stack, __ATOMIC_RELAXED);
  do b->headers[packet & b->index_mask].next = top;
  while (!replace(stack, top, packet, __ATOMIC_RELEASE));
}
__device__ inline void ring(Signal* signal) {
  __scoped_atomic_fetch_add(&signal->value, 1ul, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM);
  if (!signal->mailbox) return;
  __scoped_atomic_store_n(signal->mailbox, static_cast<u64>(signal->event), __ATOMIC_RELEASE,
                          __MEMORY_SCOPE_SYSTEM);
  __builtin_amdgcn_s_sendmsg(1, __builtin_amdgcn_readfirstlane(signal->event) & 0xFF);
}

// How a wave makes the host look: both ways are enough by themselves, none is a defect.
enum class Wakes { interrupt = 1, sleep = 2, both = 3, never = 0 };

template <Wakes wakes = Wakes::both>
__device__ inline u64 call(u32 service, u64 a = 0, u64 b = 0, u64 c = 0, u64 d = 0, u64 e = 0, u64 f = 0,
                           u64 g = 0, u64 h = 0) {
  Buffer* const shared = buffer();
  const u32 me = lane();
  const bool leads = me == static_cast<u32>(__builtin_amdgcn_readfirstlane(me));
  u64 packet = 0;
  if (leads) packet = pop(shared);
  packet = first(packet);
  const u64 index = packet & shared->index_mask;
  Header* const header = shared->headers + index;
  u64* const words = shared->payloads[index][me];
  const u64 active = __builtin_amdgcn_read_exec();
  if (leads) {
    header->service = service;
    header->lanes = active;
    header->control = 1;
  }
  const u64 request[8] = {a, b, c, d, e, f, g, h};
  for (int i = 0; i < 8; ++i) words[i] = request[i];
  if (leads) {
    push(shared, &shared->ready, packet);
    if (static_cast<int>(wakes) & 1) ring(shared->doorbell);
  }
  for (;;) {
    u32 waits = 1;
    if (leads) waits = load(&header->control, __ATOMIC_ACQUIRE) & 1;
    if (!__builtin_amdgcn_readfirstlane(waits)) break;
    if (static_cast<int>(wakes) & 2) __builtin_amdgcn_s_sleep(1);
  }
  const u64 answer = words[0];
  if (leads) push(shared, &shared->free, packet + shared->index_mask + 1);
  return answer;
}

// Printf: pieces of a message. `begin` 1, `end` 2, number of words from bit 5 on.
__device__ inline u64 begin_message(bool to_stderr) { return call(2, 1 | 1 << 5, to_stderr); }
template <int bytes> __device__ inline u64 append(u64 message, const char (&text)[bytes], bool last) {
  u64 words[(bytes + 7) / 8] = {};
  for (int i = 0; i < bytes; ++i)
    words[i / 8] |= static_cast<u64>(static_cast<unsigned char>(text[i])) << 8 * (i % 8);
  constexpr int count = (bytes + 7) / 8;
  for (int i = 0; i < count; i += 7) {
    const int piece = count - i < 7 ? count - i : 7;
    const auto word = [&](int k) { return i + k < count ? words[i + k] : 0; };
    const u64 end = last && i + 7 >= count ? 2 : 0;
    message = call(2, (message & ~u64{0xE2}) | piece << 5 | end, word(0), word(1), word(2), word(3), word(4),
                   word(5), word(6));
  }
  return message;
}
__device__ inline u64 append(u64 message, u32 count, u64 a, u64 b, bool last) {
  return call(2, (message & ~u64{0xE2}) | count << 5 | (last ? 2 : 0), a, b);
}

} // namespace host
