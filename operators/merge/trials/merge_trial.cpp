#include "operators/merge/trials/merge_trial.hpp"

#include "operators/merge/merge.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

std::vector<std::pair<std::string, MergeTypes>> merge_types() {
  using enum ElementType;
  std::vector<std::pair<std::string, MergeTypes>> all;
  for (const MergeTypes& types :
       {MergeTypes{fp32, bf16}, {fp32, fp32}, {fp32, fp16}, {bf16, bf16}, {fp16, fp16}})
    all.emplace_back(fmt::format("{}_to_{}", name_of(types.in), name_of(types.out)), types);
  return all;
}

Problem merge_problem(const MergeShape& shape, MergeTypes types) {
  Problem problem;
  problem.op = merge;
  problem.own.emplace<MergeForm>().parts = shape.parts;
  problem.query_heads = problem.kv_heads = shape.heads;
  problem.head_dim = shape.columns;
  problem.requests = {{shape.tokens, shape.parts}};
  problem.query_type = problem.kv_type = types.in;
  problem.output_type = types.out;
  problem.scale = 1.0f;
  problem.lse = true;
  return problem;
}

Probe merge_probe(std::string name, std::string reason, const Problem& problem,
                  decltype(operators::PartSource::lses) lses,
                  decltype(operators::PartSource::output) output) {
  return {.name = std::move(name), .reason = std::move(reason), .problem = problem, .make = [=] {
            operators::PartSource source = operators::part_source(problem);
            if (lses) source.lses = lses;
            if (output) source.output = output;
            return operators::make_merge_tensors(problem, source);
          }};
}

} // namespace fmha950::harness
