#include "harness/sabotage/defect.hpp"

#include <algorithm>
#include <iterator>
#include <map>

namespace fmha950::harness {

namespace {

// Function-local, because registrations run before main in no known order.
std::map<std::string_view, std::vector<DefectFamily>>& families_of_operators() {
  static std::map<std::string_view, std::vector<DefectFamily>> families;
  return families;
}

} // namespace

RegisterDefects::RegisterDefects(std::string_view op, std::initializer_list<DefectFamily> families) {
  std::ranges::copy(families, std::back_inserter(families_of_operators()[op]));
}

std::vector<Defect> all_defects(const SabotagedCase& of) {
  std::vector<DefectFamily> families{wrong_values, wrong_tables, wrong_masks, wrong_outputs, wrong_parts};
  std::ranges::copy(families_of_operators()[of.problem.op.text()], std::back_inserter(families));
  std::vector<Defect> defects;
  for (const DefectFamily family : families) std::ranges::move(family(of), std::back_inserter(defects));
  return defects;
}

} // namespace fmha950::harness
