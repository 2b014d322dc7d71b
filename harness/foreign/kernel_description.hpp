#pragma once
// What a foreign kernel's metadata says, and a command line to begin with.

#include "harness/foreign/code_object_file.hpp"

namespace fmha950::harness {

std::string describe(const CodeObjectFile& file, const ForeignKernel& kernel);

} // namespace fmha950::harness
