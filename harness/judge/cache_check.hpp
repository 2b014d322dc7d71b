#pragma once
// The cache of append_prefill after a call, byte for byte over whole pools: what was appended must be the
// oracle's bytes, everything else what it was before. If only a part of a call was run, each byte of the
// chunk's slots may also be what it was before.

#include "harness/device/device_cache.hpp"
#include "interface/oracle.hpp"

#include <string>

namespace fmha950::harness {

struct CacheCheck {
  int64_t bytes = 0, appended = 0;        // of both pools; of the chunk's slots among them
  int64_t wrong = 0, changed = 0;         // bytes of the chunk's slots that are wrong, others that changed
  std::string first_wrong, first_changed; // with place, value and what would be right
  bool passed() const { return wrong + changed == 0; }
  std::string reason() const; // "" if passed
};

CacheCheck check_cache(const Problem& problem, const Tensors& before, const Cache& expected,
                       const DeviceCache& found, bool whole = true);

} // namespace fmha950::harness
