#include "emulator/isa/decode/fields.hpp"

#include "emulator/program/row.hpp"

#include <algorithm>
#include <array>

namespace fmha950::isa {
namespace {

constexpr int vcc_code = 106;
constexpr uint8_t own_halves = 7; // VOP3P's op_sel_hi as the other encodings of v_pk_fmac_f16 have it
constexpr unsigned sdwa_code = 249, dpp_code = 250, literal_code = 255;

constexpr uint32_t field(uint32_t word, int high, int low) {
  return word >> low & ((2u << (high - low)) - 1);
}
constexpr bool bit(uint32_t word, int index) { return word >> index & 1; }
constexpr int32_t sign_extend(uint32_t value, int bits) {
  return static_cast<int32_t>(value << (32 - bits)) >> (32 - bits);
}

// Inline float constants, codes 240..248: +-0.5, +-1, +-2, +-4, 1/(2 pi)
// (ISA guide, table of scalar operand codes).
constexpr uint64_t inline_f64[] = {0x3FE0000000000000, 0xBFE0000000000000, 0x3FF0000000000000,
                                   0xBFF0000000000000, 0x4000000000000000, 0xC000000000000000,
                                   0x4010000000000000, 0xC010000000000000, 0x3FC45F306DC9C882};
constexpr uint32_t inline_f32[] = {0x3F000000, 0xBF000000, 0x3F800000, 0xBF800000, 0x40000000,
                                   0xC0000000, 0x40800000, 0xC0800000, 0x3E22F983};
constexpr uint16_t inline_f16[] = {0x3800, 0xB800, 0x3C00, 0xBC00, 0x4000, 0xC000, 0x4400, 0xC400, 0x3118};

uint64_t inline_float(unsigned index, ConstantType type) {
  switch (type) {
  case ConstantType::b32: return inline_f32[index];
  case ConstantType::f16: return inline_f16[index];
  case ConstantType::bf16: return inline_f32[index] >> 16;
  case ConstantType::i64:
  case ConstantType::f64: return inline_f64[index];
  }
  return 0;
}

uint64_t inline_integer(int value, ConstantType type) {
  const bool wide = type == ConstantType::i64 || type == ConstantType::f64;
  return wide ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint32_t>(value);
}

Source source_of(unsigned code, uint32_t literal, ConstantType type) {
  Source source;
  const auto constant = [&](uint64_t value) {
    source.kind = Source::Kind::constant;
    source.value = value;
  };
  if (code >= 256) {
    source.kind = Source::Kind::vgpr;
    source.index = static_cast<uint16_t>(code - 256);
  } else if (code < 128) {
    source.kind = Source::Kind::sgpr;
    source.index = static_cast<uint16_t>(code);
  } else if (code <= 192) {
    constant(inline_integer(static_cast<int>(code) - 128, type));
  } else if (code <= 208) {
    constant(inline_integer(192 - static_cast<int>(code), type));
  } else if (code >= 240 && code <= 248) {
    constant(inline_float(code - 240, type));
  } else if (code == literal_code) {
    constant(type == ConstantType::f64 ? static_cast<uint64_t>(literal) << 32 : literal);
  } else {
    source.kind = Source::Kind::special;
    source.index = static_cast<uint16_t>(code);
  }
  return source;
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), text) != names.end();
}
// VOP3B: the forms with a scalar destination beside the vector one.
bool has_scalar_destination(std::string_view m) {
  return m.find("_co_") != m.npos || m.starts_with("v_div_scale") ||
         is_one_of(m, {"v_mad_u64_u32", "v_mad_i64_i32"});
}
bool reads_carry(std::string_view m) {
  return is_one_of(m, {"v_cndmask_b32", "v_addc_co_u32", "v_subb_co_u32", "v_subbrev_co_u32"});
}

struct Decoder {
  Instruction& in;
  std::string_view mnemonic;
  uint32_t accum_offset;
  uint32_t w0 = in.words[0], w1 = in.words[1];

