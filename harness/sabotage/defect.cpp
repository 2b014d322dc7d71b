#include "harness/sabotage/defect.hpp"

#include "interface/operator.hpp"

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

std::string KeyTarget::text(const Problem& problem) const {
  return problem.op->parts().text_of_keys(
      {.request = request, .kv_head = kv_head, .first_key = first, .last_key = last});
}

std::vector<KeyTarget> targets(const SabotagedCase& of, int keys) {
  struct Weighed {
    KeyTarget target;
    double weight;
  };
  std::vector<Weighed> seen;
  for (const AuditOwner& owner : of.audit.owners) {
    const auto list = std::ranges::find(owner.lists, PartKind::key, &PartList::kind);
    for (int first = 0; first < owner.keys; first += keys) {
      const int last = std::min(owner.keys, first + keys);
      double weight = 0;
      for (int key = first; key < last; ++key) weight += list->sums[static_cast<size_t>(key)].information;
      if (weight > 0) seen.push_back({{owner.request, owner.kv_head, first, last}, weight});
    }
  }
  if (seen.empty()) return {};
  std::ranges::sort(seen, std::greater{}, &Weighed::weight);
  std::vector<KeyTarget> chosen{seen.front().target};
  constexpr int64_t many_keys = 32768;
  const bool long_one =
      std::ranges::any_of(of.audit.owners, [](const AuditOwner& owner) { return owner.keys > many_keys; });
  if (seen.size() > 1 && !long_one) chosen.push_back(seen[(seen.size() + 1) / 2].target);
  return chosen;
}

} // namespace fmha950::harness
