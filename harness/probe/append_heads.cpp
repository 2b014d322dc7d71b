// Which workgroup of append_prefill appends which tokens and heads: groups of query heads that do and do not
// divide the rows of a tile, and that are larger than it.
#include "harness/probe/append_form.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/kv_form.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

std::vector<Probe> append_heads() {
  struct Heads {
    int query, kv;
  };
  std::vector<Probe> probes;
  for (const AppendForm& form : append_forms()) {
    if (form.table == PageTable::vllm) continue;
    for (const Heads heads : {Heads{12, 3}, Heads{9, 3}, Heads{5, 5}, Heads{130, 1}}) {
      Problem problem = append_problem(form, {{50, 61}, {1, 40}, {7, 7}});
      problem.query_heads = heads.query;
      problem.kv_heads = heads.kv;
      probes.push_back(small_probe(fmt::format("append_heads/{}:{}/{}", heads.query, heads.kv, text_of(form)),
                                   "a token of some head is appended to another head, or by no workgroup",
                                   problem, ValuesOfPage::random));
    }
  }
  return probes;
}

} // namespace fmha950::harness
