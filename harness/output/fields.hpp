#pragma once
// Values as JSON and CSV have them.

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fmha950::harness {

// JSON has no Inf or NaN: they are strings, so that they are not mistaken for "absent".
inline nlohmann::ordered_json number(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
}

// A line of a comma-separated file, fields in quotes where they need them (RFC 4180).
inline std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

inline std::string csv_line(std::vector<std::string> fields) {
  for (std::string& field : fields) field = csv_field(field);
  return fmt::format("{}\n", fmt::join(fields, ","));
}

} // namespace fmha950::harness
