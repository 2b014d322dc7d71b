#pragma once
// What all memory instructions share: the shapes in which bytes become registers, the moves between 64 lanes
// of memory and 64 lanes of registers, and the two moments of an operation (machine/memory_queue.hpp).

#include "emulator/isa/vector.hpp"
#include "emulator/machine/listener.hpp"
#include "emulator/machine/workgroup.hpp"

namespace fmha950::isa::FMHA950_SIMD {

using machine::Access;
using machine::OldValues;
using machine::Queue;
using machine::Wave;

constexpr uint64_t all_lanes = ~uint64_t{0};
// One copy per compilation for many rows. It may not be inlined: the copy belongs to this vector width's
// namespace, and repeating it in every row would cost more in build time than a call costs.
#define FMHA950_SHARED [[gnu::noinline]]

using Dword64 = uint32_t[64]; // one register, lane by lane

template <class T> FMHA950_INLINE T read_bytes(const uint8_t* from) {
  T value;
  __builtin_memcpy(&value, from, sizeof value);
  return value;
}
template <class T> FMHA950_INLINE void write_bytes(uint8_t* to, T value) {
  __builtin_memcpy(to, &value, sizeof value);
}
template <class Body> FMHA950_INLINE void for_each_lane(uint64_t lanes, Body body) {
  for (; lanes; lanes &= lanes - 1) body(__builtin_ctzll(lanes));
}

// --- shapes ---

// 4*N bytes of memory are N registers.
template <int N> struct Dwords {
  static constexpr int bytes = 4 * N, registers = N;
  static constexpr bool is_signed = false, half = false, high_half = false;
};
// A T of memory is one register: extended to 32 bits, or (d16) to 16 bits in the half at bit `Shift`. The
// other half of a d16 load becomes zero: gfx90a and later do not keep it (LLVM review D112635), and the ISA guide has it
// cleared (9.1.6).
template <class T, int Shift = 0, bool D16 = false> struct Part {
  static constexpr int bytes = sizeof(T), registers = 1;
  static constexpr bool is_signed = static_cast<T>(-1) < 0, high_half = Shift == 16, half = D16 || high_half;
  FMHA950_INLINE static uint32_t extend(T value) {
    const auto wide = static_cast<uint32_t>(static_cast<int32_t>(value));
    return D16 ? (wide & 0xFFFF) << Shift : wide;
  }
  FMHA950_INLINE static T narrow(uint32_t value) { return static_cast<T>(value >> Shift); }
};

// --- moves: at(l) is the host address of lane l, registers are lane-contiguous ---

using U32x4 = uint32_t __attribute__((ext_vector_type(4)));
using U32x16 = uint32_t __attribute__((ext_vector_type(16)));
using U64x8 = uint64_t __attribute__((ext_vector_type(8)));

// Row j holds lanes {j, 4+j, 8+j, 12+j} of sixteen, four dwords each; it becomes dword j of lanes 0..15.
// The operation is its own inverse.
FMHA950_INLINE void transpose(U32x16 (&row)[4]) {
#define FMHA950_LOW_PAIRS(a, b)                                                                              \
  __builtin_shufflevector(a, b, 0, 16, 1, 17, 4, 20, 5, 21, 8, 24, 9, 25, 12, 28, 13, 29)
#define FMHA950_HIGH_PAIRS(a, b)                                                                             \
  __builtin_shufflevector(a, b, 2, 18, 3, 19, 6, 22, 7, 23, 10, 26, 11, 27, 14, 30, 15, 31)
#define FMHA950_LOW_HALVES(a, b)                                                                             \
  __builtin_shufflevector(a, b, 0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29)
#define FMHA950_HIGH_HALVES(a, b)                                                                            \
  __builtin_shufflevector(a, b, 2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31)
  const U32x16 low01 = FMHA950_LOW_PAIRS(row[0], row[1]), low23 = FMHA950_LOW_PAIRS(row[2], row[3]);
  const U32x16 high01 = FMHA950_HIGH_PAIRS(row[0], row[1]), high23 = FMHA950_HIGH_PAIRS(row[2], row[3]);
  row[0] = FMHA950_LOW_HALVES(low01, low23);
  row[1] = FMHA950_HIGH_HALVES(low01, low23);
  row[2] = FMHA950_LOW_HALVES(high01, high23);
  row[3] = FMHA950_HIGH_HALVES(high01, high23);
#undef FMHA950_LOW_PAIRS
#undef FMHA950_HIGH_PAIRS
#undef FMHA950_LOW_HALVES
#undef FMHA950_HIGH_HALVES
}

template <class At> FMHA950_INLINE U32x16 load_quads(At at, int l) { // lanes l, l+4, l+8, l+12
  const auto a = read_bytes<U32x4>(at(l)), b = read_bytes<U32x4>(at(l + 4));
  const auto c = read_bytes<U32x4>(at(l + 8)), d = read_bytes<U32x4>(at(l + 12));
  return __builtin_shufflevector(__builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7),
                                 __builtin_shufflevector(c, d, 0, 1, 2, 3, 4, 5, 6, 7), 0, 1, 2, 3, 4, 5, 6,
                                 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
template <class At> FMHA950_INLINE void store_quads(At at, int l, U32x16 row) {
  write_bytes(at(l), __builtin_shufflevector(row, row, 0, 1, 2, 3));
  write_bytes(at(l + 4), __builtin_shufflevector(row, row, 4, 5, 6, 7));
  write_bytes(at(l + 8), __builtin_shufflevector(row, row, 8, 9, 10, 11));
  write_bytes(at(l + 12), __builtin_shufflevector(row, row, 12, 13, 14, 15));
}
template <class At> FMHA950_INLINE U64x8 load_pairs(At at, int l) { // lanes l .. l+7
  return U64x8{read_bytes<uint64_t>(at(l)),     read_bytes<uint64_t>(at(l + 1)),
               read_bytes<uint64_t>(at(l + 2)), read_bytes<uint64_t>(at(l + 3)),
               read_bytes<uint64_t>(at(l + 4)), read_bytes<uint64_t>(at(l + 5)),
               read_bytes<uint64_t>(at(l + 6)), read_bytes<uint64_t>(at(l + 7))};
}

// One lane between memory and its registers.
template <class Shape> struct Lane {
  using Value = decltype(Shape::narrow(0));
  FMHA950_INLINE static void load(Dword64* to, int l, const uint8_t* from) {
    to[0][l] = Shape::extend(read_bytes<Value>(from));
  }
  FMHA950_INLINE static void store(const Dword64* from, int l, uint8_t* to) {
    write_bytes(to, Shape::narrow(from[0][l]));
  }
};
template <int N> struct Lane<Dwords<N>> {
  FMHA950_INLINE static void load(Dword64* to, int l, const uint8_t* from) {
    for (int d = 0; d < N; ++d) to[d][l] = read_bytes<uint32_t>(from + 4 * d);
  }
  FMHA950_INLINE static void store(const Dword64* from, int l, uint8_t* to) {
    for (int d = 0; d < N; ++d) write_bytes(to + 4 * d, from[d][l]);
  }
};

// Memory -> registers, every lane.
template <class Shape, class At> FMHA950_INLINE void gather(Dword64* to, At at) {
  if constexpr (Shape::bytes == 16) {
    for (int l = 0; l < 64; l += 16) {
      U32x16 rows[4] = {load_quads(at, l), load_quads(at, l + 1), load_quads(at, l + 2),
                        load_quads(at, l + 3)};
      transpose(rows);
      for (int d = 0; d < 4; ++d) __builtin_memcpy(to[d] + l, &rows[d], sizeof rows[d]);
    }
  } else if constexpr (Shape::bytes == 8) {
    for (int l = 0; l < 64; l += 16) {
      const auto a = __builtin_bit_cast(U32x16, load_pairs(at, l));
      const auto b = __builtin_bit_cast(U32x16, load_pairs(at, l + 8));
      const U32x16 low =
          __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
      const U32x16 high =
          __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
      __builtin_memcpy(to[0] + l, &low, sizeof low);
      __builtin_memcpy(to[1] + l, &high, sizeof high);
    }
  } else {
    for (int l = 0; l < 64; ++l) Lane<Shape>::load(to, l, at(l));
  }
}

// Registers -> memory for `lanes`. Which of two lanes that write the same byte wins is not documented.
template <class Shape, class At> FMHA950_INLINE void scatter(const Dword64* from, At at, uint64_t lanes) {
  if (lanes != all_lanes) {
    for_each_lane(lanes, [&](int l) __attribute__((always_inline)) { Lane<Shape>::store(from, l, at(l)); });
  } else if constexpr (Shape::bytes == 16) {
    for (int l = 0; l < 64; l += 16) {
      U32x16 rows[4];
      for (int d = 0; d < 4; ++d) __builtin_memcpy(&rows[d], from[d] + l, sizeof rows[d]);
      transpose(rows);
      for (int d = 0; d < 4; ++d) store_quads(at, l + d, rows[d]);
    }
  } else if constexpr (Shape::bytes == 8) {
    for (int l = 0; l < 64; l += 8) {
      using U32x8 = uint32_t __attribute__((ext_vector_type(8)));
      U32x8 low, high;
      __builtin_memcpy(&low, from[0] + l, sizeof low);
      __builtin_memcpy(&high, from[1] + l, sizeof high);
      const auto pairs = __builtin_bit_cast(
          U64x8, __builtin_shufflevector(low, high, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
      for (int i = 0; i < 8; ++i) write_bytes<uint64_t>(at(l + i), pairs[i]);
    }
  } else {
    for (int l = 0; l < 64; ++l) Lane<Shape>::store(from, l, at(l));
  }
}

// --- the two moments ---

// Fill prepares the access at issue (lanes, addresses, store data);
// Effect and Deliver are void(Wave&, Access&).
template <Queue queue, auto Effect, auto Deliver, int Count = 1, class Fill>
FMHA950_INLINE void start(Wave& wave, const Instruction& in, Fill fill) {
  const bool eager = wave.memory.eager();
  Access done_here;
  Access& access = eager ? done_here : wave.memory.allocate();
  access.instruction = &in;
  fill(access);
  if (wave.listener) [[unlikely]]
    wave.listener->issued(wave, access, queue);
  if (eager) {
    Effect(wave, access);
    Deliver(wave, access);
    return;
  }
  access.effect = Effect;
  access.deliver = Deliver;
  wave.memory.issue(wave, access, queue, Count);
}

FMHA950_INLINE void deliver_nothing(Wave&, Access&) {}

template <int Registers> FMHA950_SHARED void deliver_registers(Wave& wave, Access& access) {
  for (int d = 0; d < Registers; ++d) {
    uint32_t* to = wave.lanes(access.instruction->dst + d);
    store_lanes(to, blend(load_lanes<uint32_t>(to), load_lanes<uint32_t>(access.data[d]), access.lanes));
  }
}
template <int Registers> FMHA950_INLINE void capture(Wave& wave, Access& access, int vgpr, int at = 0) {
  for (int d = 0; d < Registers; ++d)
    store_lanes(access.data[at + d], load_lanes<uint32_t>(wave.lanes(vgpr + d)));
}

} // namespace fmha950::isa::FMHA950_SIMD
