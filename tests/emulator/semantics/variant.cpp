#include "tests/emulator/semantics/variant.hpp"

#include <fmt/format.h>

namespace fmha950::semantics {
namespace {

constexpr const char* selects[] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"};
constexpr const char* unused[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};

struct InlineConstant {
  const char* text;
  int64_t integer;
  uint64_t half, single, real; // float constants: bits as f16, f32, f64
};
constexpr InlineConstant integers[] = {
    {"0", 0, 0, 0, 0}, {"1", 1, 0, 0, 0}, {"64", 64, 0, 0, 0}, {"-1", -1, 0, 0, 0}, {"-16", -16, 0, 0, 0}};
constexpr InlineConstant floats[] = {{"0.5", 0, 0x3800, 0x3F000000, 0x3FE0000000000000},
                                     {"-1.0", 0, 0xBC00, 0xBF800000, 0xBFF0000000000000},
                                     {"4.0", 0, 0x4400, 0x40800000, 0x4010000000000000},
                                     {"0.15915494309189532", 0, 0x3118, 0x3E22F983, 0x3FC45F306DC9C882}};

std::string registers(char file, int first, int bytes) {
  return bytes == 8 ? fmt::format("{}[{}:{}]", file, first, first + 1) : fmt::format("{}{}", file, first);
}
bool flip(Random& random) { return random() % 2; }

} // namespace

Variant::Variant(const Reference& r, Form f, Random& random) : reference(&r), form(f) {
  uses_vcc = form == Form::sdwa || form == Form::dpp || flip(random);
  if (form != Form::plain) choose_modifiers(random);
  if (form != Form::sdwa && form != Form::dpp && flip(random)) choose_scalar(random);
  text = assembly();
}

void Variant::choose_modifiers(Random& random) {
  const bool float_result = is_float(reference->result);
  clamp = (float_result || reference->clamped) && form != Form::dpp && form != Form::sdwa && flip(random);
  if (float_result && form == Form::modified && !reference->packed) omod = static_cast<int>(random() % 4) - 1;
  for (size_t i = 0; i < 3; ++i) {
    const Type type = reference->source[i];
    Operand& operand = source[i];
    if ((is_float(type) || type == Type::b32)) {
      operand.neg = flip(random);
      operand.abs = !reference->packed && flip(random);
      operand.neg_of_high = reference->packed && flip(random);
    }
    if (form == Form::op_sel && bytes_of(type) == 2) operand.high = flip(random);
    if (reference->packed && form == Form::op_sel) {
      operand.high = flip(random);
      operand.high_of_high = flip(random);
    }
    if (form == Form::sdwa) {
      operand.select = static_cast<unsigned>(random() % 7);
      operand.sign_extend = !is_float(type) && type != Type::b32 && flip(random);
    }
  }
  result_high = form == Form::op_sel && reference->keeps_half && flip(random);
  if (form == Form::sdwa && reference->result != Type::boolean) {
    result_select = static_cast<unsigned>(random() % 7);
    result_unused = static_cast<unsigned>(random() % 3);
  }
  if (form == Form::dpp) {
    dpp.pattern = static_cast<Dpp::Pattern>(random() % 6);
    dpp.amount = 1 + static_cast<unsigned>(random() % 15);
    for (unsigned& lane : dpp.quad) lane = static_cast<unsigned>(random() % 4);
    if (flip(random)) dpp.row_mask = static_cast<unsigned>(random() % 16);
    if (flip(random)) dpp.bank_mask = static_cast<unsigned>(random() % 16);
    dpp.zero_fill = flip(random);
  }
}

// One operand, as the encodings allow one scalar.
void Variant::choose_scalar(Random& random) {
  const size_t i = random() % 3;
  const Type type = reference->source[i];
  const bool carries = reference->source[2] == Type::carry; // already a scalar, unless it is VCC too
  if (type == Type::none || type == Type::carry || carries) return;
  Operand& operand = source[i];
  if (flip(random) || reference->packed || operand.neg || operand.abs || operand.high) {
    operand.kind = Operand::Kind::sgpr;
    return;
  }
  operand.kind = Operand::Kind::constant;
  if (is_float(type) && flip(random)) {
    const InlineConstant& constant = floats[random() % std::size(floats)];
    operand.constant_text = constant.text;
    operand.constant = type == Type::f16   ? constant.half
                       : type == Type::f32 ? constant.single
                                           : constant.real;
  } else {
    const InlineConstant& constant = integers[random() % std::size(integers)];
    operand.constant_text = constant.text;
    const int bits = 8 * bytes_of(type);
    operand.constant = static_cast<uint64_t>(constant.integer) << (64 - bits) >> (64 - bits);
  }
}

std::string Variant::assembly() const {
  const Reference& r = *reference;
  const auto pair = [&](int sgpr) { return uses_vcc ? std::string("vcc") : registers('s', sgpr, 8); };
  std::string line = r.mnemonic;
  if (form == Form::sdwa) line += "_sdwa";
  if (form == Form::dpp) line += "_dpp";
  const int register_bytes = r.packed && r.result == Type::f32 ? 8 : 0;
  if (r.result == Type::boolean) {
    line += " " + pair(carry_out);
  } else {
    line += " " + registers('v', result_vgpr, std::max(register_bytes, bytes_of(r.result)));
    if (r.carries_out) line += ", " + pair(carry_out);
  }
  std::string op_sel, op_sel_hi, neg_lo, neg_hi, source_selects;
  const auto bit = [](std::string& list, bool value) {
    list += value ? (list.empty() ? "1" : ",1") : (list.empty() ? "0" : ",0");
  };
  for (size_t i = 0; i < 3; ++i) {
    const Type type = r.source[i];
    const Operand& operand = source[i];
    if (type == Type::none) break;
    if (type == Type::carry) {
      line += ", " + pair(carry_in);
      break;
    }
    const int bytes = std::max(register_bytes, bytes_of(type));
    std::string name = operand.kind == Operand::Kind::constant ? operand.constant_text
                       : operand.kind == Operand::Kind::sgpr ? registers('s', scalar_source, bytes)
                                                             : registers('v', static_cast<int>(2 * i), bytes);
    if (operand.abs) name = "|" + name + "|";
    if (operand.neg && !r.packed) name = "-" + name;
    if (operand.sign_extend) name = "sext(" + name + ")";
    line += ", " + name;
    bit(op_sel, operand.high);
    bit(op_sel_hi, operand.high_of_high);
    bit(neg_lo, operand.neg);
    bit(neg_hi, operand.neg_of_high);
    source_selects += fmt::format(" src{}_sel:{}", i, selects[operand.select]);
  }
  if (r.packed) {
    line += fmt::format(" op_sel:[{}] op_sel_hi:[{}]", op_sel, op_sel_hi);
    if (is_float(r.result)) line += fmt::format(" neg_lo:[{}] neg_hi:[{}]", neg_lo, neg_hi);
  } else if (form == Form::op_sel) {
    bit(op_sel, result_high);
    line += fmt::format(" op_sel:[{}]", op_sel);
  }
  if (clamp) line += " clamp";
  if (omod) line += omod == 1 ? " mul:2" : omod == 2 ? " mul:4" : " div:2";
  if (form == Form::sdwa) {
    if (r.result != Type::boolean)
      line += fmt::format(" dst_sel:{} dst_unused:{}", selects[result_select], unused[result_unused]);
    line += source_selects;
  }
  if (form == Form::dpp) {
    constexpr const char* names[] = {"quad_perm", "row_shl",    "row_shr",
                                     "row_ror",   "row_mirror", "row_half_mirror"};
    line += fmt::format(" {}", names[static_cast<int>(dpp.pattern)]);
    if (dpp.pattern == Dpp::Pattern::quad_perm)
      line += fmt::format(":[{},{},{},{}]", dpp.quad[0], dpp.quad[1], dpp.quad[2], dpp.quad[3]);
    else if (dpp.pattern < Dpp::Pattern::row_mirror)
      line += fmt::format(":{}", dpp.amount);
    line += fmt::format(" row_mask:{:#x} bank_mask:{:#x}{}", dpp.row_mask, dpp.bank_mask,
                        dpp.zero_fill ? " bound_ctrl:0" : "");
  }
  return line;
}

} // namespace fmha950::semantics
