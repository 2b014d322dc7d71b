#pragma once
// What a kept record remembers of the files that it was made from.

#include <filesystem>
#include <string>

namespace fmha950::harness {

// Of names, sizes and times of the folder's files: it changes with every one that is written anew.
std::string digest_of_folder(const std::filesystem::path& folder);

} // namespace fmha950::harness
