#pragma once
// What a problem asks of an implementation, and what an implementation has. What an implementation has not
// declared is refused: a new feature is refused by all until one declares it.

#include "interface/feature.hpp"
#include "interface/problem.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950 {

// In the order in which an implementation is asked for them: the first one missing is the reason of a no.
std::vector<Feature> required_features(const Problem& problem);

// What an implementation has of one kind.
struct Has {
  std::string_view kind;
  std::vector<std::string> values = {""};
  // Why other values are refused; without it reasons list the values. Without values it is the whole reason.
  std::string limit = {};
  int64_t most = -1; // of a kind whose values are numbers: it has all from 0 to this one, too
};
Has has_operator(OperatorName op);
Has up_to(std::string_view kind, int64_t most);
inline Has any_number(std::string_view kind) { return up_to(kind, std::numeric_limits<int64_t>::max()); }

using FeatureSet = std::vector<Has>; // that an implementation has together

struct Support {
  bool yes = true;
  std::string why_not; // the first reason, in words
  static Support no(std::string reason) { return {false, std::move(reason)}; }
  explicit operator bool() const { return yes; }
};

// Yes if one of the sets has all that is required. Else the reason is the first feature that is in none of the
// sets which have all features before it.
Support support_of(std::span<const Feature> required, std::span<const FeatureSet> sets);

} // namespace fmha950
