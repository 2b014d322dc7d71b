#pragma once
// The tensors of a case folder by their names in the manifest.

#include "interface/tensors.hpp"

#include <span>
#include <string_view>

namespace fmha950::workload {

inline constexpr int case_folder_version = 1;
inline constexpr std::string_view manifest_name = "manifest.json";

struct TensorEntry {
  std::string_view name; // in the manifest, and of its file
  Tensor& (*of)(Tensors& tensors);
  bool (*needed)(const Problem& problem);
};

std::span<const TensorEntry> tensor_entries(Operator op);

} // namespace fmha950::workload
