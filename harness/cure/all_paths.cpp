#include "harness/cure/all_paths.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <set>
#include <sstream>

namespace fmha950::harness::cure {
namespace {

struct Said {
  std::set<Pair> errors;
  size_t unknown = 0;
};

uint64_t offset_of(const std::string& text) { return text == "-" ? 0 : std::stoull(text, nullptr, 16); }

Said said_of(const Patient& patient, const std::string& changes) {
  const char* text = nullptr;
  hip::check(hip::api().CheckChanges(patient.kernel().function, changes.c_str(), &text),
             "fmha950CheckChanges");
  Said said;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields(line);
    std::string severity, kind, earlier, later;
    for (std::string* field : {&severity, &kind, &earlier, &later}) std::getline(fields, *field, '\t');
    said.unknown += severity == "unknown";
    const auto [one, other] = std::minmax(offset_of(earlier), offset_of(later));
    if (severity == "error") said.errors.insert({kind, one, other});
  }
  return said;
}

} // namespace

std::string AllPaths::text() const {
  return fmt::format(
      "{} errors of the code are gone, {} are left, {} are new; {} places are not known to the code", gone,
      left.size(), is_new, unknown);
}

AllPaths all_paths(const Patient& patient, const std::vector<Protection>& protections) {
  const Said before = said_of(patient, patient.base());
  const Said now = said_of(patient, changes(patient.kernel().name, patient.base(), protections));
  AllPaths paths;
  std::ranges::set_intersection(before.errors, now.errors, std::inserter(paths.left, paths.left.end()));
  paths.gone = before.errors.size() - paths.left.size();
  paths.is_new = now.errors.size() - paths.left.size();
  paths.unknown = now.unknown;
  return paths;
}

} // namespace fmha950::harness::cure
