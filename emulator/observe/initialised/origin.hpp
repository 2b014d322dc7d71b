#pragma once
// Where a value that nobody wrote came from, in 64 bits: a register that was never written, and the instruction that
// read it first; or the instruction that loaded it from memory. 0: a register, not known which.

#include <cstdint>

namespace fmha950::observe {

class Origin {
 public:
  static constexpr uint64_t of_vgpr(int r) { return static_cast<uint64_t>(r + 1) << register_bit; }
  static constexpr uint64_t of_sgpr(int code) {
    return static_cast<uint64_t>(code + first_sgpr) << register_bit;
  }
  // The origin of what `instruction` computes from a value with `origin`: it is the first reader if there was none.
  static constexpr uint64_t read_by(uint64_t origin, uint64_t instruction) {
    return Origin(origin).instruction() ? origin : origin | instruction;
  }

  explicit constexpr Origin(uint64_t bits) : bits_(bits) {}
  constexpr uint64_t instruction() const { return bits_ & ((uint64_t{1} << register_bit) - 1); }
  constexpr bool is_memory() const { return bits_ && !(bits_ >> register_bit); }
  constexpr bool is_vgpr() const { return bits_ >> register_bit && bits_ >> register_bit < first_sgpr; }
  constexpr bool is_sgpr() const { return bits_ >> register_bit >= first_sgpr; }
  constexpr int number() const { // of the register: a VGPR's, or an SGPR's code
    return static_cast<int>(bits_ >> register_bit) - (is_vgpr() ? 1 : first_sgpr);
  }

 private:
  static constexpr int register_bit = 48, first_sgpr = 1024;
  uint64_t bits_;
};

} // namespace fmha950::observe
