#pragma once
// Files that are read to their end. Opening a pipe would wait for a writer, and a directory opens as if it
// were an empty file.

#include <filesystem>
#include <string>
#include <string_view>

namespace fmha950 {

// What `path` is instead of a regular file, "a named pipe" or "a directory";
// "" if it is one, or is not there.
std::string kind_of_irregular_file(const std::filesystem::path& path);

// Throws InvalidInput that names `field` and the path for a file that is something else. To open it might
// wait for ever.
void require_regular_file(std::string_view field, const std::filesystem::path& path);

// Throws InvalidInput that names the file and says what is wrong in it or with it.
[[noreturn]] void refuse_file(const std::filesystem::path& path, std::string value, std::string expected);

} // namespace fmha950
