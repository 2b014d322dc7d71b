#pragma once
// Where the folder data/ of this project is.

#include <filesystem>
#include <string_view>

namespace fmha950::workload {

// FMHA950_DATA if set, else that of the installation or of the repository (interface/installation.hpp). Throws InvalidInput
// when it is not there.
std::filesystem::path data_directory();

// A file below data/. Throws InvalidInput with the full path when it is missing.
std::filesystem::path data_file(std::string_view relative);

} // namespace fmha950::workload
