// Scalar memory (machine_gfx950.md sections 1.1 and 4.3). Two address bits are ignored; two or more dwords
// and the clocks count twice on lgkmcnt. An Access's `lanes` are the dwords that take part here.

#include "emulator/isa/atomics.hpp"
#include "emulator/isa/families.hpp"

#include <type_traits>

namespace fmha950::isa::FMHA950_SIMD {
namespace {

constexpr uint64_t dword_aligned = ~uint64_t{3};

uint64_t offset_of(const Wave& wave, const Instruction& in) {
  uint64_t offset = static_cast<uint64_t>(static_cast<int64_t>(in.offset));
  if (in.src[0].kind == Source::Kind::sgpr) offset += wave.sgpr[in.src[0].index];
  if (in.src[0].kind == Source::Kind::constant) offset += in.src[0].value;
  return offset;
}
constexpr uint64_t dwords(int n) { return (uint64_t{1} << n) - 1; }

struct Pointer { // a 64-bit base
  static constexpr Segment segment = Segment::global;
  template <int N> static void locate(Wave& wave, Access& access, const Instruction& in) {
    access.lanes = dwords(N);
    access.address[0] = (wave.sgpr64(in.saddr) + offset_of(wave, in)) & dword_aligned;
  }
};
// Scalar scratch: an SGPR offset counts 64 bytes (recalled from the Vega ISA guide, section 8.2.1).
struct ScratchPointer {
  static constexpr Segment segment = Segment::scratch;
  template <int N> static void locate(Wave& wave, Access& access, const Instruction& in) {
    access.lanes = dwords(N);
    const uint64_t immediate = static_cast<uint64_t>(static_cast<int64_t>(in.offset));
    access.address[0] =
        (wave.sgpr64(in.saddr) + immediate + 64 * (offset_of(wave, in) - immediate)) & dword_aligned;
  }
};
struct Buffer { // a resource descriptor; dwords out of its range are not loaded
  static constexpr Segment segment = Segment::buffer;
  template <int N> static void locate(Wave& wave, Access& access, const Instruction& in) {
    const uint32_t* word = wave.sgpr + in.saddr;
    const uint64_t base = word[0] | static_cast<uint64_t>(word[1] & 0xFFFF) << 32;
    const uint64_t stride = word[1] >> 16 & 0x3FFF;
    const uint64_t bytes = (stride ? stride : 1) * word[2];
    const uint64_t offset = offset_of(wave, in) & dword_aligned;
    access.lanes = 0;
    for (int d = 0; d < N; ++d)
      if (offset + 4 * (d + 1) <= bytes) access.lanes |= uint64_t{1} << d;
    access.address[0] = (base & dword_aligned) + offset;
  }
};

void check(Wave& wave, const Access& access, bool write) {
  if (access.lanes)
    wave.workgroup->check.require(access.address[0], 4 * __builtin_popcountll(access.lanes), write);
}
void load_effect(Wave&, Access& access) {
  __builtin_memcpy(access.data, reinterpret_cast<const void*>(access.address[0]),
                   4 * __builtin_popcountll(access.lanes));
}
void store_effect(Wave&, Access& access) {
  __builtin_memcpy(reinterpret_cast<void*>(access.address[0]), access.data,
                   4 * __builtin_popcountll(access.lanes));
}
void deliver_sgprs(Wave& wave, Access& access) {
  for_each_lane(access.lanes, [&](int d) { wave.sgpr[access.instruction->dst + d] = access.data[0][d]; });
}

template <class Base, int N> void load(Wave& wave, const Instruction& in) {
  start<Queue::smem, load_effect, deliver_sgprs, N == 1 ? 1 : 2>(wave, in, [&](Access& access) {
    Base::template locate<N>(wave, access, in);
    check(wave, access, false);
  });
}
template <class Base, int N> void store(Wave& wave, const Instruction& in) {
  start<Queue::smem, store_effect, deliver_nothing, N == 1 ? 1 : 2>(wave, in, [&](Access& access) {
    Base::template locate<N>(wave, access, in);
    check(wave, access, true);
    __builtin_memcpy(access.data, wave.sgpr + in.dst, 4 * N);
  });
}

// Atomics are those of one lane; out of a buffer's range they do nothing and return 0.
template <class T> void deliver_if_asked(Wave& wave, Access& access) {
  const bool glc = access.instruction->words[0] >> 16 & 1;
  for (size_t d = 0; glc && d < sizeof(T) / 4; ++d)
    wave.sgpr[access.instruction->dst + d] = access.data[d][0];
}
template <class Base, class T, class Op, int Operands = 1> void atomic(Wave& wave, const Instruction& in) {
  constexpr int registers = sizeof(T) / 4;
  start<Queue::smem, memory_atomic<T, Op>, deliver_if_asked<T>, registers>(wave, in, [&](Access& access) {
    Base::template locate<registers>(wave, access, in);
    const bool in_range = access.lanes == dwords(registers);
    access.lanes = 1;
    access.valid = in_range;
    if (in_range) {
      check_alignment<T>(access.address[0]);
      wave.workgroup->check.require(access.address[0], sizeof(T), true);
    }
    for (int d = 0; d < Operands * registers; ++d) access.data[d][0] = wave.sgpr[in.dst + d];
  });
}

// Under `timed` the cycle model's clock. Else clocks advance with the wave's own instructions, so that runs are
// reproducible: 4 core clocks each. 2.4 GHz / 100 MHz = 24 core clocks per tick of the real-time clock (sections 6.1,
// 6.2 and 1.2).
template <uint64_t ClocksPerTick> void clock_effect(Wave& wave, Access& access) {
  const machine::WorkgroupPacer* pacer = wave.workgroup->pacer;
  const uint64_t ticks = (pacer ? pacer->clock() : 4 * wave.executed) / ClocksPerTick;
  __builtin_memcpy(access.data, &ticks, sizeof ticks);
}
template <uint64_t ClocksPerTick> void read_clock(Wave& wave, const Instruction& in) {
  start<Queue::smem, clock_effect<ClocksPerTick>, deliver_sgprs, 2>(
      wave, in, [&](Access& access) { access.lanes = dwords(2); });
}

// Memory is coherent under `eager`. Else loads may find what caches still hold (machine/old_values.hpp).
void cache_control(Wave&, const Instruction&) {}
void invalidate(Wave& wave, const Instruction&) {
  if (OldValues* const old_values = wave.workgroup->old_values)
    old_values->invalidate_scalar(*wave.workgroup);
}

template <class Base, int N> constexpr Row loads(const char* mnemonic) {
  return memory_row(mnemonic, load<Base, N>, facts_of<Dwords<N>>(MemoryKind::load, Base::segment));
}
template <class Base, int N> constexpr Row stores(const char* mnemonic) {
  return memory_row(mnemonic, store<Base, N>, facts_of<Dwords<N>>(MemoryKind::store, Base::segment));
}
template <class Base, class T, class Op, int Operands = 1> constexpr Row atomics(const char* mnemonic) {
  return memory_row(mnemonic, atomic<Base, T, Op, Operands>,
                    facts_of_atomic<T>(Base::segment, Operands, std::is_same_v<Op, Swap>));
}
constexpr Row cache_row(const char* mnemonic) {
  return memory_row(mnemonic, cache_control, {.kind = MemoryKind::no_data});
}
constexpr Row invalidates(const char* mnemonic) {
  return memory_row(mnemonic, invalidate,
                    {.kind = MemoryKind::no_data, .cache = CacheControl::invalidate_scalar});
}

#define FMHA950_ATOMIC(name, ...)                                                                            \
  atomics<Pointer, uint32_t, __VA_ARGS__>("s_atomic_" name),                                                 \
      atomics<Pointer, uint64_t, __VA_ARGS__>("s_atomic_" name "_x2"),                                       \
      atomics<Buffer, uint32_t, __VA_ARGS__>("s_buffer_atomic_" name),                                       \
      atomics<Buffer, uint64_t, __VA_ARGS__>("s_buffer_atomic_" name "_x2")

constexpr Row table[] = {
    loads<Pointer, 1>("s_load_dword"),
    loads<Pointer, 2>("s_load_dwordx2"),
    loads<Pointer, 4>("s_load_dwordx4"),
    loads<Pointer, 8>("s_load_dwordx8"),
    loads<Pointer, 16>("s_load_dwordx16"),
    loads<Buffer, 1>("s_buffer_load_dword"),
    loads<Buffer, 2>("s_buffer_load_dwordx2"),
    loads<Buffer, 4>("s_buffer_load_dwordx4"),
    loads<Buffer, 8>("s_buffer_load_dwordx8"),
    loads<Buffer, 16>("s_buffer_load_dwordx16"),
    stores<Pointer, 1>("s_store_dword"),
    stores<Pointer, 2>("s_store_dwordx2"),
    stores<Pointer, 4>("s_store_dwordx4"),
    stores<Buffer, 1>("s_buffer_store_dword"),
    stores<Buffer, 2>("s_buffer_store_dwordx2"),
    stores<Buffer, 4>("s_buffer_store_dwordx4"),
    loads<ScratchPointer, 1>("s_scratch_load_dword"),
    loads<ScratchPointer, 2>("s_scratch_load_dwordx2"),
    loads<ScratchPointer, 4>("s_scratch_load_dwordx4"),
    stores<ScratchPointer, 1>("s_scratch_store_dword"),
    stores<ScratchPointer, 2>("s_scratch_store_dwordx2"),
    stores<ScratchPointer, 4>("s_scratch_store_dwordx4"),
    FMHA950_ATOMIC("swap", Swap),
    FMHA950_ATOMIC("cmpswap", CompareSwap, 2),
    FMHA950_ATOMIC("add", Add),
    FMHA950_ATOMIC("sub", Subtract),
    FMHA950_ATOMIC("smin", MinSigned),
    FMHA950_ATOMIC("umin", MinUnsigned),
    FMHA950_ATOMIC("smax", MaxSigned),
    FMHA950_ATOMIC("umax", MaxUnsigned),
    FMHA950_ATOMIC("and", And),
    FMHA950_ATOMIC("or", Or),
    FMHA950_ATOMIC("xor", Xor),
    FMHA950_ATOMIC("inc", Increment),
    FMHA950_ATOMIC("dec", Decrement),
    memory_row("s_memtime", read_clock<1>, {.kind = MemoryKind::clock, .bytes = 8}),
    memory_row("s_memrealtime", read_clock<24>, {.kind = MemoryKind::clock, .bytes = 8}),
    invalidates("s_dcache_inv"),
    invalidates("s_dcache_inv_vol"),
    cache_row("s_dcache_wb"),
    cache_row("s_dcache_wb_vol"),
    cache_row("s_dcache_discard"),
    cache_row("s_dcache_discard_x2"),
    cache_row("s_atc_probe"),
    cache_row("s_atc_probe_buffer"),
};

} // namespace

const Rows rows_smem = rows_of<table, all_memory>();

} // namespace fmha950::isa::FMHA950_SIMD
