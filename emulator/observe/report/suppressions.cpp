#include "emulator/observe/report/suppressions.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <sstream>

namespace fmha950::observe {

namespace {

// NAME, the separator, then only digits.
bool has_form(std::string_view place, std::string_view separator, std::string_view digits) {
  const size_t at = place.rfind(separator);
  if (at == place.npos || at == 0) return false;
  const std::string_view number = place.substr(at + separator.size());
  return !number.empty() && number.find_first_not_of(digits) == number.npos;
}

} // namespace

bool Suppressions::parse(std::string_view text, Suppressions& suppressions, std::string& error) {
  Suppressions parsed;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    std::string type;
    if (!(words >> type)) continue;
    Suppression entry;
    std::string why;
    if (type == "*") {
      entry.checks = all_checks;
    } else if (!parse_checks(type, entry.checks, why)) {
      error = fmt::format("line {}: class '{}': {} (here * is all)", number, type, why);
      return false;
    }
    words >> entry.location;
    if (!has_form(entry.location, ":", "0123456789") &&
        !has_form(entry.location, "+0x", "0123456789abcdef")) {
      error =
          fmt::format("line {}: location '{}': must be FILE:LINE or SYMBOL+0xOFFSET", number, entry.location);
      return false;
    }
    std::getline(words >> std::ws, entry.reason);
    if (entry.reason.empty()) {
      error = fmt::format("line {}: a suppression needs a reason after {}", number, entry.location);
      return false;
    }
    parsed.entries_.push_back(std::move(entry));
  }
  suppressions = std::move(parsed);
  return true;
}

bool Suppressions::match(HazardClass type, std::string_view place) const {
  return std::any_of(entries_.begin(), entries_.end(), [&](const Suppression& entry) {
    if (!includes(entry.checks, type) || !place.ends_with(entry.location)) return false;
    const size_t before = place.size() - entry.location.size();
    return before == 0 || place[before - 1] == '/';
  });
}

bool Suppressions::match(const Finding& finding) const {
  const auto names = [&](HazardClass type, const ReportedParty& party) {
    return match(type, party.source) || match(type, fmt::format("{}+{:#x}", party.symbol, party.offset)) ||
           std::ranges::any_of(party.frames, [&](const auto& frame) { return match(type, frame.source); });
  };
  return std::ranges::any_of(finding.pairs, [&](const Report& pair) {
    return pair.severity == finding.strongest.severity &&
           (names(pair.type, pair.earlier) || names(pair.type, pair.later));
  });
}

} // namespace fmha950::observe
