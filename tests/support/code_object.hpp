#pragma once
// The code objects of the build: which kernels they hold and what these use, from their metadata.

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::test {

// Path of a code object that the build made: "prepass_relayout".
std::string code_object_file(std::string_view variant);

// Kernels of an embedded code object: names before ".kd" in its string table, one kernel descriptor each.
std::set<std::string> kernels_of(std::string_view variant);

struct KernelOfVariant {
  std::string variant, kernel;
};
// All kernels of the code objects whose name starts so.
std::vector<KernelOfVariant> kernels_starting(std::string_view prefix);

// The numbers that a file's metadata holds on each kernel, by kernel and key: "vgpr_count".
std::map<std::string, std::map<std::string, int>> kernel_metadata(const std::string& file);

// What a command prints.
std::string output_of(const std::string& command);

} // namespace fmha950::test
