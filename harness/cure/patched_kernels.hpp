#pragma once
// Kernels with the cures of their findings, as assembly files (emulator/assembly/written_kernel.hpp).

#include "harness/cure/finding_cure.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct PatchedKernel {
  std::string kernel, text;
  std::filesystem::path file;
};

// Of each kernel that has a cure of its own one file: `file` itself, then FILE.2.s and so on, in the order of the findings.
// Throws InvalidInput for a kernel that cannot be written faithfully.
std::vector<PatchedKernel> patched_kernels(const std::vector<CuredFinding>& findings,
                                           const std::filesystem::path& file);

} // namespace fmha950::harness::cure
