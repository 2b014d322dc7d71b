#pragma once
// Sources and destinations of VALU instructions as 64-lane values. A row's signature is made of the tags
// below; Operand<Tag> says how a tag is read and written. Modifiers (neg, abs, op_sel, DPP, SDWA, omod,
// clamp) and MODEs that flush denormals (machine/float_mode.hpp) take the slow path in valu_modifiers.cpp:
// one function per register width, not per instruction.

#include "emulator/isa/vector.hpp"
#include "emulator/machine/wave.hpp"

namespace fmha950::isa::FMHA950_SIMD {

using machine::Wave;

// Tags that are their own lane type.
using f32 = float;
using f64 = double;
using f16 = _Float16;
using u16 = uint16_t;
using i16 = int16_t;
using u32 = uint32_t;
using i32 = int32_t;
using u64 = uint64_t;
using i64 = int64_t;
struct b32 {};                      // bits, with the float modifiers neg and abs (v_mov_b32, v_cndmask_b32)
struct b64 {};                      // likewise, 64 bits
struct pair {};                     // 64-bit integer, seen as its two registers
struct mask {};                     // source: SGPR pair, one bit per lane (carry in, condition)
struct vcc {};                      // implicit source: VCC
template <class T> struct old {};   // implicit source: the destination before
template <class T> struct carry {}; // result: value and carry mask (VCC or SGPR pair)
template <class T> struct raw {};   // float result whose NaNs the body chooses itself
template <class T> struct half {};  // 16-bit result that keeps the other half of its register
struct Pair {                       // what the body of a row sees of a pair
  Lanes<u32> low, high;
};
template <class T> struct WithMask { // what the body of a carry<T> row returns
  Lanes<T> value;
  uint64_t mask;
};

// How modifiers see an operand.
enum class Numeric : uint8_t { floating, unsigned_integer, signed_integer };

template <class Tag> struct Operand {
  using Lane = Tag;
  static constexpr bool is_float = __is_floating_point(Tag) || __is_same(Tag, f16);
  static constexpr Numeric numeric = is_float           ? Numeric::floating
                                     : Tag(-1) < Tag(0) ? Numeric::signed_integer
                                                        : Numeric::unsigned_integer;
  // A float inline constant has f32's pattern for 16-bit integers too
  // (LLVM AMDGPUBaseInfo.cpp, getInlineEncodingV216).
  static constexpr ConstantType constant = sizeof(Tag) == 8
                                               ? (is_float ? ConstantType::f64 : ConstantType::i64)
                                           : __is_same(Tag, f16) ? ConstantType::f16
                                                                 : ConstantType::b32;
  static constexpr bool is_implicit = false;
  static constexpr bool computes_floats = is_float; // NaN results are chosen (nan.hpp)
};
template <> struct Operand<b32> : Operand<u32> {
  static constexpr Numeric numeric = Numeric::floating;
};
template <> struct Operand<b64> : Operand<u64> {
  static constexpr Numeric numeric = Numeric::floating;
};
template <class T> struct Operand<raw<T>> : Operand<T> {
  static constexpr bool computes_floats = false;
};
template <> struct Operand<pair> : Operand<u64> {};
template <> struct Operand<mask> : Operand<u32> {};
template <> struct Operand<vcc> : Operand<u32> {
  static constexpr bool is_implicit = true;
};
template <class T> struct Operand<old<T>> : Operand<T> {
  static constexpr bool is_implicit = true;
};
template <class T> struct Operand<half<T>> : Operand<T> {};
template <class T> struct Operand<carry<T>> : Operand<T> {
  static constexpr bool computes_floats = false;
};

// Which of MODE's rounding fields a result obeys.
template <class Tag> constexpr ModeField rounding_of() {
  if (!Operand<Tag>::is_float) return ModeField::none;
  return sizeof(typename Operand<Tag>::Lane) == 4 ? ModeField::f32 : ModeField::f16_f64;
}

// 64-bit values live in two consecutive registers, 16-bit values in the low half of one.
template <class Lane> FMHA950_INLINE Lanes<Lane> read_vgpr(const uint32_t* registers) {
  if constexpr (sizeof(Lane) == 4) {
    return load_lanes<Lane>(registers);
  } else if constexpr (sizeof(Lane) == 2) {
    return __builtin_bit_cast(Lanes<Lane>, __builtin_convertvector(load_lanes<u32>(registers), Lanes<u16>));
  } else {
    const auto low = __builtin_convertvector(load_lanes<u32>(registers), Lanes<u64>);
    const auto high = __builtin_convertvector(load_lanes<u32>(registers + wave_lanes), Lanes<u64>);
    return __builtin_bit_cast(Lanes<Lane>, low | high << 32);
  }
}
template <class Lane> FMHA950_INLINE void write_vgpr(uint32_t* registers, Lanes<Lane> value, uint64_t lanes) {
  const auto write = [lanes](uint32_t* destination, Lanes<u32> bits) __attribute__((always_inline)) {
    store_lanes(destination, blend<u32>(load_lanes<u32>(destination), bits, lanes));
  };
  if constexpr (sizeof(Lane) == 4) {
    write(registers, __builtin_bit_cast(Lanes<u32>, value));
  } else if constexpr (sizeof(Lane) == 2) {
    // 16-bit results of VOP1, VOP2 and legacy VOP3 instructions clear the upper half on GFX9
    // (LLVM GCNSubtarget::zeroesHigh16BitsOfDest).
    write(registers, __builtin_convertvector(__builtin_bit_cast(Lanes<u16>, value), Lanes<u32>));
  } else {
    const auto bits = __builtin_bit_cast(Lanes<u64>, value);
    write(registers, __builtin_convertvector(bits, Lanes<u32>));
    write(registers + wave_lanes, __builtin_convertvector(bits >> 32, Lanes<u32>));
  }
}

// An SGPR, special register or constant: the same bits for all lanes.
FMHA950_INLINE uint64_t scalar_bits(const Wave& wave, const Source& source, bool wide) {
  switch (source.kind) {
  case Source::Kind::sgpr: return wide ? wave.sgpr64(source.index) : wave.sgpr[source.index];
  case Source::Kind::special: {
    const uint64_t value = wave.special(source.index);
    switch (wide ? source.index : 0) { // an aperture's 4 GiB, from its first to its last byte
    case machine::code::shared_base:
    case machine::code::private_base: return value << 32;
    case machine::code::shared_limit:
    case machine::code::private_limit: return value << 32 | 0xFFFFFFFF;
    default: return value;
    }
  }
  default: return source.value;
  }
}

// A source or result that is in no register: laid out as the registers it stands for.
struct Scratch {
  alignas(64) uint32_t registers[2 * wave_lanes];
};

// The slow path, in valu_modifiers.cpp.
// Source `operand` after DPP, SDWA select, op_sel, abs and neg; `bytes` (2, 4 or 8) per lane.
void fetch_modified(const Wave& wave, const Instruction& in, int operand, int bytes, Numeric numeric,
                    Scratch& out);
// The destination before, as a source of `bytes` per lane.
void fetch_destination(const Wave& wave, const Instruction& in, int bytes, Scratch& out);
// EXEC, less the lanes that DPP's row and bank masks or its bounds disable.
uint64_t dpp_lanes(const Wave& wave, const Instruction& in);
// Applies omod, clamp, op_sel and SDWA's destination select to a result and writes it. `keep_half`: a 16-bit
// result leaves the other half of its register alone.
void store_modified(Wave& wave, const Instruction& in, int bytes, Numeric numeric, bool keep_half,
                    const Scratch& result);

FMHA950_INLINE uint64_t lanes_written(const Wave& wave, const Instruction& in) {
  return in.extension == Extension::dpp ? dpp_lanes(wave, in) : wave.exec();
}

// Source `operand` of an instruction of plain words: no slow path, and no copy of a scalar in memory.
template <class Tag>
FMHA950_INLINE Lanes<typename Operand<Tag>::Lane> read_plain(const Wave& wave, const Source& source) {
  using Lane = typename Operand<Tag>::Lane;
  Lanes<u32> bits;
  if (source.kind == Source::Kind::vgpr) [[likely]]
    bits = load_lanes<u32>(wave.lanes(source.index));
  else
    bits = source.kind == Source::Kind::sgpr ? wave.sgpr[source.index] : static_cast<u32>(source.value);
  if constexpr (Operand<Tag>::numeric == Numeric::floating) {
    if (source.neg) bits ^= 0x80000000u;
  }
  return __builtin_bit_cast(Lanes<Lane>, bits);
}

// Where the lanes of source `operand` are: its registers, or `scratch` filled with them. Sources are located
// first and read afterwards, so that the slow path forces no vector register to the stack.
template <class Tag>
FMHA950_INLINE const uint32_t* locate(const Wave& wave, const Instruction& in, int operand,
                                      Scratch& scratch) {
  constexpr int bytes = sizeof(typename Operand<Tag>::Lane);
  const Source& source = in.src[operand];
  if (in.modified & modified_source << operand) [[unlikely]] {
    fetch_modified(wave, in, operand, bytes, Operand<Tag>::numeric, scratch);
  } else if (source.kind == Source::Kind::vgpr) [[likely]] {
    return wave.lanes(source.index);
  } else {
    const uint64_t bits = scalar_bits(wave, source, bytes == 8);
    store_lanes(scratch.registers, Lanes<u32>(static_cast<u32>(bits)));
    if constexpr (bytes == 8)
      store_lanes(scratch.registers + wave_lanes, Lanes<u32>(static_cast<u32>(bits >> 32)));
  }
  return scratch.registers;
}

template <class Tag, bool keep_half = false>
FMHA950_INLINE void store(Wave& wave, const Instruction& in, Lanes<typename Operand<Tag>::Lane> value) {
  using Lane = typename Operand<Tag>::Lane;
  if (in.modified & modified_result) [[unlikely]] {
    Scratch scratch;
    write_vgpr<Lane>(scratch.registers, value, ~uint64_t{0});
    store_modified(wave, in, sizeof(Lane), Operand<Tag>::numeric, keep_half, scratch);
  } else if constexpr (keep_half) {
    uint32_t* destination = wave.lanes(in.dst);
    const auto low = __builtin_convertvector(__builtin_bit_cast(Lanes<u16>, value), Lanes<u32>);
    write_vgpr<u32>(destination, (load_lanes<u32>(destination) & 0xFFFF0000u) | low, wave.exec());
  } else {
    write_vgpr<Lane>(wave.lanes(in.dst), value, wave.exec());
  }
}

} // namespace fmha950::isa::FMHA950_SIMD
