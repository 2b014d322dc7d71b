#pragma once
// The forms of append_prefill that a family of small probes is made in.

#include "harness/probe/probe.hpp"

namespace fmha950::harness {

struct AppendForm {
  PageTable table;
  int page_size;
  ElementType element; // of the queries and the chunk
  int head_dim;
};

// Pages that hold whole tiles, pages of which several fit a tile, and pages of one token; both tables, both
// types and both sizes of heads.
std::vector<AppendForm> append_forms();
// "sglang/page=16/bf16/d=128", the tail of a probe's name
std::string text_of(const AppendForm& form);

// A small problem of this form: two KV heads, two query heads each, causal, with LSE, and as many spare pages
// between the used ones as there are of these.
Problem append_problem(const AppendForm& form, std::vector<Request> requests);

} // namespace fmha950::harness
