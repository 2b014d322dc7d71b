#include "emulator/static_check/changed_code.hpp"

#include "emulator/observe/mutation/mutation.hpp"
#include "emulator/static_check/hazards.hpp"

#include <fmt/format.h>

namespace fmha950::static_check {

std::string list_hazards(const loader::Kernel& kernel, const std::string& changes) {
  const isa::Program::Block* changed = changes.empty() ? nullptr : observe::mutant_code(kernel, changes);
  const Code code(changed ? *changed : decoded(kernel), kernel.accum_offset, Code::Kind::kernel);
  const auto offset = [&](size_t index) {
    return index == Code::none ? "-" : fmt::format("{:#x}", code.instruction(index).address - kernel.entry);
  };
  std::string text;
  for (const Finding& finding : find_hazards(code))
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", name_of(finding.severity), finding.kind,
                        offset(finding.earlier), offset(finding.later), finding.what);
  return text;
}

} // namespace fmha950::static_check
