#pragma once
// A file that is written at once, as one.

#include <filesystem>
#include <string>

namespace fmha950::harness {

// Before the work that makes its contents. Throws InvalidInput for what is no regular file, lies in a folder that cannot be
// written, or is there and not to be replaced. `field` is the option that names it.
void require_writable(const std::string& field, const std::filesystem::path& file, bool replace);

// Whole or not at all. Throws InvalidInput.
void write_whole(const std::string& field, const std::filesystem::path& file, const std::string& text);

} // namespace fmha950::harness
