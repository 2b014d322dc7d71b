#pragma once
// What types the matrix instructions of a code object multiply, as the embedded device knows it.

#include <set>
#include <string>

namespace fmha950::harness::external {

// Of an object that hip::load_kernel() knows: "bf16", "fp8", "f8f6f4" ... Asked once for each object of a process, as the
// device decodes all of it to tell. Empty without matrix instructions; never to be called where FileCoverage is null.
const std::set<std::string>& multiplied_types(const std::string& variant);

} // namespace fmha950::harness::external