  void operands() {
    switch (in.encoding) {
    case Encoding::sop1:
    case Encoding::sop2:
    case Encoding::sopk:
    case Encoding::sopc:
    case Encoding::sopp: return sop();
    case Encoding::smem: return smem();
    case Encoding::vop1: return vop1();
    case Encoding::vop2: return vop2();
    case Encoding::vopc: return vopc();
    case Encoding::vop3: return vop3();
    case Encoding::vop3p: return vop3p();
    case Encoding::mai: return mai();
    case Encoding::ds: return ds();
    case Encoding::mubuf:
    case Encoding::mtbuf: return buffer();
    case Encoding::flat: return flat();
    }
  }

  ConstantType constant_type(int operand) const {
    return in.row ? in.row->constant[operand] : ConstantType::b32;
  }
  void set_source(int operand, unsigned code) {
    in.src[operand] = source_of(code, in.words[in.bytes / 4 - 1], constant_type(operand));
  }
  uint16_t vgpr(unsigned number, bool accumulator) const {
    return static_cast<uint16_t>(number + (accumulator ? accum_offset : 0));
  }

  void sop() {
    switch (in.encoding) {
    case Encoding::sop1:
      in.dst = field(w0, 22, 16);
      set_source(0, field(w0, 7, 0));
      break;
    case Encoding::sop2:
      in.dst = field(w0, 22, 16);
      set_source(0, field(w0, 7, 0));
      set_source(1, field(w0, 15, 8));
      break;
    case Encoding::sopc:
      set_source(0, field(w0, 7, 0));
      set_source(1, field(w0, 15, 8));
      break;
    case Encoding::sopk: in.dst = field(w0, 22, 16); [[fallthrough]];
    default: in.simm16 = sign_extend(w0 & 0xFFFF, 16);
    }
  }

  // src0 of VOP1, VOP2 and VOPC may be an escape to SDWA or DPP.
  void vector_source0(bool compare) {
    const unsigned code = field(w0, 8, 0);
    if (code == sdwa_code) {
      in.extension = Extension::sdwa;
      in.modified = modified_all;
      in.src[0] = source_of(field(w1, 7, 0) + (bit(w1, 23) ? 0 : 256), 0, constant_type(0));
      in.src[0].neg = bit(w1, 20);
      in.src[0].abs = bit(w1, 21);
      if (compare) {
        if (bit(w1, 15)) in.sdst = field(w1, 14, 8);
      } else {
        in.clamp = bit(w1, 13);
        in.omod = field(w1, 15, 14);
      }
    } else if (code == dpp_code) {
      in.extension = Extension::dpp;
      in.modified = modified_all;
      in.src[0] = source_of(field(w1, 7, 0) + 256, 0, constant_type(0));
      in.src[0].neg = bit(w1, 20);
      in.src[0].abs = bit(w1, 21);
    } else {
      set_source(0, code);
    }
  }
  void vector_source1() {
    const unsigned number = field(w0, 16, 9);
    if (in.extension == Extension::sdwa) {
      in.src[1] = source_of(number + (bit(w1, 31) ? 0 : 256), 0, constant_type(1));
      in.src[1].neg = bit(w1, 28);
      in.src[1].abs = bit(w1, 29);
    } else {
      in.src[1] = source_of(number + 256, 0, constant_type(1));
      if (in.extension == Extension::dpp) {
        in.src[1].neg = bit(w1, 22);
        in.src[1].abs = bit(w1, 23);
      }
    }
  }

  void vop1() {
    in.dst = field(w0, 24, 17);
    vector_source0(false);
    if (mnemonic == "v_accvgpr_mov_b32") {
      in.dst = vgpr(in.dst, true);
      in.src[0].index = vgpr(in.src[0].index, true);
    }
  }

  void vop2() {
    in.dst = field(w0, 24, 17);
    in.sdst = vcc_code;
    in.op_sel_hi = own_halves;
    vector_source0(false);
    vector_source1();
    if (reads_carry(mnemonic)) in.src[2] = source_of(vcc_code, 0, ConstantType::b32);
    const bool mk = mnemonic.starts_with("v_fmamk") || mnemonic.starts_with("v_madmk");
    const bool ak = mnemonic.starts_with("v_fmaak") || mnemonic.starts_with("v_madak");
    if (mk) in.src[2] = in.src[1]; // D = S0 * K + S1
    if (mk) set_source(1, literal_code);
    if (ak) set_source(2, literal_code); // D = S0 * S1 + K
  }

