#include "harness/cases/axis.hpp"

#include "interface/error.hpp"

#include <sstream>

namespace fmha950::harness {

namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::string with(const std::string& text, const std::string& key, const std::string& value) {
  std::string changed;
  for (const std::string& part : split(text, '/'))
    if (!part.starts_with(key + "=")) changed += part + "/";
  return changed + key + "=" + value;
}

} // namespace

Axis parse_axis(const std::string& text) {
  const size_t equals = text.find('=');
  Axis axis{text.substr(0, equals),
            equals == text.npos ? std::vector<std::string>{} : split(text.substr(equals + 1), ',')};
  const bool lists = axis.key == "sq" || axis.key == "sk" || axis.key == "trace";
  if (axis.key.empty() || axis.values.empty() || lists)
    throw InvalidInput(
        "axis", text, "must be KEY=VALUE[,VALUE...] of a key of the case string other than sq, sk and trace");
  return axis;
}

std::vector<std::string> along(const Axis& axis, const std::vector<std::string>& cases) {
  std::vector<std::string> all;
  for (const std::string& text : cases)
    for (const std::string& value : axis.values) all.push_back(with(text, axis.key, value));
  return all;
}

} // namespace fmha950::harness
