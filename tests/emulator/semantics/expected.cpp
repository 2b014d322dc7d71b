#include "tests/emulator/semantics/expected.hpp"

#include <cfenv>

namespace fmha950::semantics {
namespace {

constexpr uint64_t ones(int bits) { return bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1; }
int64_t sign_extended(uint64_t value, int bits) {
  return static_cast<int64_t>(value << (64 - bits)) >> (64 - bits);
}

struct Format {
  int bits, mantissa;
  explicit Format(Type type) : bits(8 * bytes_of(type)), mantissa(bits == 16 ? 10 : bits == 32 ? 23 : 52) {}
  uint64_t sign() const { return uint64_t{1} << (bits - 1); }
  uint64_t infinity() const { return ones(bits - 1) & ~ones(mantissa); }
  uint64_t one() const { return infinity() >> 1 & infinity(); }
};
// machine_gfx950.md section 1.3: denormals of f32 in [5:4], of f16 and f64 in [7:6]; operands, then results.
uint64_t flushed(uint64_t value, Type type, uint32_t mode, bool result) {
  if (!is_float(type)) return value;
  const Format format(type);
  const bool keeps = mode >> ((type == Type::f32 ? 4 : 6) + (result ? 1 : 0)) & 1;
  return keeps || value & format.infinity() ? value : value & format.sign();
}
bool is_nan(uint64_t value, Type type) {
  const Format format(type);
  return is_float(type) && (value & ~format.sign()) > format.infinity();
}
// To [0, 1], -0 to 0; NaN to 0 with DX10_CLAMP.
uint64_t clamped(uint64_t value, Type type, uint32_t mode) {
  const Format format(type);
  if (is_nan(value, type)) return mode >> 8 & 1 ? 0 : value;
  if (value & format.sign()) return 0;
  return std::min(value, format.one());
}

// The host rounds as MODE says for the result's type while a reference runs.
class Rounding {
 public:
  Rounding(const Reference& reference, uint32_t mode) {
    constexpr int directions[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    if (!reference.obeys_mode || !is_float(reference.result)) return;
    std::fesetround(directions[mode >> (reference.result == Type::f32 ? 0 : 2) & 3]);
  }
  ~Rounding() { std::fesetround(FE_TONEAREST); }
};

int dpp_source(const Dpp& dpp, int lane) { // -1: none
  const int row = lane & ~15, position = lane & 15, amount = static_cast<int>(dpp.amount);
  switch (dpp.pattern) {
  case Dpp::Pattern::quad_perm:
    return (lane & ~3) + static_cast<int>(dpp.quad[static_cast<size_t>(lane & 3)]);
  case Dpp::Pattern::row_shl: return position + amount < 16 ? lane + amount : -1;
  case Dpp::Pattern::row_shr: return position >= amount ? lane - amount : -1;
  case Dpp::Pattern::row_ror: return row + ((position - amount) & 15);
  case Dpp::Pattern::row_mirror: return row + 15 - position;
  case Dpp::Pattern::row_half_mirror: return (lane & ~7) + 7 - (lane & 7);
  }
  return -1;
}

class Lane {
 public:
  Lane(const Variant& variant, const State& before, int lane) : v(variant), s(before), lane_(lane) {
    if (v.form == Form::dpp) {
      dpp_lane_ = dpp_source(v.dpp, lane);
      if (dpp_lane_ >= 0 && !(s.exec >> dpp_lane_ & 1)) dpp_lane_ = -1;
    }
  }
  bool is_written() const {
    if (!(s.exec >> lane_ & 1)) return false;
    if (v.form != Form::dpp) return true;
    const bool enabled = v.dpp.row_mask >> (lane_ / 16) & v.dpp.bank_mask >> (lane_ % 16 / 4) & 1;
    return enabled && (dpp_lane_ >= 0 || v.dpp.zero_fill);
  }
  // `part`: half (of a pair, for f32) of a packed result.
  Outcome outcome(int part) const {
    const Reference& r = *v.reference;
    Arguments in;
    for (int i = 0; i < 3 && r.source[static_cast<size_t>(i)] != Type::none; ++i)
      in.source[i] = operand(i, part);
    const uint64_t old = s.vgpr[6][lane_] | uint64_t{s.vgpr[7][lane_]} << 32;
    in.old = old & ones(8 * bytes_of(r.result));
    if (r.obeys_mode) in.old = flushed(in.old, r.result, s.mode, false);
    Outcome out = v.clamp && r.clamped ? r.clamped(in) : r.compute(in);
    if (!is_float(r.result)) return out;
    const bool keeps = s.mode >> (r.result == Type::f32 ? 5 : 7) & 1, ieee = s.mode >> 9 & 1;
    if (v.omod && !keeps && !ieee) out.value = scaled(r.result, out.value, v.omod);
    if (v.clamp) out.value = clamped(out.value, r.result, s.mode);
    if (r.obeys_mode) out.value = flushed(out.value, r.result, s.mode, true);
    return out;
  }