  void vopc() {
    in.sdst = vcc_code;
    vector_source0(true);
    vector_source1();
  }

  void vop3() {
    in.dst = field(w0, 7, 0);
    in.op_sel_hi = own_halves;
    for (int i = 0; i < 3; ++i) set_source(i, field(w1, 9 * i + 8, 9 * i));
    if (mnemonic.starts_with("v_cmp")) in.sdst = in.dst;
    if (mnemonic.starts_with("v_bitop3")) { // abs, neg and omod are its truth table
      in.op_sel = field(w0, 14, 11);
      return;
    }
    in.clamp = bit(w0, 15);
    in.omod = field(w1, 28, 27);
    const bool scalar_destination = has_scalar_destination(mnemonic);
    if (scalar_destination)
      in.sdst = field(w0, 14, 8);
    else
      in.op_sel = field(w0, 14, 11);
    for (int i = 0; i < 3; ++i) {
      in.src[i].neg = bit(w1, 29 + i);
      in.src[i].abs = !scalar_destination && bit(w0, 8 + i);
      if (in.src[i].neg || in.src[i].abs || in.op_sel >> i & 1) in.modified |= modified_source << i;
    }
    if (in.clamp || in.omod || in.op_sel >> 3 & 1) in.modified |= modified_result;
  }

  void vop3p() {
    in.dst = field(w0, 7, 0);
    for (int i = 0; i < 3; ++i) set_source(i, field(w1, 9 * i + 8, 9 * i));
    in.op_sel = field(w0, 13, 11);
    in.op_sel_hi = static_cast<uint8_t>(field(w1, 28, 27) | bit(w0, 14) << 2);
    in.clamp = bit(w0, 15);
    for (int i = 0; i < 3; ++i) {
      in.src[i].neg = bit(w1, 29 + i);
      in.src[i].neg_hi = bit(w0, 8 + i);
    }
    if (in.clamp || in.op_sel || in.op_sel_hi != 7 || field(w1, 31, 29) || field(w0, 10, 8))
      in.modified = modified_all;
  }

  void mai() {
    // A scaled MFMA carries its prefix in the first two dwords (mfma_gfx950.md section 3.4).
    const int main = in.bytes == 16 ? 2 : 0;
    const uint32_t m0 = in.words[main], m1 = in.words[main + 1];
    const bool accumulator = bit(m0, 15) || mnemonic.starts_with("v_accvgpr_write");
    in.dst = vgpr(field(m0, 7, 0), accumulator);
    for (int i = 0; i < 3; ++i) in.src[i] = source_of(field(m1, 9 * i + 8, 9 * i), 0, constant_type(i));
    const auto place = [&](int operand, bool in_accumulators) {
      if (in.src[operand].kind == Source::Kind::vgpr)
        in.src[operand].index = vgpr(in.src[operand].index, in_accumulators);
    };
    // The moves have op_sel_hi's default bits where MFMA has ACC; which side is an AccVGPR their names say.
    const bool is_move = mnemonic.starts_with("v_accvgpr");
    place(0, is_move ? mnemonic == "v_accvgpr_read_b32" : bit(m1, 27));
    place(1, !is_move && bit(m1, 28));
    place(2, accumulator && !mnemonic.starts_with("v_smfmac"));
  }

  void ds() {
    const bool accumulator = bit(w0, 25);
    in.offset = static_cast<int32_t>(field(w0, 15, 0));
    in.vaddr = field(w1, 7, 0);
    in.vdata = vgpr(field(w1, 15, 8), accumulator);
    in.vdata1 = vgpr(field(w1, 23, 16), accumulator);
    in.dst = vgpr(field(w1, 31, 24), accumulator);
  }

