#include "harness/probe/probe_selection.hpp"

#include "harness/cases/case_selection.hpp"
#include "interface/error.hpp"

namespace fmha950::harness {

std::vector<Probe> select_probes(std::vector<Probe> probes, const std::string& filter) {
  const std::regex expression = compile_filter(filter);
  std::erase_if(probes, [&](const Probe& probe) { return !std::regex_search(probe.name, expression); });
  if (probes.empty())
    throw InvalidInput("filter", filter, "matches no probe (./fmha950 probe --list-probes prints them)");
  return probes;
}

} // namespace fmha950::harness
