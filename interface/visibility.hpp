#pragma once
// Which keys a query of batch_prefill or append_prefill sees (DESIGN.md section 2).

#include "interface/problem.hpp"

#include <algorithm>

namespace fmha950 {

// Key j is seen when j < end and (j < sink_end or j >= window_begin), and not hidden_first <= j < hidden_last
// (which no problem asks for: oracle.hpp, HiddenKeys). `end` may be negative.
struct Visibility {
  int64_t sink_end = 0, window_begin = 0, end = 0;
  int64_t hidden_first = 0, hidden_last = 0;

  bool sees(int64_t key) const {
    return key < end && (key < sink_end || key >= window_begin) && (key < hidden_first || key >= hidden_last);
  }
  bool sees_any(int64_t first, int64_t last) const { // of the keys [first, last), hidden ones not left out
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
  }
  int64_t sink_keys() const {
    return std::clamp<int64_t>(std::min(sink_end, window_begin), 0, std::max<int64_t>(end, 0));
  }
  int64_t window_keys() const { return std::max<int64_t>(0, end - std::max<int64_t>(0, window_begin)); }
  int64_t seen_keys() const { return sink_keys() + window_keys(); } // hidden ones not left out
};

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
