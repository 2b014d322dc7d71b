#pragma once
// A problem as the calls that implementations get: itself, or with calls=N of append_prefill N problems of
// one call, one after the other over the same cache.

#include "harness/device/device_case.hpp"
#include "interface/tensors.hpp"

#include <functional>

namespace fmha950::harness {

struct SingleCall {
  const Problem& problem;
  const Tensors& tensors; // the pools are the cache as the calls before have left it, by the oracle
  int index = 0, count = 1;
  const std::vector<int>& first_query; // of each request, in its whole chunk
};

// Calls `body` for each call in turn until it returns false.
void for_each_call(const Problem& problem, const Tensors& tensors,
                   const std::function<bool(const SingleCall&)>& body);

// Puts the rows of a call, which are all of its chunks', where they belong among those of the whole chunks.
void place_rows(const Problem& problem, const SingleCall& call, const RowOutputs& part, RowOutputs& whole);

// What implementations are asked about: they never see that there are several calls. All of a chunk at once.
Problem as_single_call(Problem problem);
Tensors as_single_call(const Problem& problem, const Tensors& tensors);

} // namespace fmha950::harness
