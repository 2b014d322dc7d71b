#pragma once
// Assumptions by their words, joined by +: "lds128+exp16".

#include "emulator/timing/assumption_words.hpp"

#include <algorithm>
#include <optional>
#include <string>

namespace fmha950::timing {

// `base` and what the words add to it; none if one of them is no word, or there is none.
inline std::optional<Assumptions> assumed(std::string_view words, Assumptions base = {}) {
  for (;;) {
    const size_t end = words.find('+');
    const auto found = std::ranges::find(assumption_words, words.substr(0, end), &AssumptionWord::word);
    if (found == assumption_words.end()) return std::nullopt;
    found->assume(base);
    if (end == words.npos) return base;
    words.remove_prefix(end + 1);
  }
}

// "cold, lds128": those that there are.
inline std::string assumption_list() {
  std::string text;
  for (const AssumptionWord& each : assumption_words)
    text += (text.empty() ? "" : ", ") + std::string(each.word);
  return text;
}

} // namespace fmha950::timing
