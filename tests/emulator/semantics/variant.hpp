#pragma once
// One way to write an instruction down: its operands and modifiers, chosen at random among those that its
// types allow, and its assembly text.

#include "tests/emulator/semantics/reference.hpp"
#include "tests/emulator/semantics/settings.hpp"

#include <string>

namespace fmha950::semantics {

// Where operands are: source i in v[2i : 2i+1], the result in v[6:7].
inline constexpr int result_vgpr = 6, scalar_source = 20, carry_in = 22, carry_out = 24, vcc = 106;

enum class Form : uint8_t { plain, modified, op_sel, sdwa, dpp };
inline constexpr Form forms[] = {Form::plain, Form::modified, Form::op_sel, Form::sdwa, Form::dpp};

struct Operand {
  enum class Kind : uint8_t { vgpr, sgpr, constant } kind = Kind::vgpr;
  uint64_t constant = 0; // bits of the operand's type
  std::string constant_text;
  bool neg = false, abs = false;                 // floats
  bool high = false;                             // op_sel
  bool high_of_high = true, neg_of_high = false; // VOP3P: op_sel_hi, neg_hi
  unsigned select = 6;                           // SDWA: 0..3 byte, 4..5 word, 6 dword
  bool sign_extend = false;                      // SDWA, integers
};

struct Dpp {
  enum class Pattern : uint8_t { quad_perm, row_shl, row_shr, row_ror, row_mirror, row_half_mirror } pattern;
  unsigned amount = 1; // 1..15
  std::array<unsigned, 4> quad = {};
  unsigned row_mask = 15, bank_mask = 15;
  // Written "bound_ctrl:0": lanes without a source read 0 instead of staying as they are.
  bool zero_fill = false;
};

struct Variant {
  Variant(const Reference& reference, Form form, Random& random);

  const Reference* reference;
  Form form;
  std::array<Operand, 3> source;
  bool clamp = false;
  int omod = 0; // result times 2^omod: 0, 1, 2, -1
  bool result_high = false;
  unsigned result_select = 6, result_unused = 0; // SDWA: dst_sel; 0 pad, 1 sign-extend, 2 preserve
  Dpp dpp = {};
  bool uses_vcc; // carry or comparison in VCC, not in an SGPR pair
  std::string text;

 private:
  void choose_modifiers(Random& random);
  void choose_scalar(Random& random);
  std::string assembly() const;
};

} // namespace fmha950::semantics
