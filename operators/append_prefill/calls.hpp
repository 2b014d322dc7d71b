#pragma once
// The calls in which the chunk of append_prefill comes (Problem::calls): each a problem of one call, whose
// old tokens are those of the whole problem and the chunks of the calls before it.

#include "interface/tensors.hpp"

#include <vector>

namespace fmha950::operators {

struct AppendCall {
  Problem problem;
  std::vector<int> first_query; // of each request, in its whole chunk
};

// Cuts every request's chunk at random places that follow from the seed and, in batch mode, from nothing else
// than its length, so that lengths that were equal stay so.
// Parts may be empty. The tensor is empty for a problem of one call.
Tensor make_call_cuts(const Problem& problem);

// By the cuts of append_tensors.hpp; those of make_call_cuts() where there are none.
std::vector<AppendCall> append_calls(const Problem& problem, const Tensor& cuts = {});

// The call's part of Q and the chunk and tables of the tokens known by then. The pools are those of
// `tensors`: the caller gives them what the calls before have appended.
Tensors tensors_of_call(const Problem& problem, const Tensors& tensors, const AppendCall& call);

} // namespace fmha950::operators
