#pragma once
// The metadata of a code object: MessagePack.

#include "harness/foreign/code_object_file.hpp"

namespace fmha950::harness {

// Throws InvalidInput that names `path` and what is wrong.
std::vector<ForeignKernel> kernels_of_metadata(const std::string& path, std::span<const std::byte> note);

} // namespace fmha950::harness
