#include "harness/mutation/case_draw.hpp"

#include "harness/mutation/changed_case.hpp"
#include "interface/case_keys.hpp"
#include "interface/case_string.hpp"
#include "interface/operator.hpp"

#include <algorithm>
#include <fmt/ranges.h>
#include <map>
#include <optional>

namespace fmha950::harness {

namespace {

using case_keys::KeyWords;

// What may stand behind a key, whichever operator has it. Lengths are drawn below.
struct Choices {
  std::string_view key;
  std::vector<std::string_view> values;
};
std::vector<Choices> choices_of_operators() {
  std::vector<Choices> all;
  for (const Operator* op : all_operators())
    for (const case_keys::Key& key : op->facts().keys.keys) {
      if (key.drawn == nullptr) continue;
      const KeyWords words = key.drawn();
      const auto known = std::ranges::find(all, key.name, &Choices::key);
      if (known == all.end()) {
        all.push_back({key.name, {words.begin(), words.end()}});
        continue;
      }
      for (const std::string_view word : words)
        if (std::ranges::find(known->values, word) == known->values.end()) known->values.push_back(word);
    }
  return all;
}

constexpr std::string_view head_pairs[] = {"1:1", "2:1", "4:1", "8:1", "2:2", "8:2", "16:1"};
constexpr std::string_view head_counts[] = {"16", "32", "48", "64", "80", "128", "144"};

constexpr int most_queries = 300, most_keys = 1100, most_listed_rows = 280, most_tokens = 3;

// Products of queries and keys: some hundred milliseconds on the embedded device.
bool is_small(const Problem& problem) {
  int64_t scores = 0;
  for (const Request& request : problem.requests) {
    const int rows = std::max(request.query_length * problem.heads_per_kv_head(), 16); // of one KV head
    scores += int64_t{rows} * problem.kv_heads * (request.key_length + 64);
  }
  return scores * problem.head_dim / 128 <= 300'000;
}

} // namespace

// At, beside or between multiples of what tiles and pages have.
int CaseDraw::length(int most) {
  static constexpr int units[] = {1, 16, 32, 64, 128, 256};
  const int unit = units[below(std::size(units))];
  const int beside =
      below(4) == 0 ? static_cast<int>(below(static_cast<size_t>(unit))) : static_cast<int>(below(3)) - 1;
  return std::clamp(unit * static_cast<int>(below(8)) + beside, 0, most);
}

std::string CaseDraw::drawn(const std::string& known) {
  static const std::vector<Choices> all_choices = choices_of_operators();
  CaseText text(known);
  if (below(4) > 0 && text.takes("sq")) { // requests, a few of them without keys or queries
    std::vector<int> queries, keys;
    for (size_t left = 1 + (below(3) == 0 ? below(3) : 0); left > 0; --left) {
      queries.push_back(length(most_queries));
      keys.push_back(below(2) ? queries.back() + length(most_keys - most_queries) : length(most_keys));
    }
    text.set("b", "");
    text.set("sq", fmt::format("{}", fmt::join(queries, ",")));
    text.set("sk", fmt::format("{}", fmt::join(keys, ",")));
  }
  if (below(4) > 0 && text.takes("prefix")) {
    std::vector<int> prefixes, extends;
    for (size_t left = 1 + (below(3) == 0 ? below(most_tokens) : 0); left > 0; --left) {
      prefixes.push_back(length(most_listed_rows));
      extends.push_back(length(most_listed_rows));
    }
    text.set("lists", "");
    text.set("n", std::to_string(prefixes.size()));
    text.set("prefix", fmt::format("{}", fmt::join(prefixes, ",")));
    text.set("extend", fmt::format("{}", fmt::join(extends, ",")));
  }
  if (below(4) == 0) {
    const KeyWords heads =
        text.value("h").find(':') == std::string::npos ? KeyWords(head_counts) : KeyWords(head_pairs);
    text.set("h", heads[below(heads.size())]);
  }
  for (size_t changes = below(4); changes > 0; --changes) {
    const Choices& choices = all_choices[below(all_choices.size())];
    if (text.takes(choices.key)) text.set(choices.key, choices.values[below(choices.values.size())]);
  }
  return text.text();
}

std::string CaseDraw::near(const std::string& known, const std::function<bool(const Problem&)>& wanted) {
  for (int draw = 0; draw < 100; ++draw)
    if (const auto problem = valid(drawn(known)); problem && is_small(*problem) && wanted(*problem))
      return print_case(*problem);
  return known;
}

} // namespace fmha950::harness
