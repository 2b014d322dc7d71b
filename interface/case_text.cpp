#include "interface/case_text.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/ranges.h>

namespace fmha950::case_text {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (size_t end; (end = text.find(separator)) != text.npos; text.remove_prefix(end + 1))
    parts.push_back(text.substr(0, end));
  parts.push_back(text);
  return parts;
}

bool read_pair(std::string_view text, int& first, int& second, int minimum) {
  const auto parts = split(text, ':');
  return parts.size() == 2 && read_number(parts[0], first, minimum) && read_number(parts[1], second, minimum);
}

bool read_head_dims(std::string_view text, Problem& problem) {
  int columns = 0;
  problem.value_head_dim.reset();
  if (read_number(text, problem.head_dim, 1)) return true;
  if (!read_pair(text, problem.head_dim, columns, 1)) return false;
  if (columns != problem.head_dim) problem.value_head_dim = columns;
  return true;
}

bool read_lengths(std::string_view text, std::vector<int>& lengths, int maximum) {
  for (std::string_view part : split(text, ',')) {
    int length = 0;
    if (!read_number(part, length, 0, maximum)) return false;
    lengths.push_back(length);
  }
  return true;
}

bool read_flag(std::string_view text, bool& flag) {
  flag = text == "1";
  return text == "0" || text == "1";
}

bool read_values(std::string_view text, std::string& values) {
  const auto allowed = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || strchr("_.:@+-", c);
  };
  values = text;
  return !text.empty() && std::all_of(text.begin(), text.end(), allowed);
}

bool read_trace(std::string_view text, std::optional<TraceSlice>& trace) {
  TraceSlice slice;
  const size_t at = text.find('@'), plus = text.find('+', at), colon = text.find(':', at);
  if (at == text.npos || at == 0 || plus == text.npos || (colon != text.npos && colon < plus)) return false;
  slice.name = text.substr(0, at);
  trace = slice;
  return read_number(text.substr(at + 1, plus - at - 1), trace->first, 0) &&
         read_number(text.substr(plus + 1, colon == text.npos ? colon : colon - plus - 1), trace->count, 1) &&
         (colon == text.npos || read_number(text.substr(colon + 1), trace->scale_down, 1));
}

std::string print_lengths(std::vector<int> lengths) {
  if (std::adjacent_find(lengths.begin(), lengths.end(), std::not_equal_to<>()) == lengths.end())
    lengths.resize(std::min<size_t>(lengths.size(), 1));
  return fmt::format("{}", fmt::join(lengths, ","));
}

std::string print_head_dims(const Problem& problem) {
  return problem.value_head_dim ? fmt::format("{}:{}", problem.head_dim, *problem.value_head_dim)
                                : std::to_string(problem.head_dim);
}

std::string print_trace(const TraceSlice& trace) {
  const std::string scale = trace.scale_down == 1 ? "" : fmt::format(":{}", trace.scale_down);
  return fmt::format("{}@{}+{}{}", trace.name, trace.first, trace.count, scale);
}

} // namespace fmha950::case_text
