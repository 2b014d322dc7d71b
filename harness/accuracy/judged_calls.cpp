// A case of several calls (calls=N of append_prefill), one after the other over one cache on the device.
// Each is judged by itself, and after the last the cache must be the one that a single append of
// the whole chunk leaves.
#include "harness/accuracy/accuracy_case.hpp"
#include "harness/cases/single_calls.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

double share_of(const AccuracyResult& accuracy) { return largest_share(accuracy.verdict.limits); }

template <class T> void take_largest(std::optional<T>& into, const std::optional<T>& other) {
  if (other) into = std::max(into.value_or(*other), *other);
}

void add_cache(CacheCheck& sum, const CacheCheck& call) {
  sum.bytes += call.bytes;
  sum.appended += call.appended;
  sum.wrong += call.wrong;
  sum.changed += call.changed;
}

// The rows of `worst` are counted in the call's chunks.
void move_to_whole_chunk(std::optional<WorstPlace>& worst, const SingleCall& call) {
  if (worst) worst->row.query += call.first_query[static_cast<size_t>(worst->row.request)];
}

void add_accuracy(AccuracyResult& whole, AccuracyResult call, bool speaks_for_all) {
  const int64_t rows = whole.query_rows + call.query_rows,
                total = whole.total_query_rows + call.total_query_rows;
  const bool restricted = whole.restricted || call.restricted;
  take_largest(call.mfma_difference, whole.mfma_difference);
  std::optional<CacheCheck> cache = call.cache;
  if (cache && whole.cache) add_cache(*cache, *whole.cache);
  if (!cache) cache = whole.cache;
  if (speaks_for_all) whole = std::move(call);
  whole.query_rows = rows;
  whole.total_query_rows = total;
  whole.restricted = restricted;
  whole.cache = std::move(cache);
}

void add_variations(std::vector<VariationResult>& whole, const std::vector<VariationResult>& call) {
  if (whole.empty()) {
    whole = call;
    return;
  }
  for (size_t i = 0; i < call.size(); ++i) {
    whole[i].milliseconds += call[i].milliseconds;
    whole[i].identical = whole[i].identical && call[i].identical;
    if (call[i].outcome != OutcomeKind::passed) whole[i].outcome = call[i].outcome;
  }
}

// The record of a call joins those before it. Says whether its accuracy speaks for all now.
bool add_call(Record& record, Record part, const SingleCall& call) {
  record.resolved = part.resolved;
  record.variant = part.variant;
  record.probability = part.probability;
  record.workspace_bytes = std::max(record.workspace_bytes, part.workspace_bytes);
  if (part.planning_ms) record.planning_ms = record.planning_ms.value_or(0) + *part.planning_ms;
  record.hazards.insert(record.hazards.end(), part.hazards.begin(), part.hazards.end());
  add_variations(record.variations, part.variations);
  move_to_whole_chunk(part.accuracy->worst, call);
  const bool failed = part.outcome.is_failure();
  const bool worst = !record.accuracy || failed || share_of(*part.accuracy) > share_of(*record.accuracy);
  if (!record.accuracy)
    record.accuracy = std::move(part.accuracy);
  else
    add_accuracy(*record.accuracy, std::move(*part.accuracy), worst);
  record.outcome = failed
                       ? Outcome::failed(part.outcome.kind(), fmt::format("call {} of {}: {}", call.index + 1,
                                                                          call.count, part.outcome.reason()))
                       : Outcome::passed(record.variations.front().milliseconds);
  return worst;
}

} // namespace

std::vector<double> judge_case(const Implementation& implementation, const Problem& problem,
                               const Tensors& tensors, const AccuracyOptions& options, CaseOracle& oracle,
                               Record& record) {
  if (problem.calls == 1) return judge_call(implementation, problem, tensors, options, oracle, record);
  std::vector<double> shown;
  const auto cache = cache_of_calls(problem, tensors);
  for_each_call(problem, tensors, [&](const SingleCall& call) {
    CaseOracle of_call(call.problem, call.tensors);
    if (call.index + 1 == call.count) of_call.expect_cache(oracle.cache_after());
    Record part;
    std::vector<double> got =
        judge_call(implementation, call.problem, call.tensors, options, of_call, part, cache);
    const bool passed = !part.outcome.is_failure();
    if (add_call(record, std::move(part), call)) shown = std::move(got);
    return passed;
  });
  return shown;
}

} // namespace fmha950::harness
