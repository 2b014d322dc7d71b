#pragma once
// Where the folder data/ of this project is.

#include <filesystem>
#include <string_view>

namespace fmha950::workload {

// FMHA950_DATA if set, else the source tree's data/ (as configured), else ../share/fmha950 beside the
// program's folder. Throws InvalidInput naming all places that were tried.
std::filesystem::path data_directory();

// A file below data/. Throws InvalidInput with the full path when it is missing.
std::filesystem::path data_file(std::string_view relative);

} // namespace fmha950::workload
