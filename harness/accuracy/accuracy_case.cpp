#include "harness/accuracy/accuracy_case.hpp"

#include "harness/accuracy/judged_run.hpp"
#include "harness/device/device_case.hpp"
#include "harness/device/hazards.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/judge/verdict.hpp"
#include "harness/judge/visible_work.hpp"
#include "harness/record/kept_records.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/names.hpp"
#include "interface/operator.hpp"
#include "workload/case_folder.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

// The oracle computes rows together, each over all keys that one of them sees: a window spares it little.
double oracle_flops(Problem problem, const Tensors& tensors) {
  problem.window.reset();
  return attention_flops(problem, tensors);
}

// The device computes whole tiles of scores, but no rows that no request has.
double device_flops(const Problem& problem, const Tensors& tensors, TileShape tile) {
  const int64_t heads_per_kv_head = problem.heads_per_kv_head();
  int64_t rows = 0; // that share keys
  for (const Request& request : problem.requests)
    rows = std::max(rows, problem.op->queries_of_owner(request) * heads_per_kv_head);
  tile.rows = static_cast<int>(std::clamp<int64_t>(rows, 1, tile.rows));
  return visible_tile_flops(problem, tensors, tile);
}

size_t oracle_rows(const AccuracyOptions& options, const Problem& problem, const Tensors& tensors) {
  if (options.oracle_rows > 0) return static_cast<size_t>(options.oracle_rows);
  const double flops_per_row =
      oracle_flops(problem, tensors) / static_cast<double>(std::max<int64_t>(1, problem.total_queries()));
  const double affordable = oracle_budget / std::max(1.0, flops_per_row);
  const int fewest = problem.op->facts().fewest_judged_rows;
  return static_cast<size_t>(std::max<double>(fewest, std::min(affordable, 1e9)));
}

// Query rows to run; all of them unless the problem is large and the device can be restricted.
std::vector<QueryRow> rows_to_run(const AccuracyOptions& options, const Problem& problem,
                                  const Tensors& tensors, const Plan& plan) {
  const bool restrictable = hip::api().RestrictNextLaunch != nullptr;
  if (options.query_tiles > 0) {
    if (!restrictable)
      throw InvalidInput("query-tiles", std::to_string(options.query_tiles),
                         "needs the embedded device: a GPU runs whole problems");
    return sample_tiles(problem, plan.query_tile(), static_cast<size_t>(options.query_tiles));
  }
  const double flops = device_flops(problem, tensors, plan.score_tile());
  if (restrictable && flops > device_budget) {
    // One of each request, if that is affordable.
    const double affordable =
                     device_budget / flops * static_cast<double>(tiles_of(problem, plan.query_tile())),
                 of_requests = std::min(affordable, static_cast<double>(problem.requests.size()));
    const int fewest = problem.op->facts().fewest_rows_to_run / plan.query_tile();
    return sample_tiles(
        problem, plan.query_tile(),
        static_cast<size_t>(std::max({of_requests, double(fewest), double(default_query_tiles)})));
  }
  return all_rows(problem);
}

std::optional<WorstPlace> worst_place(const Problem& problem, const Tensors& tensors, const JudgedRun& judged,
                                      CaseOracle& oracle) {
  const int64_t index = judged.verdict.kernel.worst;
  if (index < 0) return std::nullopt;
  const int64_t dim = problem.value_columns(), heads = problem.query_heads;
  WorstPlace place;
  place.row = oracle.rows()[static_cast<size_t>(index / (heads * dim))];
  place.head = static_cast<int>(index / dim % heads);
  place.column = static_cast<int>(index % dim);
  if (judged.verdict.passed()) return place;
  const auto first = static_cast<size_t>(index / dim * dim);
  std::vector<double> error(static_cast<size_t>(dim));
  for (size_t d = 0; d < error.size(); ++d)
    error[d] = judged.got.output[first + d] - oracle.exact(OracleInput::dequantised).output[first + d];
  if (std::all_of(error.begin(), error.end(), [](double e) { return std::isfinite(e); }))
    place.kv_tile = diverging_tile(problem, tensors, place.row, place.head, error);
  return place;
}

// What the implementation gets in place of the case's tensors, if anything.
std::optional<Tensors> kernel_inputs(const AccuracyOptions& options, const Problem& problem) {
  if (options.kernel_inputs.empty()) return std::nullopt;
  if (problem.op->facts().appends) {
    std::vector<std::string_view> others;
    for (const Operator* op : all_operators())
      if (!op->facts().appends) others.push_back(op->name());
    throw InvalidInput("kernel-inputs", options.kernel_inputs,
                       fmt::format("{} writes to its inputs: only {} take others", name_of(problem.op),
                                   fmt::join(others, " and ")));
  }
  workload::CaseFolder folder = workload::load_case_folder(options.kernel_inputs);
  if (print_case(folder.problem) != print_case(problem))
    throw InvalidInput(
        "kernel-inputs", options.kernel_inputs,
        fmt::format("is of the case {}, must be of {}", print_case(folder.problem), print_case(problem)));
  return std::move(folder.tensors);
}

// Keeps the first check that failed, or else the last.
std::string judge_cache(const Problem& problem, const Tensors& tensors, const CaseRun& run,
                        CaseOracle& oracle, AccuracyResult& accuracy) {
  const DeviceCache* cache = run.device().cache();
  if (cache == nullptr) return "";
  const CacheCheck check = check_cache(problem, tensors, oracle.cache_after(), *cache, !accuracy.restricted);
  // Which tokens some workgroups append is the kernel's own business: a partial run can only show a mistake.
  const bool says_all = !accuracy.restricted || !check.passed();
  if (says_all && (!accuracy.cache || accuracy.cache->passed())) accuracy.cache = check;
  return check.reason();
}

} // namespace

