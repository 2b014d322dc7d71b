// The slow path of operand fetch and result store: DPP, SDWA, op_sel, neg, abs, omod, clamp, and denormals
// that MODE flushes.

#include "emulator/isa/float_math.hpp"
#include "emulator/isa/lane_dpp.hpp"
#include "emulator/isa/operand.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

struct Registers { // one operand: low and high dwords
  Lanes<u32> low, high;
};

Lanes<u32> permuted(const uint32_t* registers, const DppPattern& pattern) {
  return blend<u32>(Lanes<u32>(0u), gather_lanes(registers, pattern.source), pattern.valid);
}

// SDWA selects (ISA guide, SDWA): 0..3 byte, 4..5 word, 6 dword.
Lanes<u32> selected(Lanes<u32> value, unsigned select, bool sign_extend) {
  if (select >= 6) return value;
  const int bits = select < 4 ? 8 : 16;
  const int shift = select < 4 ? 8 * static_cast<int>(select) : 16 * (static_cast<int>(select) - 4);
  const Lanes<u32> top = value << (32 - bits - shift);
  if (sign_extend) return __builtin_bit_cast(Lanes<u32>, __builtin_bit_cast(Lanes<i32>, top) >> (32 - bits));
  return top >> (32 - bits);
}

Registers fetch_registers(const Wave& wave, const Instruction& in, int operand, bool wide) {
  const Source& source = in.src[operand];
  Registers value{};
  if (source.kind != Source::Kind::vgpr) {
    const uint64_t bits = scalar_bits(wave, source, wide);
    value.low = static_cast<u32>(bits);
    value.high = static_cast<u32>(bits >> 32);
  } else if (in.extension == Extension::dpp && operand == 0) {
    const DppPattern pattern = dpp_pattern(in.words[1], wave.exec());
    value.low = permuted(wave.lanes(source.index), pattern);
    if (wide) value.high = permuted(wave.lanes(source.index + 1), pattern);
  } else {
    value.low = load_lanes<u32>(wave.lanes(source.index));
    if (wide) value.high = load_lanes<u32>(wave.lanes(source.index + 1));
  }
  return value;
}

void flush_operand(const Wave& wave, const Instruction& in, int bytes, Scratch& value) {
  if (!in.row->flushes) return;
  const auto flush_as = [&]<class T>(T) {
    const auto lanes = flushed<T>(wave.mode, DenormalField::of_operands, read_vgpr<T>(value.registers));
    write_vgpr<T>(value.registers, lanes, ~uint64_t{0});
  };
  if (bytes == 8) return flush_as(f64{});
  if (bytes == 4) return flush_as(f32{});
  flush_as(f16{});
}

// omod is ignored while the IEEE bit is set or output denormals are enabled (LLVM SIFoldOperands::isOMod;
// MODE bits: machine_gfx950.md section 1.3).
template <class T> Lanes<T> output_modified(Lanes<T> value, const Wave& wave, const Instruction& in) {
  const bool ieee = wave.mode >> 9 & 1;
  if (in.omod && !ieee && !keeps_denormals<T>(wave.mode, DenormalField::of_results)) {
    constexpr float factors[] = {1, 2, 4, 0.5f};
    value = value * static_cast<T>(factors[in.omod]);
    choose_nans<T>(value, value);
  }
  if (in.clamp) value = clamped<T>(wave.mode, value);
  return value;
}
template <class T>
Lanes<T> result_of(const Wave& wave, const Instruction& in, Numeric numeric, const Scratch& scratch) {
  auto value = read_vgpr<T>(scratch.registers);
  if (numeric != Numeric::floating) return value;
  if (in.omod || in.clamp) value = output_modified<T>(value, wave, in);
  return in.row->flushes ? flushed<T>(wave.mode, DenormalField::of_results, value) : value;
}

// SDWA dst_sel (0..3 byte, 4..5 word, 6 dword) and dst_unused (0 pad with zero, 1 sign extend, 2 preserve).
Lanes<u32> placed(Lanes<u32> value, Lanes<u32> before, unsigned select, unsigned unused) {
  if (select >= 6) return value;
  const int bits = select < 4 ? 8 : 16;
  const int shift = select < 4 ? 8 * static_cast<int>(select) : 16 * (static_cast<int>(select) - 4);
  const u32 field = ((1u << bits) - 1) << shift;
  const Lanes<u32> inside = value << shift & field;
  if (unused == 2) return inside | (before & ~field);
  if (unused == 1) {
    const auto top = __builtin_bit_cast(Lanes<i32>, value << (32 - bits)) >> (32 - bits);
    return __builtin_bit_cast(Lanes<u32>, top) << shift;
  }
  return inside;
}

} // namespace

void fetch_modified(const Wave& wave, const Instruction& in, int operand, int bytes, Numeric numeric,
                    Scratch& out) {
  Registers value = fetch_registers(wave, in, operand, bytes == 8);
  if (in.extension == Extension::sdwa && operand < 2) {
    const uint32_t control = in.words[1] >> (operand == 0 ? 16 : 24);
    value.low = selected(value.low, control & 7, control >> 3 & 1);
  }
  if (bytes == 2 && in.op_sel >> operand & 1) value.low >>= 16;
  if (numeric == Numeric::floating) {
    Lanes<u32>& signed_part = bytes == 8 ? value.high : value.low;
    const u32 sign = bytes == 2 ? 0x8000u : 0x80000000u;
    if (in.src[operand].abs) signed_part &= ~sign;
    if (in.src[operand].neg) signed_part ^= sign;
  }
  if (bytes == 8) store_lanes(out.registers + wave_lanes, value.high);
  store_lanes(out.registers, value.low);
  if (numeric == Numeric::floating) flush_operand(wave, in, bytes, out);
}

void fetch_destination(const Wave& wave, const Instruction& in, int bytes, Scratch& out) {
  __builtin_memcpy(out.registers, wave.lanes(in.dst), (bytes == 8 ? 2 : 1) * wave_lanes * sizeof(uint32_t));
  flush_operand(wave, in, bytes, out);
}

uint64_t dpp_lanes(const Wave& wave, const Instruction& in) {
  return dpp_pattern(in.words[1], wave.exec()).written;
}

void store_modified(Wave& wave, const Instruction& in, int bytes, Numeric numeric, bool keep_half,
                    const Scratch& scratch) {
  const uint64_t lanes = lanes_written(wave, in);
  uint32_t* destination = wave.lanes(in.dst);
  if (bytes == 8) return write_vgpr<f64>(destination, result_of<f64>(wave, in, numeric, scratch), lanes);
  const Lanes<u32> before = load_lanes<u32>(destination);
  Lanes<u32> result;
  if (bytes == 4) {
    result = to_bits<f32>(result_of<f32>(wave, in, numeric, scratch));
  } else {
    result = __builtin_convertvector(to_bits<f16>(result_of<f16>(wave, in, numeric, scratch)), Lanes<u32>);
    if (in.op_sel >> 3 & 1)
      result = result << 16 | (before & 0xFFFFu);
    else if (keep_half)
      result |= before & 0xFFFF0000u;
  }
  if (in.extension == Extension::sdwa)
    result = placed(result, before, in.words[1] >> 8 & 7, in.words[1] >> 11 & 3);
  write_vgpr<u32>(destination, result, lanes);
}

} // namespace fmha950::isa::FMHA950_SIMD
