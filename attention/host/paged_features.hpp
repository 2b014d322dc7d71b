#pragma once
// What a kernel has that finds keys with the pieces of attention/ and is launched over work_items.hpp.

#include "interface/features.hpp"

#include <string>
#include <vector>

namespace fmha950::attention {

// Of kernels that find a key's page by a shift: those that were in use first.
inline std::vector<std::string> usual_page_sizes() { return {"1", "16", "32", "64", "128", "1024"}; }
// Every multiple of 16 besides.
inline std::vector<std::string> all_page_sizes() {
  std::vector<std::string> sizes = {"1"};
  for (int size = 16; size <= 1024; size += 16) sizes.push_back(std::to_string(size));
  return sizes;
}

// These features and the kernel's own.
inline FeatureSet with_pages(FeatureSet own,
                             const std::vector<std::string>& page_sizes = usual_page_sizes()) {
  const FeatureSet shared = {
      {feature::causal},
      {feature::lse},
      {feature::page_table, {"sglang", "vllm"}},
      {feature::page_size, page_sizes},
      {feature::consecutive_pages},
      {feature::mode, {"batch", "group"}},
  };
  own.insert(own.end(), shared.begin(), shared.end());
  return own;
}

} // namespace fmha950::attention
