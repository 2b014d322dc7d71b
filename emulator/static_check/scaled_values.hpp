#pragma once
// Registers that hold an entry of a table or a count, times a power of two: what offsets into a buffer and the buffer's size
// are made of. The power is a constant, an argument of the kernel that shifts, or both. So an offset is seen to lie
// within the buffer whatever the count is, given that each entry is below it.

#include "emulator/static_check/register_bits.hpp"

#include <map>

namespace fmha950::static_check {

struct Scaled {
  enum class Kind : uint8_t {
    unknown,
    arguments_low, // the address of the kernel's arguments
    arguments_high,
    argument, // value << by << shift
    entry, // (what is loaded for a lane << by | something below 1 << by) << shift, and at most `rest` in the bits below
    below, // of 1 << by
    above, // all ones from bit `by` on
  };
  static constexpr int none = -1;
  Kind kind = Kind::unknown;
  int argument = none; // its place among the arguments
  int by = none;       // likewise of the argument that shifts
  int shift = 0;
  uint32_t rest = 0;

  bool operator==(const Scaled&) const = default;
};
// What holds for either.
Scaled either(const Scaled& a, const Scaled& b);

// Of one wave.
class ScaledValues {
 public:
  ScaledValues(const Code& code, uint32_t wave);

  bool join(const ScaledValues& other);
  bool empty() const { return false; }
  void execute(const Code& code, size_t index);
  void keep_only(const observe::RegisterSet& registers) { bits_.keep_only(registers); }

  const RegisterBits& bits() const { return bits_; }
  Scaled scalar(int code) const;
  Scaled vector(int vgpr) const;

 private:
  using File = isa::RegisterRange::File;
  using Registers = std::map<std::pair<File, int>, Scaled>;
  struct Operand {
    Scaled scaled;
    KnownBits bits; // what is known in every lane
  };
  Scaled of(File file, int r) const;
  Operand operand(const isa::Source& source) const;
  Registers written_by(const Code& code, size_t index) const;
  Registers loaded_by(const isa::Instruction& in, const isa::Uses& uses) const;
  static Operand shifted(const Operand& value, const Operand& count);
  static Scaled combined(uint32_t table, const Operand (&operands)[3]);

  RegisterBits bits_;
  Registers registers_;
};

} // namespace fmha950::static_check
