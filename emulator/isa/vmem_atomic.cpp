// Atomics on device memory: buffer, global and flat forms of one list.

#include "emulator/isa/atomics.hpp"
#include "emulator/isa/buffer_address.hpp"
#include "emulator/isa/families.hpp"
#include "emulator/isa/flat.hpp"

#include <type_traits>

namespace fmha950::isa::FMHA950_SIMD {
namespace {

template <class T> constexpr int registers_of = sizeof(T) / 4;

// sc0: the value before the operation is returned.
template <class T> FMHA950_SHARED void deliver_if_asked(Wave& wave, Access& access) {
  if (access.instruction->sc0) deliver_registers<registers_of<T>>(wave, access);
}

template <class T, int Operands>
FMHA950_SHARED void prepare(Wave& wave, Access& access, const Instruction& in) {
  check_addresses(wave, access, sizeof(T), true);
  for_each_lane(access.valid, [&](int l) { check_alignment<T>(access.address[l]); });
  if (sizeof(T) == 8 && access.swizzled)
    machine::raise_fault("a 64-bit atomic on scratch: its dwords are not neighbours");
  capture<Operands * registers_of<T>>(wave, access, in.vdata);
}

template <class T, class Op, int Operands = 1> void buffer_atomic(Wave& wave, const Instruction& in) {
  start<Queue::vm, memory_atomic<T, Op>, deliver_if_asked<T>>(wave, in, [&](Access& access) {
    buffer_addresses<sizeof(T), Clamp::whole>(wave, access, in);
    prepare<T, Operands>(wave, access, in);
  });
}
template <class T, class Op, int Operands = 1> void global_atomic(Wave& wave, const Instruction& in) {
  start<Queue::vm, memory_atomic<T, Op>, deliver_if_asked<T>>(wave, in, [&](Access& access) {
    global_addresses(wave, access, in);
    prepare<T, Operands>(wave, access, in);
  });
}
template <class T, class Op> FMHA950_SHARED void shared_atomic(Wave& wave, Access& access) {
  lds_atomic_at<T, Op>(wave, access, 0);
}
template <class T, class Op, int Operands = 1> void flat_atomic(Wave& wave, const Instruction& in) {
  const uint64_t in_lds = lanes_in_lds(wave, in);
  if (in_lds || owes_both(wave))
    start<Queue::ds, shared_atomic<T, Op>, deliver_if_asked<T>>(wave, in, [&](Access& access) {
      flat_lds_addresses(wave, access, in, in_lds);
      check_lds_alignment<T>(access, 0);
      capture<Operands * registers_of<T>>(wave, access, in.vdata);
    });
  start<Queue::vm, memory_atomic<T, Op>, deliver_if_asked<T>>(wave, in, [&](Access& access) {
    flat_addresses(wave, access, in, in_lds);
    prepare<T, Operands>(wave, access, in);
  });
}

template <class T, class Op, int Operands = 1> constexpr Row atomics(const char* mnemonic, Segment segment) {
  const Execute execute = segment == Segment::buffer   ? buffer_atomic<T, Op, Operands>
                          : segment == Segment::global ? global_atomic<T, Op, Operands>
                                                       : flat_atomic<T, Op, Operands>;
  return memory_row(mnemonic, execute, facts_of_atomic<T>(segment, Operands, std::is_same_v<Op, Swap>));
}

#define FMHA950_EVERY_FORM(name, ...)                                                                        \
  atomics<__VA_ARGS__>("buffer_atomic_" name, Segment::buffer),                                              \
      atomics<__VA_ARGS__>("global_atomic_" name, Segment::global),                                          \
      atomics<__VA_ARGS__>("flat_atomic_" name, Segment::flat)
#define FMHA950_BOTH_WIDTHS(name, ...)                                                                       \
  FMHA950_EVERY_FORM(name, uint32_t, __VA_ARGS__), FMHA950_EVERY_FORM(name "_x2", uint64_t, __VA_ARGS__)

constexpr Row table[] = {
    FMHA950_BOTH_WIDTHS("swap", Swap),
    FMHA950_BOTH_WIDTHS("cmpswap", CompareSwap, 2),
    FMHA950_BOTH_WIDTHS("add", Add),
    FMHA950_BOTH_WIDTHS("sub", Subtract),
    FMHA950_BOTH_WIDTHS("smin", MinSigned),
    FMHA950_BOTH_WIDTHS("umin", MinUnsigned),
    FMHA950_BOTH_WIDTHS("smax", MaxSigned),
    FMHA950_BOTH_WIDTHS("umax", MaxUnsigned),
    FMHA950_BOTH_WIDTHS("and", And),
    FMHA950_BOTH_WIDTHS("or", Or),
    FMHA950_BOTH_WIDTHS("xor", Xor),
    FMHA950_BOTH_WIDTHS("inc", Increment),
    FMHA950_BOTH_WIDTHS("dec", Decrement),
    FMHA950_EVERY_FORM("add_f32", uint32_t, AddF32),
    FMHA950_EVERY_FORM("pk_add_f16", uint32_t, AddPackedF16),
    FMHA950_EVERY_FORM("pk_add_bf16", uint32_t, AddPackedBf16),
    FMHA950_EVERY_FORM("add_f64", uint64_t, AddF64),
    FMHA950_EVERY_FORM("min_f64", uint64_t, MinF64),
    FMHA950_EVERY_FORM("max_f64", uint64_t, MaxF64),
};
} // namespace

const Rows rows_vmem_atomic = rows_of<table, all_memory>();

} // namespace fmha950::isa::FMHA950_SIMD