std::string AccuracyOptions::digest() const {
  return kernel_inputs.empty() ? "" : digest_of_folder(kernel_inputs);
}

std::string AccuracyOptions::arguments() const {
  std::string text;
  const auto list = [&](const char* name, const std::vector<std::string>& items) {
    if (!items.empty()) text += fmt::format(" --{} {}", name, fmt::join(items, ","));
  };
  list("schedules", variations.schedules);
  list("threads", variations.threads);
  list("mfma", variations.mfma);
  if (oracle_rows > 0) text += fmt::format(" --oracle-rows {}", oracle_rows);
  if (query_tiles > 0) text += fmt::format(" --query-tiles {}", query_tiles);
  if (!kernel_inputs.empty()) text += fmt::format(" --kernel-inputs '{}'", kernel_inputs);
  return text;
}

std::vector<double> judge_call(const Implementation& implementation, const Problem& problem,
                               const Tensors& tensors, const AccuracyOptions& options, CaseOracle& oracle,
                               Record& record, std::shared_ptr<DeviceCache> cache) {
  record.resolved = implementation.name();
  const std::optional<Tensors> others = kernel_inputs(options, problem);
  CaseRun run(implementation, problem, others ? *others : tensors, std::move(cache));
  record.variant = run.plan().variant();
  record.probability = run.plan().probability_rounding();
  record.workspace_bytes = run.plan().workspace_bytes();
  record.planning_ms = run.plan().planning_milliseconds();
  const std::vector<QueryRow> rows = rows_to_run(options, problem, tensors, run.plan());
  oracle.choose(sample_rows(rows, oracle_rows(options, problem, tensors), problem.seed));

  AccuracyResult& accuracy = record.accuracy.emplace();
  accuracy.query_rows = static_cast<int64_t>(oracle.rows().size());
  accuracy.total_query_rows = problem.total_queries();
  accuracy.restricted = static_cast<int64_t>(rows.size()) < accuracy.total_query_rows;
  struct Form { // of MFMA arithmetic: its first run
    Variation variation;
    RowOutputs outputs;
    JudgedRun judged;
  };
  std::vector<Form> forms;
  std::vector<std::string> failures, hazards, bits_differ;
  take_hazards(); // what an earlier case left when it ended with an error
  for (const Variation& variation : variations(options.variations)) {
    RunOutputs result = run.run(variation, rows, accuracy.restricted);
    VariationResult& outcome =
        record.variations.emplace_back(VariationResult{variation, result.milliseconds});
    if (const auto findings = take_findings(); !findings.empty()) {
      outcome.outcome = OutcomeKind::hazard;
      hazards.push_back(describe(findings));
      record.hazards.insert(record.hazards.end(), findings.begin(), findings.end());
    }
    if (const std::string wrong = judge_cache(problem, tensors, run, oracle, accuracy); !wrong.empty()) {
      outcome.outcome = OutcomeKind::inaccurate;
      failures.push_back((variation.text().empty() ? "" : variation.text() + ": ") + wrong);
    }
    if (forms.empty() || forms.back().variation.mfma != variation.mfma || !run.plan().deterministic()) {
      JudgedRun judged =
          judge_run(problem, tensors, run.plan().probability_rounding(), rows, result.rows, oracle);
      if (!judged.verdict.passed()) {
        outcome.outcome = OutcomeKind::inaccurate;
        failures.push_back((variation.mfma.empty() ? "" : variation.mfma + ": ") + judged.verdict.reason());
      }
      forms.push_back({variation, std::move(result.rows), std::move(judged)});
    } else if (!(result.rows == forms.back().outputs)) {
      outcome.identical = false;
      bits_differ.push_back(variation.text());
      outcome.outcome = OutcomeKind::hazard;
      hazards.push_back(fmt::format("results differ between {} and {}: {}", forms.back().variation.text(),
                                    variation.text(), difference(forms.back().outputs, result.rows)));
    }
  }
  if (!bits_differ.empty()) add_changed_bits(record.hazards, bits_differ);
  const auto failed = std::find_if(forms.begin(), forms.end(),
                                   [](const Form& form) { return !form.judged.verdict.passed(); });
  JudgedRun& shown = (failed != forms.end() ? *failed : forms.front()).judged;
  accuracy.verdict = shown.verdict;
  accuracy.audit_curves = audit_curves(shown.audit);
  accuracy.worst = worst_place(problem, tensors, shown, oracle);
  if (oracle.has_original()) {
    const std::vector<double>& original = oracle.exact(OracleInput::original).output;
    accuracy.quantisation = compare(original, oracle.exact(OracleInput::dequantised).output);
    accuracy.total = compare(original, shown.got.output);
  }
  if (forms.size() > 1)
    accuracy.mfma_difference = compare(forms[0].judged.got.output, forms[1].judged.got.output).max_abs;

  if (!hazards.empty())
    record.outcome = Outcome::failed(OutcomeKind::hazard, fmt::format("{}", fmt::join(hazards, "; ")));
  else if (!failures.empty())
    record.outcome = Outcome::failed(OutcomeKind::inaccurate, fmt::format("{}", fmt::join(failures, "; ")));
  else
    record.outcome = Outcome::passed(record.variations.front().milliseconds);
  return std::move(shown.got.output);
}

} // namespace fmha950::harness
