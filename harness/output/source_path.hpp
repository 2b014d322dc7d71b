#pragma once
// Where files of the repository lie that commands and tests read and write. The folder's name stands in one object, so
// that a compiler cache knows the others again in a clone elsewhere.

#include <string>
#include <string_view>

namespace fmha950 {

std::string source_path(std::string_view inside); // "analysis/report.py" of the repository, whole

} // namespace fmha950
