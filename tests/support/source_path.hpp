#pragma once
// Files of the repository that tests read.

#include "interface/installation.hpp"

#include <string>

namespace fmha950 {

inline std::string source_path(std::string_view inside) { return project_path(inside).string(); }

} // namespace fmha950
