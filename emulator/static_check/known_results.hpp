#pragma once
// What the bits of results are that are known in all lanes of all waves.

#include "emulator/static_check/code.hpp"
#include "emulator/static_check/known_bits.hpp"

#include <vector>

namespace fmha950::static_check {

class KnownResults {
 public:
  explicit KnownResults(const Code& code);
  // Of the register that the instruction writes, if it is one.
  KnownBits of(size_t index) const { return results_[index]; }

 private:
  std::vector<KnownBits> results_;
};

} // namespace fmha950::static_check
