#pragma once
// How the values of a case string are written. Readers say whether the whole text was one; what they leave
// behind when it was not is never used.

#include "interface/names.hpp"

#include <charconv>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::case_text {

// Splits at every `separator`; an empty text is one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

// One number from `minimum` to `maximum`; no sign but '-', no space.
template <class Number>
bool read_number(std::string_view text, Number& number,
                 Number minimum = std::numeric_limits<Number>::lowest(),
                 Number maximum = std::numeric_limits<Number>::max()) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  if (!whole || !(value >= minimum && value <= maximum)) return false;
  number = value;
  return std::isfinite(static_cast<double>(value));
}

bool read_pair(std::string_view text, int& first, int& second, int minimum);
// Numbers from 0 to `maximum`, separated by commas.
bool read_lengths(std::string_view text, std::vector<int>& lengths,
                  int maximum = std::numeric_limits<int>::max());
// One number of columns, or that of Q and K and that of V: "128", "192:128".
bool read_head_dims(std::string_view text, Problem& problem);
bool read_flag(std::string_view text, bool& flag);
bool read_values(std::string_view text, std::string& values);
bool read_trace(std::string_view text, std::optional<TraceSlice>& trace);

template <class Enumeration> bool read_name(std::string_view text, Enumeration& value) {
  const auto found = from_name<Enumeration>(text);
  if (found) value = *found;
  return found.has_value();
}

// One value where all are equal.
std::string print_lengths(std::vector<int> lengths);
std::string print_head_dims(const Problem& problem);
std::string print_trace(const TraceSlice& trace);

} // namespace fmha950::case_text
