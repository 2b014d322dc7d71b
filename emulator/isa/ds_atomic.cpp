// Atomics on LDS. One row per instruction, with and without return.

#include "emulator/isa/atomics.hpp"
#include "emulator/isa/families.hpp"
#include "emulator/isa/lds.hpp"

#include <type_traits>

namespace fmha950::isa::FMHA950_SIMD {
namespace {

template <class T> constexpr int registers_of = sizeof(T) / 4;
enum class Return : bool { no, yes };

template <class T, class Op> FMHA950_SHARED void atomic_effect(Wave& wave, Access& access) {
  lds_atomic_at<T, Op>(wave, access, static_cast<uint32_t>(access.instruction->offset));
}
template <class T, class Op, int Operands, Return returns> void atomic(Wave& wave, const Instruction& in) {
  constexpr auto deliver = returns == Return::yes ? deliver_registers<registers_of<T>> : deliver_nothing;
  start<Queue::ds, atomic_effect<T, Op>, deliver>(wave, in, [&](Access& access) {
    lds_addresses(wave, access, in);
    check_lds_alignment<T>(access, static_cast<uint32_t>(in.offset));
    capture<registers_of<T>>(wave, access, in.vdata);
    if constexpr (Operands == 2) capture<registers_of<T>>(wave, access, in.vdata1, registers_of<T>);
  });
}

// ds_wrxchg2: two exchanges, at two element offsets.
template <class T, int Stride> FMHA950_SHARED void exchange2_effect(Wave& wave, Access& access) {
  constexpr int n = registers_of<T>;
  const auto offset = static_cast<uint32_t>(access.instruction->offset);
  alignas(64) uint32_t written[2 * n][64];
  __builtin_memcpy(written, access.data, sizeof written);
  for (int which = 0; which < 2; ++which) {
    const uint32_t at = (offset >> (8 * which) & 0xFF) * sizeof(T) * Stride;
    lds_load<Dwords<n>>(wave, access, at, access.data + n * which);
    lds_store<Dwords<n>>(wave, access, at, written + n * which);
  }
}
template <class T, int Stride> void exchange2(Wave& wave, const Instruction& in) {
  constexpr int n = registers_of<T>;
  start<Queue::ds, exchange2_effect<T, Stride>, deliver_registers<2 * n>>(wave, in, [&](Access& access) {
    lds_addresses(wave, access, in);
    capture<n>(wave, access, in.vdata);
    capture<n>(wave, access, in.vdata1, n);
  });
}

// Each dword whose operand has bit 31 set is replaced by the operand's other bits.
struct ConditionalExchange {
  template <class T> FMHA950_INLINE static T apply(T old, T a, T, uint32_t) {
    T result = old;
    for (int half = 0; half < 64; half += 32) {
      const T mask = T{0xFFFFFFFF} << half;
      if (a >> (half + 31) & 1) result = (result & ~mask) | (a & (T{0x7FFFFFFF} << half));
    }
    return result;
  }
};

// ds_append and ds_consume: one counter at M0[15:0] + offset goes up or down by the number of active lanes;
// every lane receives its value before. (ISA guide 12.12; that M0 holds the address in its low half is what
// LLVM emits.)
template <int Sign> FMHA950_SHARED void count_effect(Wave& wave, Access& access) {
  const uint32_t address = access.lds_address[0];
  uint32_t old = 0;
  if (address + uint64_t{4} <= wave.workgroup->lds_bytes) {
    old = read_bytes<uint32_t>(wave.workgroup->lds + address);
    const auto lanes = static_cast<uint32_t>(__builtin_popcountll(access.lanes));
    write_bytes(wave.workgroup->lds + address, Sign > 0 ? old + lanes : old - lanes);
  }
  store_lanes(access.data[0], Lanes<uint32_t>{} + old);
}
template <int Sign> void count(Wave& wave, const Instruction& in) {
  start<Queue::ds, count_effect<Sign>, deliver_registers<1>>(wave, in, [&](Access& access) {
    access.lanes = wave.exec();
    access.lds_address[0] = (wave.sgpr[machine::code::m0] & 0xFFFF) + static_cast<uint32_t>(in.offset);
  });
}

template <class T, class Op, int Operands, Return returns> constexpr Row atomics(const char* mnemonic) {
  return memory_row(mnemonic, atomic<T, Op, Operands, returns>,
                    facts_of_atomic<T>(Segment::lds, Operands, std::is_same_v<Op, Swap>));
}
template <class T, int Stride> constexpr Row exchanges2(const char* mnemonic) {
  MemoryFacts facts = facts_of_atomic<T>(Segment::lds, 1, true);
  facts.elements = 2;
  facts.element_stride = sizeof(T) * Stride;
  return memory_row(mnemonic, exchange2<T, Stride>, facts);
}
template <int Sign> constexpr Row counts(const char* mnemonic) {
  MemoryFacts facts = facts_of_atomic<uint32_t>(Segment::lds_by_m0, 1, false);
  facts.once = true;
  return memory_row(mnemonic, count<Sign>, facts);
}

// NAME(name, type suffix, T, Op, operands): both the form without and the form with return.
#define FMHA950_BOTH(name, suffix, T, Op, operands)                                                          \
  atomics<T, Op, operands, Return::no>("ds_" name "_" suffix),                                               \
      atomics<T, Op, operands, Return::yes>("ds_" name "_rtn_" suffix)
#define FMHA950_BOTH_WIDTHS(name, letter, Op, operands)                                                      \
  FMHA950_BOTH(name, letter "32", uint32_t, Op, operands),                                                   \
      FMHA950_BOTH(name, letter "64", uint64_t, Op, operands)

constexpr Row table[] = {
    FMHA950_BOTH_WIDTHS("add", "u", Add, 1),
    FMHA950_BOTH_WIDTHS("sub", "u", Subtract, 1),
    FMHA950_BOTH_WIDTHS("rsub", "u", SubtractReversed, 1),
    FMHA950_BOTH_WIDTHS("inc", "u", Increment, 1),
    FMHA950_BOTH_WIDTHS("dec", "u", Decrement, 1),
    FMHA950_BOTH_WIDTHS("min", "i", MinSigned, 1),
    FMHA950_BOTH_WIDTHS("max", "i", MaxSigned, 1),
    FMHA950_BOTH_WIDTHS("min", "u", MinUnsigned, 1),
    FMHA950_BOTH_WIDTHS("max", "u", MaxUnsigned, 1),
    FMHA950_BOTH_WIDTHS("and", "b", And, 1),
    FMHA950_BOTH_WIDTHS("or", "b", Or, 1),
    FMHA950_BOTH_WIDTHS("xor", "b", Xor, 1),
    FMHA950_BOTH_WIDTHS("mskor", "b", MaskOr, 2),
    FMHA950_BOTH_WIDTHS("cmpst", "b", CompareStore, 2),
    FMHA950_BOTH("cmpst", "f32", uint32_t, CompareStoreF32, 2),
    FMHA950_BOTH("cmpst", "f64", uint64_t, CompareStoreF64, 2),
    FMHA950_BOTH("min", "f32", uint32_t, MinF32, 1),
    FMHA950_BOTH("max", "f32", uint32_t, MaxF32, 1),
    FMHA950_BOTH("min", "f64", uint64_t, MinF64, 1),
    FMHA950_BOTH("max", "f64", uint64_t, MaxF64, 1),
    FMHA950_BOTH("add", "f32", uint32_t, AddF32, 1),
    FMHA950_BOTH("add", "f64", uint64_t, AddF64, 1),
    FMHA950_BOTH("pk_add", "f16", uint32_t, AddPackedF16, 1),
    FMHA950_BOTH("pk_add", "bf16", uint32_t, AddPackedBf16, 1),
    atomics<uint32_t, Swap, 1, Return::yes>("ds_wrxchg_rtn_b32"),
    atomics<uint64_t, Swap, 1, Return::yes>("ds_wrxchg_rtn_b64"),
    exchanges2<uint32_t, 1>("ds_wrxchg2_rtn_b32"),
    exchanges2<uint64_t, 1>("ds_wrxchg2_rtn_b64"),
    exchanges2<uint32_t, 64>("ds_wrxchg2st64_rtn_b32"),
    exchanges2<uint64_t, 64>("ds_wrxchg2st64_rtn_b64"),
    atomics<uint32_t, Wrap, 2, Return::yes>("ds_wrap_rtn_b32"),
    atomics<uint64_t, ConditionalExchange, 1, Return::yes>("ds_condxchg32_rtn_b64"),
    counts<1>("ds_append"),
    counts<-1>("ds_consume"),
};
} // namespace

const Rows rows_ds_atomic = rows_of<table, all_memory>();

} // namespace fmha950::isa::FMHA950_SIMD
