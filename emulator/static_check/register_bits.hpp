#pragma once
// Registers of one wave whose bits are known in part (known_bits.hpp), beside those that are known (known_values.hpp): what
// addresses in LDS are made of where a loop's parity chooses a buffer.

#include "emulator/static_check/known_bits.hpp"
#include "emulator/static_check/known_values.hpp"

namespace fmha950::static_check {

class RegisterBits {
 public:
  using Lanes = std::array<KnownBits, 64>;
  RegisterBits(const Code& code, uint32_t wave) : values_(KnownValues::at_entry(code, wave)) {}

  bool join(const RegisterBits& other);
  bool empty() const { return false; }
  void execute(const Code& code, size_t index);
  void keep_only(const observe::RegisterSet& registers);

  KnownBits scalar(int code) const;
  Lanes vector(int vgpr) const;
  uint64_t lanes() const { return values_.exec().value_or(~uint64_t{0}); } // that may execute
  bool executes_in_all_lanes() const { return values_.exec() == ~uint64_t{0}; }

 private:
  KnownBits operand(const isa::Source& source, int lane) const;
  void set(const isa::RegisterRange& range, const Lanes& lanes);

  KnownValues values_;
  std::map<int, KnownBits> scalar_; // of those that are not in values_
  std::map<int, std::shared_ptr<const Lanes>> vector_;
};

} // namespace fmha950::static_check
