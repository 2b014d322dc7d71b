#pragma once
// JSON files that somebody else may have written, and the files beside them that they name.

#include "workload/json_field.hpp"

#include <filesystem>
#include <string>

namespace fmha950::workload {

// Throws InvalidInput, which calls it `field`, for what is no regular file, no JSON, nested too deep, or has a key twice in an
// object: the parser would drop one of the values in silence.
nlohmann::json read_json_file(const std::string& field, const std::filesystem::path& path);

// The file that `field` names, which must lie in `folder`. Throws InvalidInput for an absolute path and for one with "..".
std::filesystem::path file_inside(const std::filesystem::path& folder, const JsonField& field);

} // namespace fmha950::workload
