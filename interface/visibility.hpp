#pragma once
// Which keys a query of batch_prefill or append_prefill sees (DESIGN.md section 2).

#include "interface/problem.hpp"

#include <algorithm>

namespace fmha950 {

// Key j is seen when j < end and (j < sink_end or j >= window_begin), and not hidden_first <= j < hidden_last
// (which no problem asks for: oracle.hpp, HiddenKeys), and where the row is a node of a tree, bit j - tree_begin of `tree` is
// set for keys from tree_begin on. `end` may be negative.
struct Visibility {
  int64_t sink_end = 0, window_begin = 0, end = 0;
  int64_t hidden_first = 0, hidden_last = 0;
  int64_t tree_begin = 0;
  uint64_t tree = 0; // 0: no node of a tree, which would see itself

  bool in_tree(int64_t key) const { // or the tree hides it
    return tree == 0 || key < tree_begin || (key - tree_begin < 64 && (tree >> (key - tree_begin) & 1) != 0);
  }
  bool sees(int64_t key) const {
    return key < end && (key < sink_end || key >= window_begin) &&
           (key < hidden_first || key >= hidden_last) && in_tree(key);
  }
  // Of the keys [first, last), those that a tree hides and hidden ones not left out.
  bool sees_any(int64_t first, int64_t last) const {
    return first < std::min(end, last) && (first < sink_end || std::min(end, last) > window_begin);
  }
  // Calls use(begin, end) for the ranges of [first, last) that are not seen; they may overlap.
  template <class Use> void for_each_unseen(int64_t first, int64_t last, Use use) const {
    const auto clip = [&](int64_t begin, int64_t end) {
      begin = std::max(begin, first);
      end = std::min(end, last);
      if (begin < end) use(begin, end);
    };
    clip(sink_end, window_begin);
    clip(hidden_first, hidden_last);
    clip(end, last);
    if (tree != 0)
      for (int64_t key = std::max(first, tree_begin); key < std::min(last, end); ++key)
        if (!in_tree(key)) use(key, key + 1);
  }
  int64_t sink_keys() const {
    return std::clamp<int64_t>(std::min(sink_end, window_begin), 0, std::max<int64_t>(end, 0));
  }
  int64_t window_keys() const { return std::max<int64_t>(0, end - std::max<int64_t>(0, window_begin)); }
  int64_t seen_keys() const { // hidden ones not left out
    int64_t keys = sink_keys() + window_keys();
    if (tree != 0)
      for (int64_t key = tree_begin; key < end; ++key)
        keys -= (key < sink_end || key >= window_begin) && !in_tree(key);
    return keys;
  }
};

// Without its tree, for which visibility_in_pages() asks the tensors (operators/paged/definition.hpp).
inline Visibility visibility_of(const Problem& problem, const Request& request, int query) {
  const int64_t keys = request.key_length;
  const int64_t aligned = keys - request.query_length + query; // bottom-right aligned position of the query
  Visibility visibility{.sink_end = problem.sink_tokens, .window_begin = 0, .end = keys};
  if (problem.window) {
    visibility.window_begin = aligned - problem.window->left;
    visibility.end = std::min(visibility.end, aligned + problem.window->right + 1);
  }
  if (problem.causal) visibility.end = std::min(visibility.end, aligned + 1);
  return visibility;
}

} // namespace fmha950
