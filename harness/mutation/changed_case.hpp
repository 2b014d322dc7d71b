#pragma once
// Case strings near a known one: its keys as they stand, some of them changed, and whether what comes of it is a problem.

#include "interface/problem.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace fmha950::harness {

class CaseText { // operator and keys, in any order
 public:
  explicit CaseText(const std::string& text);
  bool takes(std::string_view key) const;
  std::string value(const std::string& key) const;        // "" if it is not there
  void set(std::string_view key, std::string_view value); // "": without it
  std::string text() const;

 private:
  std::string op_;
  std::map<std::string, std::string> values_;
};

// Nothing for what is no valid problem.
std::optional<Problem> valid(const std::string& text);

} // namespace fmha950::harness
