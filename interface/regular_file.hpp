#pragma once
// Files that are read to their end. Opening a pipe would wait for a writer, and a directory opens as if it
// were an empty file.

#include <filesystem>
#include <string>

namespace fmha950 {

// What `path` is instead of a regular file, "a named pipe" or "a directory"; "" if it is one, or is not
// there.
std::string kind_of_irregular_file(const std::filesystem::path& path);

} // namespace fmha950
