#pragma once
// The registers an instruction reads and writes, whole registers, from LLVM's operand descriptions: for
// hazard checks and mutation, never for execution.

#include "emulator/program/instruction.hpp"

#include <span>
#include <string>

namespace fmha950::isa {

struct RegisterRange {
  enum class File : uint8_t { vector, scalar };
  File file = File::vector;
  // Not written in the assembly text: VCC of v_cndmask_b32_e32, EXEC of VALU and memory instructions.
  bool implicit = false;
  uint16_t first = 0; // VGPR in the unified file (AccVGPRs from accum_offset), or code of an SGPR or of SCC
  uint8_t count = 0;  // registers
  bool overlaps(const RegisterRange& other) const {
    return file == other.file && first < other.first + other.count && other.first < first + count;
  }
};

// Reads hold the operands in LLVM's operand order without constants, then the implicit ones. A destination
// that keeps part of its old value (fmac's accumulator, a byte conversion's other bytes) is read too. EXEC is
// an implicit read of every vector instruction; M0 of those that use it (machine_gfx950.md section 1.3).
struct Uses {
  // Views into this object: a temporary's would dangle in a range-based for.
  std::span<const RegisterRange> reads() const& { return {read_, read_count_}; }
  std::span<const RegisterRange> writes() const& { return {write_, write_count_}; }
  std::span<const RegisterRange> reads() const&& = delete;
  std::span<const RegisterRange> writes() const&& = delete;
  void add_read(RegisterRange range);
  void add_write(RegisterRange range);

 private:
  RegisterRange read_[8], write_[4];
  uint8_t read_count_ = 0, write_count_ = 0;
};

Uses uses_of(const Instruction& instruction, uint32_t accum_offset);

// "v[4:7]", "s2", "vcc", "exec", "m0", "scc"; AccVGPRs as a[0:3].
std::string name_of(const RegisterRange& range, uint32_t accum_offset);

} // namespace fmha950::isa
