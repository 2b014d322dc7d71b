#pragma once
// What a problem asks of an implementation, and what an implementation has. What an implementation has not
// declared is refused: a new feature is refused by all until one declares it.

#include "interface/problem.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950 {

struct Feature {
  std::string kind;  // of namespace feature
  std::string value; // "64"; empty where a problem has the kind or has it not
  std::string words; // as reasons name it: "head_dim 64"
};

// Kinds of features. One without a value is worded as it is named.
namespace feature {
inline constexpr std::string_view operation = "operator";
inline constexpr std::string_view kv_heads = "KV heads"; // a number
inline constexpr std::string_view types = "types";       // "fp8 with bf16": of Q, of K and V
inline constexpr std::string_view output = "output";
inline constexpr std::string_view head_dim = "head_dim";
inline constexpr std::string_view layout = "layout";
inline constexpr std::string_view tensor_descales = "descales per tensor";
inline constexpr std::string_view page_descales = "descales per page"; // the value is the page size
inline constexpr std::string_view mx = "MX quantisation";
inline constexpr std::string_view strided = "strided views of K and V";
inline constexpr std::string_view window = "a sliding window";
inline constexpr std::string_view sink_tokens = "attention-sink tokens";
inline constexpr std::string_view sink_logit = "a sink logit in the denominator";
inline constexpr std::string_view soft_cap = "a soft cap";
inline constexpr std::string_view causal = "a causal mask";
inline constexpr std::string_view lse = "LSE as an output";
inline constexpr std::string_view page_table = "page table";
inline constexpr std::string_view page_size = "page size";
inline constexpr std::string_view consecutive_pages = "consecutive pages (paged=0)";
inline constexpr std::string_view mode = "mode";
inline constexpr std::string_view calls = "calls";
inline constexpr std::string_view row_format = "row format"; // of fp8 rows of sparse_prefill
} // namespace feature

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
