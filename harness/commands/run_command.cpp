#include "harness/cases/single_calls.hpp"
#include "harness/commands/case_command.hpp"
#include "harness/commands/commands.hpp"
#include "harness/device/device_case.hpp"
#include "harness/device/hazards.hpp"
#include "harness/judge/metrics.hpp"
#include "harness/judge/row_sample.hpp"
#include "workload/case_folder.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace fmha950::harness {

namespace {

struct RunState {
  CaseCommand cases{"run"};
  std::string save, stop;
};

Tensor as_tensor(ElementType type, std::vector<int64_t> shape, const std::vector<std::byte>& bytes) {
  Tensor tensor(type, std::move(shape));
  std::copy(bytes.begin(), bytes.end(), tensor.data());
  return tensor;
}

struct CaseOutputs {
  RowOutputs rows;
  std::shared_ptr<DeviceCache> cache; // of append_prefill
};

Tensor as_tensor(const Tensor& pool, const hip::Buffer& cache) {
  Tensor tensor(pool.type(), pool.shape());
  cache.download(tensor.data(), tensor.bytes());
  return tensor;
}

workload::SavedResult saved(const PreparedCase& item, const Record& record, const CaseOutputs& outputs) {
  const Problem& problem = item.problem;
  const int64_t queries = problem.total_queries(), heads = problem.query_heads;
  workload::SavedResult result;
  result.implementation = record.resolved;
  result.variant = record.variant;
  result.output =
      as_tensor(problem.output_type, {queries, heads, problem.value_columns()}, outputs.rows.output);
  if (problem.lse) result.lse = as_tensor(ElementType::fp32, {queries, heads}, outputs.rows.lse);
  if (outputs.cache) {
    result.k_cache = as_tensor(item.tensors.k_pool, outputs.cache->k());
    result.v_cache = as_tensor(item.tensors.v_pool, outputs.cache->v());
  }
  return result;
}

// Without an oracle only what is wrong in itself can be seen:
// faults, and outputs that are not finite or not written.
RowOutputs run_call(const SingleCall& call, const Implementation& implementation,
                    const std::shared_ptr<DeviceCache>& cache, Record& record) {
  record.resolved = implementation.name();
  CaseRun run(implementation, call.problem, call.tensors, cache);
  record.variant = run.plan().variant();
  record.probability = run.plan().probability_rounding();
  record.workspace_bytes = run.plan().workspace_bytes();
  record.planning_ms = run.plan().planning_milliseconds();
  take_hazards(); // what an earlier case left when it ended with an error
  RunOutputs result = run.run({}, all_rows(call.problem));
  if (record.variations.empty()) record.variations.emplace_back();
  double& milliseconds = record.variations[0].milliseconds; // of all calls
  milliseconds += result.milliseconds;
  const RowValues values = decode(call.problem, result.rows);
  const Defects defects = find_defects(values.output, values.output_untouched);
  record.hazards = take_findings();
  if (!record.hazards.empty())
    record.outcome = Outcome::failed(OutcomeKind::hazard, describe(record.hazards));
  else if (defects.any())
    record.outcome = Outcome::failed(OutcomeKind::inaccurate, describe(defects, "output"));
  else
    record.outcome = Outcome::passed(milliseconds);
  return std::move(result.rows);
}

CaseOutputs run_case(const PreparedCase& item, const Implementation& implementation, Record& record) {
  CaseOutputs whole{{}, cache_of_calls(item.problem, item.tensors)};
  for_each_call(item.problem, item.tensors, [&](const SingleCall& call) {
    place_rows(item.problem, call, run_call(call, implementation, whole.cache, record), whole.rows);
    return !record.outcome.is_failure();
  });
  return whole;
}

} // namespace

void add_run_command(Command program, int& exit_code) {
  auto state = std::make_shared<RunState>();
  Command command = program.command("run", "Run cases; says whether they ran, not whether they are accurate");
  state->cases.add_options(command);
  command.option("--save", state->save,
                 "Write inputs, tables, descales, output and LSE of one case to this new folder");
  command.option("--break", state->stop, break_help);
  command.run([state, &exit_code] {
    if (!state->save.empty() && state->cases.output.resume)
      throw InvalidInput("--save", state->save, "saves what this run computes, and --resume computes less");
    if (!state->save.empty())
      state->cases.keep_together("is not for --save, which saves the results of all together");
    break_at(state->stop);
    exit_code = state->cases.run("", "", {.judged = false}, [&](const PreparedCase&) {
      auto results = std::make_shared<std::vector<workload::SavedResult>>();
      CaseBody body;
      body.run = [&, results](const PreparedCase& item, const Implementation& implementation,
                              Record& record) {
        const CaseOutputs outputs = run_case(item, implementation, record);
        if (!state->save.empty()) results->push_back(saved(item, record, outputs));
      };
      body.finish = [&, results](const PreparedCase& item) {
        if (!state->save.empty())
          workload::save_case_folder(state->save, item.problem, item.tensors, *results);
      };
      return body;
    });
  });
}

} // namespace fmha950::harness