 private:
  uint64_t registers(int i) const {
    const Operand& operand = v.source[static_cast<size_t>(i)];
    if (operand.kind == Operand::Kind::constant) return operand.constant;
    if (operand.kind == Operand::Kind::sgpr) return s.scalar;
    const int from = v.form == Form::dpp && i == 0 ? dpp_lane_ : lane_;
    return from < 0 ? 0 : s.vgpr[2 * i][from] | uint64_t{s.vgpr[2 * i + 1][from]} << 32;
  }
  uint64_t operand(int i, int part) const {
    const Type type = v.reference->source[static_cast<size_t>(i)];
    if (type == Type::carry) return (v.uses_vcc ? s.vcc : s.carry_in) >> lane_ & 1;
    const Operand& operand = v.source[static_cast<size_t>(i)];
    const int bits = 8 * bytes_of(type);
    uint64_t value = registers(i);
    if (v.form == Form::sdwa && operand.select < 6) {
      const int width = operand.select < 4 ? 8 : 16;
      value = value >> (operand.select < 4 ? 8 * operand.select : 16 * (operand.select - 4)) & ones(width);
      if (operand.sign_extend) value = static_cast<uint64_t>(sign_extended(value, width));
    }
    const bool high = part ? operand.high_of_high : operand.high;
    if (high) value >>= bits;
    value &= ones(bits);
    if (operand.abs) value &= ones(bits - 1);
    if (part ? operand.neg_of_high : operand.neg) value ^= uint64_t{1} << (bits - 1);
    return v.reference->obeys_mode ? flushed(value, type, s.mode, false) : value;
  }

  const Variant& v;
  const State& s;
  int lane_, dpp_lane_ = -1;
};

void place(const Variant& v, uint64_t value, int lane, Expected& expected) {
  const Type type = v.reference->result;
  const int bits = 8 * bytes_of(type);
  uint64_t mask = ones(std::max(bits, 32)); // 16-bit results clear the other half, unless they keep it
  if (v.reference->keeps_half) mask = ones(16);
  uint64_t unspecified = is_nan(value, type) ? ~Format(type).infinity() & ones(bits) : 0;
  if (v.result_high) value <<= 16, mask <<= 16, unspecified <<= 16;
  if (v.form == Form::sdwa && v.result_select < 6) {
    const int width = v.result_select < 4 ? 8 : 16;
    const unsigned at = v.result_select < 4 ? 8 * v.result_select : 16 * (v.result_select - 4);
    mask = v.result_unused == 2 ? ones(width) << at : ones(32);
    if (unspecified) unspecified = mask;
    value &= ones(width);
    if (v.result_unused == 1) value = static_cast<uint64_t>(sign_extended(value, width));
    value = value << at & ones(32);
  }
  for (int i = 0; i < 2; ++i) {
    const auto part = [i](uint64_t wide) { return static_cast<uint32_t>(wide >> (32 * i)); };
    uint32_t& target = expected.after.vgpr[6 + i][lane];
    target = (target & ~part(mask)) | (part(value) & part(mask));
    expected.unspecified[i][lane] = part(unspecified);
  }
}
void place_packed(const Variant& v, const Outcome (&parts)[2], int lane, Expected& expected) {
  const Type type = v.reference->result;
  const bool halves = bytes_of(type) == 2;
  for (int i = 0; i < 2; ++i) {
    const int reg = halves ? 0 : i, shift = halves ? 16 * i : 0;
    const auto mask = static_cast<uint32_t>(ones(8 * bytes_of(type)) << shift);
    uint32_t& target = expected.after.vgpr[6 + reg][lane];
    target = (target & ~mask) | static_cast<uint32_t>(parts[i].value << shift);
    if (is_nan(parts[i].value, type))
      expected.unspecified[reg][lane] |= mask & ~static_cast<uint32_t>(Format(type).infinity() << shift);
  }
}

} // namespace

Expected expected(const Variant& v, const State& before) {
  const Reference& r = *v.reference;
  Expected expected{before, {}};
  uint64_t mask = 0;
  for (int l = 0; l < 64; ++l) {
    const Lane lane(v, before, l);
    if (!lane.is_written()) continue;
    const Rounding rounding(r, before.mode);
    if (r.packed) {
      place_packed(v, {lane.outcome(0), lane.outcome(1)}, l, expected);
      continue;
    }
    const Outcome outcome = lane.outcome(0);
    mask |= uint64_t{outcome.mask} << l;
    if (r.result != Type::boolean) place(v, outcome.value, l, expected);
  }
  if (r.result == Type::boolean || r.carries_out)
    (v.uses_vcc ? expected.after.vcc : expected.after.carry_out) = mask;
  if (std::string_view(r.mnemonic).starts_with("v_cmpx_")) expected.after.exec = mask;
  return expected;
}

} // namespace fmha950::semantics
