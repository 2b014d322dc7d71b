#pragma once
// What a case folder's manifest says of its form. Its tensors are the entries of
// the operator's table (interface/tensor_table.hpp).

#include <string_view>

namespace fmha950::workload {

inline constexpr int case_folder_version = 1;
inline constexpr std::string_view manifest_name = "manifest.json";

} // namespace fmha950::workload
