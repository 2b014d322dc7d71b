#pragma once
// A value of a JSON file that somebody else may have written: each access says what is wrong by field, value and
// what would be right.

#include "interface/error.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/ranges.h>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fmha950::workload {

class JsonField {
 public:
  JsonField(const nlohmann::json& value, std::string path) : value_(value), path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  const nlohmann::json& json() const { return value_; }

  bool has(const std::string& key) const { return value_.is_object() && value_.contains(key); }
  JsonField at(const std::string& key) const {
    require_object();
    if (!value_.contains(key)) throw InvalidInput(inner(key), "(missing)", "must be there");
    return {value_.at(key), inner(key)};
  }
  // Throws for another key than these; "$comment" is for people.
  void allow(std::initializer_list<std::string_view> keys) const {
    require_object();
    for (const auto& [key, value] : value_.items())
      if (key != "$comment" && std::ranges::find(keys, key) == keys.end())
        throw InvalidInput(path_, key, fmt::format("must be one of {}", fmt::join(keys, ", ")));
  }
  // What an object holds, by its keys, but for "$comment".
  std::vector<std::pair<std::string, JsonField>> members() const {
    require_object();
    std::vector<std::pair<std::string, JsonField>> members;
    for (const auto& [key, value] : value_.items())
      if (key != "$comment") members.emplace_back(key, JsonField(value, inner(key)));
    return members;
  }
  std::vector<JsonField> items() const {
    if (!value_.is_array()) refuse("must be an array");
    std::vector<JsonField> items;
    for (size_t i = 0; i < value_.size(); ++i) items.emplace_back(value_[i], fmt::format("{}[{}]", path_, i));
    return items;
  }
  std::string text() const {
    if (!value_.is_string()) refuse("must be a string");
    return value_.get<std::string>();
  }
  bool yes() const {
    if (!value_.is_boolean()) refuse("must be true or false");
    return value_.get<bool>();
  }
  // A whole number from `least` to `most`.
  uint64_t whole(uint64_t least, uint64_t most) const {
    if (!value_.is_number_unsigned() || value_.get<uint64_t>() < least || value_.get<uint64_t>() > most)
      refuse(fmt::format("must be a whole number from {} to {}", least, most));
    return value_.get<uint64_t>();
  }
  double number(double least, double most) const {
    if (!value_.is_number() || !(value_.get<double>() >= least && value_.get<double>() <= most))
      refuse(fmt::format("must be a number from {:g} to {:g}", least, most));
    return value_.get<double>();
  }
  double positive() const {
    if (!value_.is_number() || !(value_.get<double>() > 0)) refuse("must be a number above 0");
    return value_.get<double>();
  }
  [[noreturn]] void refuse(const std::string& expected) const {
    throw InvalidInput(path_, value_.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
                       expected);
  }

 private:
  void require_object() const {
    if (!value_.is_object()) refuse("must be an object");
  }
  // "FILE:" is a path, whose keys stand behind a blank.
  std::string inner(const std::string& key) const { return path_ + (path_.ends_with(':') ? " " : ".") + key; }

  const nlohmann::json& value_; // which outlives this
  std::string path_;            // "energy[3].hertz"
};

} // namespace fmha950::workload
