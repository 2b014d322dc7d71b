#include "harness/probe/families.hpp"

#include "harness/cases/case_selection.hpp"
#include "interface/operator.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace fmha950::harness {

namespace {

// One probe of each family and quantisation or so: most mistakes show in any form of the cache.
bool of_common_form(const Probe& probe) {
  static const NameFilter form("/sglang/linear/page=(16|64)/quant=(none|tensor|page|mx)$");
  return form.finds(probe.name);
}

struct OfOperator {
  std::vector<ProbeFamily> families;
  std::string_view swept;
};
// Function-local, because registrations run before main in no known order.
std::map<std::string_view, OfOperator>& probes_of_operators() {
  static std::map<std::string_view, OfOperator> probes;
  return probes;
}

} // namespace

RegisterProbes::RegisterProbes(std::string_view op, std::initializer_list<ProbeFamily> families,
                               std::string_view swept) {
  probes_of_operators()[op] = {families, swept};
}

std::vector<Probe> all_probes() {
  std::vector<Probe> all, others;
  for (const Operator* op : all_operators())
    for (const ProbeFamily family : probes_of_operators()[op->name()].families)
      for (Probe& probe : family()) (of_common_form(probe) ? all : others).push_back(std::move(probe));
  std::ranges::move(others, std::back_inserter(all));
  return all;
}

std::string filter_of_sweeps() {
  std::string filter;
  for (const Operator* op : all_operators())
    if (const std::string_view swept = probes_of_operators()[op->name()].swept; !swept.empty())
      filter.append(filter.empty() ? "" : "|").append(swept);
  return filter;
}

} // namespace fmha950::harness
