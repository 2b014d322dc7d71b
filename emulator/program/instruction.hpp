#pragma once
// A decoded gfx950 instruction in compact form: what its handler needs, resolved once. LLVM's MC layer says
// which instruction the bytes are (mnemonic, length, validity); the operand fields are taken from the
// encoding itself (ISA guide chapter 13 "Microcode Formats"; mfma_gfx950.md section 2.1 for VOP3P-MAI).

#include <cstdint>

namespace fmha950::machine {
struct Wave;
}

namespace fmha950::isa {

struct Row;
struct Instruction;
using Execute = void (*)(machine::Wave&, const Instruction&);

enum class Encoding : uint8_t { // scalar ones first, then VALU, then vector memory (is_vector(), is_valu())
  sop1,
  sop2,
  sopk,
  sopc,
  sopp,
  smem,
  vop1,
  vop2,
  vopc,
  vop3,
  vop3p,
  mai,
  ds,
  mubuf,
  mtbuf,
  flat
};

// How an inline constant or literal is read:
// 64-bit floats have their pattern in the high word, 16-bit floats that of a half.
enum class ConstantType : uint8_t { b32, f16, bf16, i64, f64 };

struct Source {
  enum class Kind : uint8_t { none, vgpr, sgpr, constant, special }; // special: vccz, execz, scc, apertures
  Kind kind = Kind::none;
  bool neg = false;    // VOP3 neg, SDWA neg, VOP3P neg (low half)
  bool abs = false;    // VOP3 abs, SDWA abs
  bool neg_hi = false; // VOP3P
  // VGPR number in the unified file (AccVGPRs start at accum_offset), or SGPR/special code.
  uint16_t index = 0;
  uint64_t value = 0; // constant, already of the row's ConstantType
};

// DPP and SDWA permute or select a source before the operation (words[1] holds their controls).
enum class Extension : uint8_t { none, dpp, sdwa };

// Which operands the slow path fetches or stores (valu_modifiers.cpp).
enum Modified : uint8_t {
  modified_source = 1, // << its number: neg, abs, op_sel
  modified_result = 8, // omod, clamp, op_sel
  modified_all = 15    // DPP, SDWA, VOP3P's, or MODE is not its default
};

struct alignas(64) Instruction {
  Execute execute = nullptr;
  const Row* row = nullptr; // null when the instruction has no row: execute then stops the launch
  uint64_t address = 0;     // device address of the first byte
  Encoding encoding = Encoding::sopp;
  Extension extension = Extension::none;
  uint8_t bytes = 0;     // 4, 8, 12 or 16
  uint8_t modified = 0;  // of Modified
  uint8_t op_sel = 0;    // VOP3 op_sel[3:0]; VOP3P op_sel[2:0]
  uint8_t op_sel_hi = 0; // VOP3P op_sel_hi[2:0]
  uint8_t omod = 0;      // 0 none, 1 *2, 2 *4, 3 /2
  bool clamp = false;
  bool plain_words = false; // VALU: its handler, if of 32-bit operands, has a short way (isa/valu.hpp)

  // VALU: VGPR written (unified file) | SALU, SMEM: first SGPR written | memory: VGPR loaded into
  uint16_t dst = 0;
  uint16_t sdst = 0; // VOP3B carry-out / VOPC result SGPR pair (106 = VCC in the 32-bit forms)
  Source src[3];     // VALU, SALU: operands in encoding order

  // Memory: DS, MUBUF, MTBUF, FLAT family, SMEM
  uint16_t vaddr = 0;  // first address VGPR
  uint16_t vdata = 0;  // first data VGPR (unified file): store data, atomic operand
  uint16_t vdata1 = 0; // DS data1
  uint16_t saddr = 0;  // FLAT saddr SGPR (0x7f: off) | MUBUF first SGPR of the SRD | SMEM base SGPR
  int32_t offset = 0;  // MUBUF 12 bit unsigned, FLAT 13 bit signed, DS 16 bit, SMEM 21 bit signed
  int32_t simm16 = 0;  // SOPK, SOPP (sign-extended)
  int32_t target = -1; // relative branch: index of the target instruction minus this one's
  bool offen = false, idxen = false, lds = false, sc0 = false, sc1 = false, nt = false;

  bool has_modifiers() const { return modified != 0; }

  uint32_t words[4] = {}; // the encoding, for fields that few handlers need (DPP control, MAI cbsz/abid/blgp)

  // In a changed copy of a function (observe/mutation): where the instruction lies there, which is where it is fetched
  // from. `address` stays that of the original; what was put before that has its address, and counts from 1.
  uint64_t laid_out_at = 0;
  uint16_t inserted = 0;      // 0: an instruction of the code itself
  bool is_doubted = false;    // the checks count on nothing that a change has made of it
  int16_t trusted_simm16 = 0; // of an s_waitcnt that is doubted: what it was before
};

} // namespace fmha950::isa
