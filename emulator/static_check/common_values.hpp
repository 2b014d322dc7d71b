#pragma once
// What has one value in all waves of all workgroups, on all paths: constants, and what follows from the number
// of a lane (known_values.hpp).

#include "emulator/static_check/known_values.hpp"

#include <map>
#include <vector>

namespace fmha950::static_check {

class CommonValues {
 public:
  explicit CommonValues(const Code& code);
  using Scalars = std::map<int, uint32_t>; // by code
  Scalars before(const Code& code, size_t index) const;
  // Of the registers that the instruction writes; those that are missing are not known.
  const Scalars& written_by(size_t index) const { return written_[index].scalars; }
  // Whether it writes something, and all that it writes has one value.
  bool is_common(size_t index) const { return written_[index].all; }
  // Whether all lanes execute it.
  bool has_all_lanes(size_t index) const { return written_[index].all_lanes; }

 private:
  struct Written {
    Scalars scalars;
    std::vector<std::shared_ptr<const KnownValues::Lanes>> vectors;
    bool all = false, all_lanes = false;
    void keep_equal(const Written& other);
  };
  struct OfWave {
    std::vector<Scalars> at_entry;
    std::vector<Written> written;
  };
  static OfWave values_of(const Code& code, uint32_t wave);

  std::vector<Scalars> at_entry_; // by block
  std::vector<Written> written_;  // by instruction
};

} // namespace fmha950::static_check
