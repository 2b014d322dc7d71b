#pragma once
// One row of an instruction table: mnemonic as LLVM prints it without its encoding suffix (_e32, _e64, _sdwa,
// _dpp), and the function that executes it. Families are files of rows; families.hpp lists them. Every family
// file is compiled three times, into namespaces simd_avx512, simd_avx2 and simd_baseline (FMHA950_SIMD),
// chosen at run time.

#include "emulator/program/arithmetic.hpp"
#include "emulator/program/bit_function.hpp"
#include "emulator/program/comparison.hpp"
#include "emulator/program/control_role.hpp"
#include "emulator/program/instruction.hpp"
#include "emulator/program/matrix_facts.hpp"
#include "emulator/program/memory_facts.hpp"
#include "emulator/program/scalar_role.hpp"
#include "emulator/program/valu_facts.hpp"

#include <cstddef>
#include <iterator>

#ifndef FMHA950_SIMD
#define FMHA950_SIMD simd_baseline
#endif

namespace fmha950::isa {

// For rounding and for denormals alike, MODE has one field for f32 and one for f16 and f64
// (machine_gfx950.md section 1.3).
enum class ModeField : uint8_t { none, f32, f16_f64 };

struct Row {
  const char* mnemonic;
  Execute execute; // null: checks know the instruction, the device stops at it
  ConstantType constant[3] = {ConstantType::b32, ConstantType::b32, ConstantType::b32}; // per source operand
  ModeField rounding = ModeField::none; // which field rounds the result
  bool flushes = false; // float operands and results become zero where MODE's denormal fields say so
  MatrixFacts matrix = {};
  MemoryFacts memory = {};
  ControlRole control = ControlRole::unsaid;
  ScalarRole scalar = ScalarRole::unsaid;
  ValuFacts valu = {};
  BitFunction bits = BitFunction::none;
  Arithmetic arithmetic = Arithmetic::unsaid;
  Comparison comparison = {};
  // Why its results may differ from the silicon's although the device executes it; null: they are exact.
  const char* approximation = nullptr;
  // VOP3P: op_sel with which the silicon is intermittently wrong (docs/hardware/errata.md); 0: none is known.
  uint8_t wrong_op_sel = 0;

  constexpr bool obeys_mode() const { return flushes || rounding != ModeField::none; }
};
// A row whose instruction ignores MODE's rounding and denormal fields.
constexpr Row mode_free(Row row) {
  row.rounding = ModeField::none;
  row.flushes = false;
  return row;
}

constexpr Row approximately(const char* why, Row row) {
  row.approximation = why;
  return row;
}

constexpr Row wrong_with(uint8_t op_sel, Row row) {
  row.wrong_op_sel = op_sel;
  return row;
}

// Whether families compiled for AVX-512 may use its byte permutations, VBMI, too (opcode_table.cpp).
bool permutes_bytes();

// Null for what is no matrix instruction.
inline const MatrixFacts* matrix_of(const Instruction& in) {
  return in.row && in.row->matrix.unit != MatrixUnit::none ? &in.row->matrix : nullptr;
}
// rows_of() asserts it of the families of matrix instructions: a row without its facts does not compile.
template <size_t N> constexpr bool all_matrix(const Row (&rows)[N]) {
  for (const Row& row : rows)
    if (row.matrix.unit == MatrixUnit::none) return false;
  return true;
}

constexpr Row memory_row(const char* mnemonic, Execute execute, const MemoryFacts& facts) {
  Row row{mnemonic, execute};
  row.memory = facts;
  return row;
}
// Without facts for what is no memory instruction, and for one that the device does not execute.
inline const MemoryFacts& memory_of(const Instruction& in) {
  static constexpr MemoryFacts no_facts;
  return in.row ? in.row->memory : no_facts;
}
// A load whose data goes to LDS and not into registers (machine_gfx950.md section 3.2).
inline bool is_lds_dma(const Instruction& in) { return in.lds || memory_of(in).to_lds; }
inline ControlRole control_of(const Instruction& in) {
  return in.row ? in.row->control : ControlRole::unsaid;
}
// Whether it goes to Instruction::target, always or under a condition.
inline bool is_relative_branch(const Instruction& in) { return is_relative_branch(control_of(in)); }
// s_getpc_b64: program control that writes a register and goes on; its result is where it lies.
inline bool reads_pc(const Instruction& in) {
  return in.encoding == Encoding::sop1 && control_of(in) == ControlRole::none;
}
// What vskip skips: VALU, buffers, DS, FLAT (machine_gfx950.md section 1.2).
constexpr bool is_vector(Encoding encoding) { return encoding >= Encoding::vop1; }
constexpr bool is_valu(Encoding encoding) { return encoding >= Encoding::vop1 && encoding <= Encoding::mai; }
// As all_matrix().
template <size_t N> constexpr bool all_control(const Row (&rows)[N]) {
  for (const Row& row : rows)
    if (row.control == ControlRole::unsaid) return false;
  return true;
}
template <size_t N> constexpr bool all_memory(const Row (&rows)[N]) {
  for (const Row& row : rows)
    if (!row.memory.is_complete()) return false;
  return true;
}

constexpr Row in_role(ScalarRole role, Row row) {
  row.scalar = role;
  return row;
}
inline ScalarRole scalar_of(const Instruction& in) { return in.row ? in.row->scalar : ScalarRole::unsaid; }
// What becomes of EXEC must be said bit by bit: each is a lane's. All others say somehow what they compute.
template <size_t N> constexpr bool all_scalar(const Row (&rows)[N]) {
  for (const Row& row : rows) {
    const bool is_said = row.bits != BitFunction::none || row.arithmetic != Arithmetic::unsaid ||
                         row.comparison.relation != Relation::none;
    if (row.scalar == ScalarRole::unsaid || !is_said) return false;
    if (sets_exec(row.scalar) && row.bits == BitFunction::none) return false;
  }
  return true;
}

constexpr Row by_bits(BitFunction bits, Row row) {
  row.bits = bits;
  return row;
}
constexpr Row computes(Arithmetic arithmetic, Row row) {
  row.arithmetic = arithmetic;
  return row;
}

constexpr Row valu_row(Row row, const ValuFacts& facts) {
  row.valu = facts;
  return row;
}
constexpr Row of_class(ValuClass kind, Row row) {
  row.valu.kind = kind;
  return row;
}
constexpr Row with_flow(ValuFlow flow, Row row) {
  row.valu.flow = flow;
  return row;
}
// Without facts for what is no VALU instruction, and for one that the device does not execute.
inline const ValuFacts& valu_of(const Instruction& in) {
  static constexpr ValuFacts no_facts;
  return in.row ? in.row->valu : no_facts;
}
template <size_t N> constexpr bool all_valu(const Row (&rows)[N]) {
  for (const Row& row : rows)
    if (!row.valu.is_complete() ||
        (row.valu.flow == ValuFlow::compare && row.comparison.relation == Relation::none))
      return false;
  return true;
}

struct Rows {
  const Row* first;
  size_t count;
};
// A family: its table, and which of the functions above says that no row lacks the facts of its kind.
template <const auto& Table, bool (*AllComplete)(decltype(Table))> constexpr Rows rows_of() {
  static_assert(AllComplete(Table), "a row does not say what the others of its family say");
  return {Table, std::size(Table)};
}

} // namespace fmha950::isa
