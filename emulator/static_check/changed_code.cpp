#include "emulator/static_check/changed_code.hpp"

#include "emulator/observe/mutation/mutation.hpp"
#include "emulator/static_check/hazards.hpp"
#include "emulator/static_check/launch_code.hpp"

#include <fmt/format.h>

namespace fmha950::static_check {

std::string list_hazards(const loader::Kernel& kernel, const std::string& changes) {
  const LaunchCode code(kernel, changes.empty() ? nullptr : observe::mutant_code(kernel, changes));
  std::string text;
  for (size_t part = 0; part < code.parts().size(); ++part) {
    const auto place = [&](size_t index) { return index == Code::none ? "-" : code.place(part, index); };
    for (const Finding& finding : find_hazards(code.parts()[part].code))
      text += fmt::format("{}\t{}\t{}\t{}\t{}\n", name_of(finding.severity), finding.kind,
                          place(finding.earlier), place(finding.later), finding.what);
  }
  return text;
}

} // namespace fmha950::static_check
