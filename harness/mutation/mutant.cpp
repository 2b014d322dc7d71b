#include "harness/mutation/mutant.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>

namespace fmha950::harness {

namespace {

uint64_t hexadecimal(std::string_view text) { // with its 0x
  uint64_t value = 0;
  std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  return value;
}

Places places_of(const std::string& text) {
  Places places;
  std::istringstream ranges(text);
  for (std::string range; std::getline(ranges, range, ',');) {
    const size_t dash = range.find('-');
    places.emplace_back(hexadecimal(range.substr(0, dash)), hexadecimal(range.substr(dash + 1)));
  }
  return places;
}

std::vector<std::string_view> guarded_by(const std::string& change) {
  if (change == "nop-drop") return {"wait_states"};
  if (change == "barrier-drop") return {"lds_order", "memory_order", "barrier_divergence"};
  return {"register_in_flight", "lds_order", "memory_order", "visibility"}; // a wait
}

bool has_source(const std::string& party) { return party.empty() || !party.starts_with(':'); }

// A mutant is of the kernel's own code.
bool holds(const Places& places, const CodePlace& place) {
  return place.function.empty() && contains(places, place.offset);
}

bool between(const Mutant& mutant, const CodePlace& earlier, const CodePlace& later) {
  return holds(mutant.before, earlier) && holds(mutant.after, later);
}

// Where a wave alone hangs at another barrier or ends, there is one party only.
bool connected(const Mutant& mutant, const CodePlace& place) {
  return holds(mutant.before, place) || holds(mutant.after, place);
}

} // namespace

bool contains(const Places& places, uint64_t offset) {
  return std::ranges::any_of(
      places, [&](const auto& range) { return range.first <= offset && offset <= range.second; });
}

std::vector<Mutant> mutants_of(const hip::Kernel& kernel) {
  const char* text = nullptr;
  hip::check(hip::api().Mutants(kernel.function, &text), "fmha950Mutants");
  std::vector<Mutant> mutants;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    Mutant& mutant = mutants.emplace_back();
    std::istringstream fields(line);
    std::string before, after, verdict;
    for (std::string* field :
         {&mutant.id, &mutant.source, &mutant.instruction, &before, &after, &verdict, &mutant.proof})
      std::getline(fields, *field, '\t');
    const size_t plus = mutant.id.rfind('+', mutant.id.rfind("0x")), colon = mutant.id.rfind(':');
    mutant.offset = hexadecimal(mutant.id.substr(plus + 1, colon - plus - 1));
    mutant.change = mutant.id.substr(colon + 1);
    mutant.before = places_of(before);
    mutant.after = places_of(after);
    mutant.proved = verdict == "proved";
  }
  return mutants;
}

bool only_staggers(const HazardReport& report) {
  return report.hazard == "barrier_divergence" && report.severity == "note";
}

bool convicts(const HazardReport& report, const Mutant& mutant) {
  if (report.kernel != mutant.kernel() || only_staggers(report)) return false;
  if (mutant.change == "num_records") return true;
  const auto classes = guarded_by(mutant.change);
  if (std::ranges::find(classes, report.hazard) == classes.end()) return false;
  if (!has_source(report.earlier) || !has_source(report.later)) return false;
  if (report.hazard == "barrier_divergence")
    return (!report.earlier.empty() && connected(mutant, report.earlier_place)) ||
           (!report.later.empty() && connected(mutant, report.later_place));
  if (report.earlier.empty() || report.later.empty()) return false;
  const bool one_wave = report.hazard == "register_in_flight" || report.hazard == "wait_states";
  return between(mutant, report.earlier_place, report.later_place) ||
         (!one_wave && between(mutant, report.later_place, report.earlier_place));
}

std::string text_of(const HazardReport& report) {
  std::string text = report.hazard + ": " + report.what;
  if (!report.earlier.empty()) text += "; " + report.earlier;
  if (!report.later.empty()) text += "; " + report.later;
  return text;
}

} // namespace fmha950::harness
