#pragma once
// A manifest to begin with, from what an object's metadata say.

#include "harness/foreign/code_object_file.hpp"

#include <string>

namespace fmha950::harness::external {

// With `?` in the place of each expression that only its author knows. `object`: as the manifest is to name it.
std::string new_manifest(const std::string& object, const ForeignKernel& kernel);

} // namespace fmha950::harness::external
