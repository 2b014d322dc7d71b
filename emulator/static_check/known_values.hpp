#pragma once
// Registers whose values the code alone fixes, in one wave of a one-dimensional workgroup of whole waves: an instruction that
// reads nothing unknown is executed on them. What is not the same on all paths is unknown. So the addresses of some LDS
// accesses are known, and which way some branches go.

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
  struct Lanes {
    std::array<uint32_t, 64> value{};
    uint64_t known = 0; // which lanes
  };
  static KnownValues at_entry(const Code& code, uint32_t wave);

  bool join(const KnownValues& other); // whether something became unknown
  bool empty() const { return scalar_.empty() && vector_.empty(); }
  void execute(const Code& code, size_t index);
  // Passes a call, of a function that leaves SGPRs as they are. It may not: but what a compiler reads behind a call it has put
  // where the calling convention has functions keep it.
  void come_back(const Code& code, size_t index);

  std::optional<uint32_t> scalar(int sgpr_code) const;
  const std::map<int, uint32_t>& scalars() const { return scalar_; }                     // by code
  const std::map<int, std::shared_ptr<const Lanes>>& vectors() const { return vector_; } // by VGPR
  const Lanes* vector(int vgpr) const { return shared_vector(vgpr).get(); }              // null: unknown
  std::shared_ptr<const Lanes> shared_vector(int vgpr) const;
  std::optional<uint64_t> exec() const;
  // Whether the conditional branch there is taken.
  std::optional<bool> takes(const Code& code, size_t index) const;

 private:
  bool knows_scalars(const isa::Uses& uses) const;
  // Lanes that are known in all vector registers that are read.
  uint64_t known_lanes(const isa::Uses& uses) const;
  void load_bench(const Code& code, const isa::Uses& uses) const;
  void forget(const isa::RegisterRange& range);
  std::vector<int> full_masks_written(const isa::Instruction& in) const;

  std::map<int, uint32_t> scalar_; // by code, SCC among them
  std::map<int, std::shared_ptr<const Lanes>> vector_;
};

// Bytes of LDS that an instruction touches: [begin, end) each, ascending. Of LDS DMA those that it writes.
using LdsBytes = std::vector<std::pair<uint32_t, uint32_t>>;
bool overlap(const LdsBytes& a, const LdsBytes& b);

// None: they do not follow from the values. Of what touches no LDS there are no bytes.
std::optional<LdsBytes> lds_bytes(const Code& code, size_t index, const KnownValues& values);
// In the first wave, by instruction; no bytes where they are not known on all paths.
std::vector<LdsBytes> known_lds_bytes(const Code& code);

} // namespace fmha950::static_check