  void buffer() { // MUBUF; MTBUF has its format where MUBUF has LDS and the opcode's low bits
    in.offset = static_cast<int32_t>(field(w0, 11, 0));
    in.offen = bit(w0, 12);
    in.idxen = bit(w0, 13);
    in.sc0 = bit(w0, 14);
    in.sc1 = in.encoding == Encoding::mubuf ? bit(w0, 15) : bit(w1, 21);
    in.lds = in.encoding == Encoding::mubuf && bit(w0, 16);
    in.nt = in.encoding == Encoding::mubuf ? bit(w0, 17) : bit(w1, 22);
    in.vaddr = field(w1, 7, 0);
    in.vdata = in.dst = vgpr(field(w1, 15, 8), bit(w1, 23));
    in.saddr = static_cast<uint16_t>(field(w1, 20, 16) * 4);
    in.src[0] = source_of(field(w1, 31, 24), 0, ConstantType::b32); // soffset
  }

  void flat() {
    const bool accumulator = bit(w1, 23);
    const uint32_t offset = field(w0, 12, 0);
    in.offset =
        mnemonic.starts_with("flat_") ? static_cast<int32_t>(offset & 0xFFF) : sign_extend(offset, 13);
    in.sc0 = bit(w0, 16);
    in.nt = bit(w0, 17);
    in.sc1 = bit(w0, 25);
    in.vaddr = field(w1, 7, 0);
    in.vdata = vgpr(field(w1, 15, 8), accumulator);
    in.saddr = field(w1, 22, 16);
    in.dst = vgpr(field(w1, 31, 24), accumulator);
  }

  void smem() {
    in.saddr = static_cast<uint16_t>(field(w0, 5, 0) * 2);
    in.dst = field(w0, 12, 6);
    const bool immediate = bit(w0, 17), soffset = bit(w0, 14);
    if (immediate) in.offset = sign_extend(field(w1, 20, 0), 21);
    if (soffset)
      in.src[0] = source_of(field(w1, 31, 25), 0, ConstantType::b32);
    else if (!immediate)
      in.src[0] = source_of(field(w1, 6, 0), 0, ConstantType::b32);
  }
};

// Whether 32-bit operands are VGPRs, SGPRs or constants, perhaps negated, and the result is written as it is. op_sel does
// not count: such operands have no halves, and conversions read it themselves.
bool is_plain_words(const Instruction& in) {
  const bool modifies = in.extension != Extension::none || in.clamp || in.omod;
  bool plain = is_valu(in.encoding) && in.encoding != Encoding::vop3p && !modifies;
  for (const Source& source : in.src) plain &= !source.abs && source.kind != Source::Kind::special;
  return plain;
}

} // namespace

Encoding encoding_of(uint32_t word) {
  if (!bit(word, 31)) {
    const uint32_t op = field(word, 30, 25);
    return op == 0x3F ? Encoding::vop1 : op == 0x3E ? Encoding::vopc : Encoding::vop2;
  }
  if (!bit(word, 30)) {
    switch (field(word, 31, 23)) {
    case 0x17D: return Encoding::sop1;
    case 0x17E: return Encoding::sopc;
    case 0x17F: return Encoding::sopp;
    default: return field(word, 31, 28) == 0xB ? Encoding::sopk : Encoding::sop2;
    }
  }
  switch (field(word, 31, 26)) {
  case 0x30: return Encoding::smem;
  case 0x34: return field(word, 31, 23) == 0x1A7 ? Encoding::vop3p : Encoding::vop3;
  case 0x36: return Encoding::ds;
  case 0x37: return Encoding::flat;
  case 0x38: return Encoding::mubuf;
  default: return Encoding::mtbuf;
  }
}

void decode_fields(Instruction& instruction, std::string_view mnemonic, uint32_t accum_offset) {
  instruction.encoding = encoding_of(instruction.words[0]);
  if (instruction.encoding == Encoding::vop3p &&
      (mnemonic.starts_with("v_mfma") || mnemonic.starts_with("v_smfmac") ||
       mnemonic.starts_with("v_accvgpr")))
    instruction.encoding = Encoding::mai;
  Decoder decoder{instruction, mnemonic, accum_offset};
  decoder.operands();
  instruction.plain_words = is_plain_words(instruction);
}

} // namespace fmha950::isa
