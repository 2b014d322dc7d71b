#pragma once
// Which keys a query sees (DESIGN.md section 2), as at most two intervals.

#include "interface/problem.hpp"

#include <algorithm>

namespace fmha950::reference {

// Key j is seen when j < end and (j < sink_end or j >= window_begin).
struct Visibility {
  int64_t sink_end = 0, window_begin = 0, end = 0;

  bool sees(int64_t key) const { return key < end && (key < sink_end || key >= window_begin); }
  bool sees_any(int64_t first, int64_t last) const { // of the keys [first, last)
    return first < std::min(end, last) && (first < sink_end || std::min(end, last) > window_begin);
  }
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

} // namespace fmha950::reference
