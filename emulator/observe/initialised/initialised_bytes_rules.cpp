// Which bytes of a vector result depend on which bytes of its sources: halves of 16-bit operations, elements
// of packed ones, parts that conversions select or replace. What is not listed depends on everything.

#include "emulator/isa/mnemonic.hpp"
#include "emulator/observe/initialised/initialised_rules.hpp"

#include <string_view>

namespace fmha950::observe {

void ByteDependence::depend(unsigned result_bytes, int source, unsigned source_bytes) {
  for (int b = 0; b < results; ++b)
    if (result_bytes >> b & 1) from[b][source] |= static_cast<uint8_t>(source_bytes);
  written |= static_cast<uint8_t>(result_bytes);
}

namespace {

using isa::contains;
using isa::starts_with_any;

constexpr unsigned word = 0xF, all = 0xFF;
constexpr unsigned half(unsigned high) { return high ? 0xC : 0x3; }
constexpr unsigned single(unsigned byte) { return 1u << byte; }

bool is_16_bit(std::string_view type) {
  return type == "f16" || type == "u16" || type == "i16" || type == "b16" || type == "bf16";
}
// The types that a mnemonic names, in order: v_cvt_f16_f32.
std::string_view first_type(std::string_view m) {
  for (size_t at = m.find('_'); at != m.npos; at = m.find('_', at + 1)) {
    const std::string_view part = m.substr(at + 1, m.find('_', at + 1) - at - 1);
    if (is_16_bit(part) || part == "f32" || part == "u32" || part == "i32" || part == "b32" || part == "f64")
      return part;
  }
  return {};
}
std::string_view last_type(std::string_view m) { return m.substr(m.rfind('_') + 1); }

struct Controls { // op_sel
  unsigned op_sel, op_sel_hi;
  bool bit(int i) const { return op_sel >> i & 1; }
  bool hi(int i) const { return op_sel_hi >> i & 1; }
};

// Two or more elements per register (ISA guide, VOP3P).
bool packed(std::string_view m, const isa::Instruction& in, Controls c, ByteDependence& d) {
  const bool accumulates = m == "v_pk_fmac_f16";
  if (m == "v_pk_mov_b32") {
    for (int e = 0; e < 2; ++e)
      for (int b = 0; b < 4; ++b) d.depend(single(4 * e + b), e, single(4 * c.bit(e) + b));
  } else if (m.starts_with("v_pk_") && m.ends_with("_f32")) {
    for (int s = 0; s < 3; ++s) {
      d.depend(word, s, word << 4 * c.bit(s));
      d.depend(word << 4, s, word << 4 * c.hi(s));
    }
  } else if (m.starts_with("v_pk_")) {
    for (int s = 0; s < 3; ++s) {
      const bool plain = !in.has_modifiers() || (accumulates && s == 2);
      d.depend(half(0), s, half(plain ? 0 : c.bit(s)));
      d.depend(half(1), s, half(plain ? 1 : c.hi(s)));
    }
  } else if (m.starts_with("v_fma_mix")) { // op_sel_hi: the source is a half
    const unsigned result = m == "v_fma_mix_f32" ? word : half(m == "v_fma_mixhi_f16");
    for (int s = 0; s < 3; ++s) d.depend(result, s, c.hi(s) ? half(c.bit(s)) : word);
  } else {
    return false;
  }
  return true;
}

// From and to fp8, bf8 and fp4 (mfma_gfx950.md section 4): op_sel[3:2] is the part of the result that
// is replaced, op_sel[1:0] the part of the source that is read.
bool small_format(std::string_view m, Controls c, ByteDependence& d) {
  const bool scaled = m.starts_with("v_cvt_scalef32_");
  std::string_view name = m;
  name.remove_prefix(scaled ? 15 : std::min<size_t>(6, m.size()));
  const unsigned part = c.op_sel & 3, place = c.op_sel >> 2 & 3;
  const bool to_f32_sources = name.ends_with("_f32");
  const auto others = [&](unsigned result) {
    for (int s = 1; s < 3; ++s) d.depend(result, s, word);
  };
  if (starts_with_any(name, {"pk_fp8_", "pk_bf8_"})) { // two codes into a half
    const unsigned low = single(place & 2), high = single((place & 2) + 1);
    if (to_f32_sources) {
      d.depend(low, 0, word), d.depend(high, 1, word);
      if (scaled) d.depend(low | high, 2, word);
    } else {
      d.depend(low, 0, half(0)), d.depend(high, 0, half(1)), d.depend(low | high, 1, word);
    }
  } else if (name.starts_with("pk_fp4_")) {
    d.depend(single(place), 0, all), others(single(place));
  } else if (starts_with_any(name, {"sr_fp8_", "sr_bf8_", "sr_pk_fp4_"})) {
    const bool one_half = !to_f32_sources && !name.starts_with("sr_pk");
    d.depend(single(place), 0, one_half ? half(part & 1) : all), others(single(place));
  } else if (!scaled && starts_with_any(name, {"sr_f16_", "sr_bf16_"})) {
    d.depend(half(place >> 1), 0, word), others(half(place >> 1));
  } else if (starts_with_any(name, {"f32_fp8", "f32_bf8"})) {
    d.depend(word, 0, single(part)), others(word);
  } else if (starts_with_any(name, {"f16_fp8", "f16_bf8"})) {
    d.depend(half(place >> 1), 0, single(part)), others(half(place >> 1));
  } else if (starts_with_any(name, {"pk_f32_", "pk_f16_", "pk_bf16_"}) &&
             (contains(name, "_fp8") || contains(name, "_bf8") || contains(name, "_fp4"))) {
    const bool four_bits = contains(name, "_fp4"), wide = name.starts_with("pk_f32_");
    for (unsigned e = 0; e < 2; ++e) {
      const unsigned result = wide ? word << 4 * e : half(e);
      d.depend(result, 0, four_bits ? single(part) : single(2 * (part & 1) + e)), others(result);
    }
  } else {
    return false;
  }
  return true;
}

// Two results in one register, the low half from the first source, the high one from the second.
bool paired(std::string_view m, Controls c, ByteDependence& d) {
  if (!starts_with_any(m, {"v_cvt_pk_bf16_f32", "v_cvt_pk_f16_f32", "v_cvt_pkrtz", "v_cvt_pknorm",
                           "v_cvt_pk_u16_u32", "v_cvt_pk_i16_i32", "v_pack_b32_f16"}))
    return false;
  for (int s = 0; s < 2; ++s) d.depend(half(s), s, m.ends_with("_f16") ? half(c.bit(s)) : word);
  return true;
}

bool keeps_other_half(std::string_view m) {
  return starts_with_any(m, {"v_mad_f16", "v_fma_f16", "v_min3_", "v_max3_", "v_med3_", "v_add_i16",
                             "v_sub_i16", "v_mad_u16", "v_mad_i16", "v_div_fixup_f16", "v_ashr_pk_"});
}

} // namespace

ByteDependence byte_dependence_of(const isa::Instruction& in, const InitialisedInfo& info) {
  const std::string_view m = in.row->mnemonic;
  const Controls c{in.op_sel, in.op_sel_hi};
  ByteDependence d;
  const bool modified = in.clamp || in.omod;
  if (info.kind == InitialisedInfo::Kind::compare) { // one bit: described as byte 0
    const bool never = contains(m, "_f_"), always = contains(m, "_tru_") || contains(m, "_t_");
    d.written = 1;
    for (int s = 0; s < 2 && !never && !always; ++s)
      d.depend(1, s, is_16_bit(last_type(m)) && !(s == 1 && contains(m, "_class_")) ? half(c.bit(s)) : all);
    return d;
  }
  if (!modified && starts_with_any(m, {"v_mov_b", "v_accvgpr_"})) {
    for (unsigned b = 0; b < 4u * info.results; ++b) d.depend(single(b), 0, single(b));
    return d;
  }
  if (packed(m, in, c, d)) return d;
  if ((m.starts_with("v_cvt_") && small_format(m, c, d)) || paired(m, c, d)) return d;
  if (m == "v_mad_u64_u32" || m == "v_mad_i64_i32") {
    // Clang uses them for 32-bit products too: then nobody has set the upper word of what is added.
    for (int s = 0; s < 3; ++s) {
      d.depend(word, s, modified ? all : word);
      d.depend(word << 4, s, all);
    }
    return d;
  }
  if (m == "v_bitop3_b16") { // its op_sel is not where others have it
    const unsigned op_sel = in.words[0] >> 11 & 15;
    for (int s = 0; s < 3; ++s) d.depend(half(op_sel >> 3), s, half(op_sel >> s & 1));
    return d;
  }

  unsigned result = info.results == 2 ? all : word;
  const bool whole_sources = starts_with_any(m, {"v_dot", "v_sat_pk", "v_sad_u16", "v_qsad", "v_mqsad"});
  const bool half_result = m.starts_with("v_ashr_pk_") || (!whole_sources && is_16_bit(first_type(m)));
  if (half_result) result = half(c.bit(3));
  for (int s = 0; s < ByteDependence::sources; ++s) {
    const bool whole = whole_sources || !is_16_bit(last_type(m)) ||
                       (s == 2 && starts_with_any(m, {"v_mad_u32_u16", "v_mad_i32_i16"}));
    unsigned read = whole ? all : half(c.bit(s));
    if (m.starts_with("v_cvt_f32_ubyte")) read = single(static_cast<unsigned>(m.back() - '0'));
    if (m == "v_cvt_off_f32_i4") read = single(0);
    if (info.source[s].kind == ValueSource::Kind::lane_mask) read = all;
    d.depend(result, s, read);
  }
  // 16-bit results of VOP1, VOP2 and legacy VOP3 instructions clear the upper half (isa/operand.hpp).
  if (half_result && !keeps_other_half(m) && !c.bit(3)) d.written |= half(1);
  return d;
}

} // namespace fmha950::observe
