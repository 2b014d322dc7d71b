#pragma once
// The keys of an operator's case strings, and how a string's parts become a problem. Shared by case_string.cpp and
// the folders of operators; not for others.

#include "interface/case_text.hpp"
#include "interface/names.hpp"
#include "interface/problem.hpp"

#include <any>
#include <fmt/format.h>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::case_keys {

// What the keys of one case string have said so far; lengths become requests when all are known.
struct Draft {
  Problem problem;
  std::optional<int> repeat;
  std::vector<int> query_lengths, key_lengths;
  bool quantisation_given = false;
  std::any own; // what an operator's own keys have said that is no part of a problem yet
};

using KeyWords = std::span<const std::string_view>;

struct Key {
  std::string_view name, expected;
  bool (*read)(std::string_view text, Draft& draft);
  std::string (*print)(const Problem& problem); // empty: at its default, not printed
  // What the search for problems writes behind it, what stands twice twice as often; "" leaves the key out. Null: the search
  // leaves it as it is, or knows how to draw it (lengths, heads).
  KeyWords (*drawn)() = nullptr;
};

inline KeyWords zero_or_one() {
  static constexpr std::string_view words[] = {"0", "1"};
  return words;
}

struct OperatorKeys {
  std::span<const Key> keys; // in the order of printing
  std::span<const std::string_view> required;
  void (*complete)(Draft& draft); // fills in what follows from several keys; throws InvalidInput
};

template <auto Field> std::string print_field(const Problem& problem) {
  static const Problem normal;
  const auto& value = problem.*Field;
  if (value == normal.*Field) return "";
  if constexpr (std::is_enum_v<std::decay_t<decltype(value)>>)
    return std::string(name_of(value));
  else if constexpr (std::is_same_v<decltype(value), const bool&>)
    return value ? "1" : "0";
  else
    return fmt::format("{}", value);
}

// One value stands for all; otherwise there is one each. `things` and `count` are for the message.
void require_count(std::string_view key, const std::vector<int>& lengths, size_t count,
                   std::string_view things);
inline int length_of(const std::vector<int>& lengths, size_t index) {
  return lengths[lengths.size() == 1 ? 0 : index];
}

// Keys that mean the same to all operators.
inline constexpr Key sink_logit_key{
    "sinklogit", "must be 0 or 1",
    [](auto text, Draft& d) { return case_text::read_flag(text, d.problem.sink_logit); },
    print_field<&Problem::sink_logit>, zero_or_one};
inline constexpr Key lse_key{"lse", "must be 0 or 1",
                             [](auto text, Draft& d) { return case_text::read_flag(text, d.problem.lse); },
                             print_field<&Problem::lse>, zero_or_one};
inline constexpr Key scale_key{
    "scale", "must be a finite number",
    [](auto text, Draft& d) { return case_text::read_number(text, d.problem.scale.emplace()); },
    [](const Problem& p) { return p.scale ? fmt::format("{}", *p.scale) : std::string(); }};
inline constexpr Key values_key{
    "values", "must be letters, digits and _.:@+-",
    [](auto text, Draft& d) { return case_text::read_values(text, d.problem.values); },
    print_field<&Problem::values>};
inline constexpr Key seed_key{
    "seed", "must be a number >= 0",
    [](auto text, Draft& d) { return case_text::read_number(text, d.problem.seed); },
    print_field<&Problem::seed>};

} // namespace fmha950::case_keys
