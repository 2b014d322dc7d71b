#include "harness/cure/patched_kernels.hpp"

#include "interface/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness::cure {
namespace {

struct Patch {
  const CuredFinding* first = nullptr;
  std::string changes, notes; // all cures of the kernel; a line for each place
};

void add(Patch& patch, const CuredFinding& finding, size_t number) {
  patch.changes += (patch.changes.empty() ? "" : ",") + finding.option;
  for (const Protection& protection : finding.cure.protections)
    if (protection.at.function.empty()) // a file has no other function, and is refused
      patch.notes += fmt::format("{:#x}\t{} cures finding {}: {}: {} ({} and {})\n", protection.at.offset,
                                 protection.text(), number, finding.report.hazard, finding.report.what,
                                 finding.report.earlier_place.text(), finding.report.later_place.text());
}

// Kernels are told apart by their functions: a program may have several of one name.
std::vector<Patch> patches_of(const std::vector<CuredFinding>& findings) {
  std::vector<Patch> patches;
  for (size_t i = 0; i < findings.size(); ++i) {
    const CuredFinding& finding = findings[i];
    if (finding.cure.verdict != Cure::Verdict::cured || finding.option.empty()) continue;
    auto known = std::ranges::find_if(
        patches, [&](const Patch& patch) { return patch.first->function == finding.function; });
    if (known == patches.end()) known = patches.insert(patches.end(), {&finding, finding.base, ""});
    add(*known, finding, i + 1);
  }
  return patches;
}

} // namespace

std::vector<PatchedKernel> patched_kernels(const std::vector<CuredFinding>& findings,
                                           const std::filesystem::path& file) {
  std::vector<PatchedKernel> written;
  for (const Patch& patch : patches_of(findings)) {
    const char* text = nullptr;
    if (hip::api().Assembly(patch.first->function, patch.changes.c_str(), patch.notes.c_str(), &text) != 0)
      throw InvalidInput("--write", file.string(), hip::api().LastErrorDetail());
    std::filesystem::path name = file;
    if (!written.empty())
      name.replace_extension(fmt::format(".{}{}", written.size() + 1, file.extension().string()));
    written.push_back({patch.first->kernel, text, name});
  }
  return written;
}

} // namespace fmha950::harness::cure
