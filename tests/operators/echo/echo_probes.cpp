// Requests without keys, with one, and with neighbours whose first key is another.
#include "harness/probe/families.hpp"
#include "workload/generate.hpp"

#include <fmt/format.h>

namespace fmha950::echo {
namespace {

std::vector<harness::Probe> first_keys() {
  std::vector<harness::Probe> probes;
  for (const std::vector<Request>& requests :
       {std::vector<Request>{{2, 1}, {3, 5}}, {{1, 0}, {2, 3}, {0, 4}, {5, 70}}}) {
    Problem problem;
    problem.op = "echo";
    problem.query_heads = 4;
    problem.kv_heads = 2;
    problem.head_dim = 64;
    problem.requests = requests;
    probes.push_back({.name = fmt::format("echo_first_keys/b={}", requests.size()),
                      .reason = "V of another request's key, or of none",
                      .problem = problem,
                      .make = [=] { return workload::make_tensors(problem); }});
  }
  return probes;
}

const harness::RegisterProbes registered("echo", {first_keys});

} // namespace
} // namespace fmha950::echo
