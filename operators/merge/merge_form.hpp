#pragma once
// merge: how many partial results there are of each row, and how they lie in memory.

#include "interface/names.hpp"
#include "interface/problem.hpp"

#include <vector>

namespace fmha950 {

// Shapes of partial_output and partial_lse (merge_tensors.hpp).
enum class PartLayout : uint8_t {
  parts,  // [parts, n, H, D], [parts, n, H]: as batch_prefill leaves them, call after call
  tokens, // [n, parts, H, D], [n, parts, H]: FlashInfer's merge_states
  heads,  // [parts, n, H, D], [parts, H, n]: FlashAttention's LSEs, as vLLM's merge_attn_states takes them
};

enum class LseBase : uint8_t { natural, two }; // of the partial LSEs; the merged one is natural

inline constexpr int most_parts = 1024; // of a row
inline constexpr int most_merged_tokens = 1 << 20;
inline constexpr float most_spread = 1e4f;

// merge's own part of a problem. A row is a token and head; its keys are its parts: a part's score is its LSE, its value
// its output. So heads share no keys, `kv_heads` is `query_heads`, the softmax scale is 1, and `requests` is one request
// of n queries with `parts` keys.
struct MergeForm {
  int parts = 1;
  PartLayout layout = PartLayout::parts;
  LseBase base = LseBase::natural;
  // What the values are like that are made (generate.cpp): the standard deviation of natural LSEs, and how many of
  // a hundred parts are empty.
  float spread = 3;
  int empty_percent = 0;

  InvalidInput misplaced() const;
  std::vector<Feature> features(const Problem& problem) const;
  bool operator==(const MergeForm&) const = default;
};

// Null: the problem is none of merge.
inline MergeForm* merge_form(Problem& problem) { return problem.own.get<MergeForm>(); }
inline const MergeForm* merge_form(const Problem& problem) { return problem.own.get<MergeForm>(); }

template <> std::span<const std::string_view> names_of<PartLayout>();
template <> std::span<const std::string_view> names_of<LseBase>();

} // namespace fmha950
