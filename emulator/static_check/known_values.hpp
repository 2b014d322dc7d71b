#pragma once
// Registers whose values the code alone fixes, in the first wave of a one-dimensional workgroup, whose lanes are all there:
// an instruction that reads nothing unknown is executed on them. What is not the same on all paths is unknown. So the
// addresses of some LDS accesses are known, and one wave in which they meet is enough for an error.

#include "emulator/static_check/code.hpp"

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace fmha950::static_check {

class KnownValues {
 public:
  using Lanes = std::array<uint32_t, 64>;
  static KnownValues at_entry();

  bool join(const KnownValues& other); // whether something became unknown
  bool empty() const { return scalar_.empty() && vector_.empty(); }
  void execute(const Code& code, size_t index);

  std::optional<uint32_t> scalar(int sgpr_code) const;
  const Lanes* vector(int vgpr) const; // null: unknown
  uint64_t exec() const;               // 0 if it is unknown

 private:
  bool knows(const isa::RegisterRange& range) const;
  void forget(const isa::RegisterRange& range);

  std::map<int, uint32_t> scalar_; // by code, SCC among them
  std::map<int, std::shared_ptr<const Lanes>> vector_;
};

// Bytes of LDS that an instruction touches: [begin, end) each. Of LDS DMA those that it writes.
using LdsBytes = std::vector<std::pair<uint32_t, uint32_t>>;
bool overlap(const LdsBytes& a, const LdsBytes& b);

// By instruction; none where they are not known, or it touches no LDS.
std::vector<LdsBytes> known_lds_bytes(const Code& code);

} // namespace fmha950::static_check
