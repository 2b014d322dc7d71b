#pragma once
// What a kernel has that finds keys with the pieces of attention/ and is launched over work_items.hpp.

#include "interface/features.hpp"

#include <string>
#include <vector>

namespace fmha950::attention {

inline std::vector<std::string> all_page_sizes() { return {"1", "16", "32", "64", "128", "1024"}; }

// These features and the kernel's own.
inline FeatureSet with_pages(FeatureSet own) {
  const FeatureSet shared = {
      {feature::causal},
      {feature::lse},
      {feature::page_table, {"sglang", "vllm"}},
      {feature::page_size, all_page_sizes()},
      {feature::consecutive_pages},
      {feature::mode, {"batch", "group"}},
  };
  own.insert(own.end(), shared.begin(), shared.end());
  return own;
}

} // namespace fmha950::attention
