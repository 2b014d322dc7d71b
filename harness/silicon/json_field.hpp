#pragma once
// A value of a JSON file that somebody else may have written: each access says what is wrong by field, value and
// what would be right.

#include "interface/error.hpp"

#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace fmha950::harness {

class JsonField {
 public:
  JsonField(const nlohmann::json& value, std::string path) : value_(value), path_(std::move(path)) {}

  JsonField at(const char* key) const {
    if (!value_.is_object()) refuse("must be an object");
    if (!value_.contains(key)) throw InvalidInput(path_ + "." + key, "(missing)", "must be there");
    return {value_.at(key), path_ + "." + key};
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
  const nlohmann::json& value_; // which outlives this
  std::string path_;            // "energy[3].hertz"
};

} // namespace fmha950::harness
