#include "harness/cure/all_paths.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <sstream>

namespace fmha950::harness::cure {
namespace {

CodePlace place_of(const std::string& text) { return text == "-" ? CodePlace() : parse_place(text); }

} // namespace

const PathCheck::Said& PathCheck::said_of(const std::string& changes) {
  if (const auto known = known_.find(changes); known != known_.end()) return known->second;
  const char* text = nullptr;
  hip::check(hip::api().CheckChanges(patient_.kernel().function, changes.c_str(), &text),
             "fmha950CheckChanges");
  Said& said = known_[changes];
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string severity, kind, earlier, later;
    for (std::string* field : {&severity, &kind, &earlier, &later}) std::getline(fields, *field, '\t');
    said.unknown += severity == "unknown";
    const CodePlace first = place_of(earlier), second = place_of(later);
    if (severity == "error") said.errors.insert({kind, std::min(first, second), std::max(first, second)});
  }
  return said;
}

bool AllPaths::leaves(const Fault& fault) const {
  return std::ranges::any_of(left, [&](const Pair& pair) { return fault.errors.contains(pair); });
}

std::string AllPaths::text() const {
  const std::string barriers =
      barriers_behind_branches == 0
          ? ""
          : fmt::format(
                ", {} of them a barrier behind a branch: that all waves come to it is known of the runs",
                barriers_behind_branches);
  if (gone + left.size() + is_new == 0)
    return fmt::format(
        "the code alone shows no error, with the change or without it; {} places are not known to it{}",
        unknown, barriers);
  return fmt::format(
      "{} errors of the code are gone, {} are left, {} are new; {} places are not known to the code{}", gone,
      left.size(), is_new, unknown, barriers);
}

AllPaths PathCheck::of(const std::vector<Protection>& protections) {
  const Said& before = said_of(patient_.base());
  const Said& now = said_of(changes(patient_.kernel().name, patient_.base(), protections));
  AllPaths paths;
  std::ranges::set_intersection(before.errors, now.errors, std::inserter(paths.left, paths.left.end()));
  paths.gone = before.errors.size() - paths.left.size();
  paths.is_new = now.errors.size() - paths.left.size();
  paths.barriers_behind_branches = static_cast<size_t>(std::ranges::count_if(
      protections, [](const Protection& each) { return each.barrier && each.branches > 0; }));
  paths.unknown = now.unknown + paths.barriers_behind_branches;
  return paths;
}

} // namespace fmha950::harness::cure
