#include "harness/sabotage/saboteur.hpp"

#include "harness/accuracy/judged_run.hpp"
#include "harness/cases/case_selection.hpp"
#include "harness/cases/dispatch.hpp"
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/judge/verdict.hpp"
#include "harness/output/progress.hpp"
#include "harness/sabotage/defect.hpp"
#include "harness/sabotage/expected_z.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "workload/generate.hpp"
#include "workload/value_source.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <stdexcept>

namespace fmha950::harness {

namespace {

// Judged rows: enough for the audit, few enough for thousands of runs.
constexpr int rows_of_tile = 12;
constexpr size_t tiles = 4;

// What a defect makes of the reference.
struct Changed {
  AttentionRows reference;
  std::string no_effect; // why, or ""
};

class SabotageOfCase {
 public:
  SabotageOfCase(const Problem& problem, const Tensors& tensors, const SabotageOptions& options,
                 const std::function<void(const SabotageEntry&)>& add)
      : problem_(problem), tensors_(tensors), options_(options), add_(add), filter_(options.filter),
        oracle_(problem, tensors), rows_(sample_tiles(problem, rows_of_tile, tiles)) {
    oracle_.choose(rows_);
  }

  void run(const Implementation& implementation) {
    CaseRun clean(implementation, problem_, tensors_);
    rounding_ = clean.plan().probability_rounding();
    const RowOutputs outputs = outputs_of(clean);
    const JudgedRun right = judge_run(problem_, tensors_, rounding_, rows_, outputs, oracle_);
    if (!right.verdict.passed())
      throw std::runtime_error(fmt::format("{} on {} fails without any defect: {}", implementation.name(),
                                           print_case(problem_), right.verdict.reason()));
    for (const Defect& defect : all_defects({problem_, tensors_, rows_, right.audit, clean.plan()})) {
      SabotageEntry entry;
      entry.case_string = print_case(problem_);
      entry.implementation = implementation.name();
      entry.kind = defect.kind;
      entry.place = defect.place;
      const std::string key = entry.key();
      if (options_.done.contains(key) || !filter_.finds(key)) continue;
      judge(implementation, clean, outputs, defect, entry);
      add_(entry);
    }
  }

 private:
  void judge(const Implementation& implementation, CaseRun& clean, const RowOutputs& outputs,
             const Defect& defect, SabotageEntry& entry) {
    const ExpectedZ expected = expectation(defect);
    entry.z = expected.z;
    entry.seen_by = expected.judge;
    entry.verdict = SabotageVerdict::without_effect;
    entry.reason = changed(defect).no_effect;
    if (!entry.reason.empty()) return;
    try {
      entry.reason = defect.cache ? cache_reason(clean, defect)
                                  : reason_of(sabotaged_outputs(implementation, clean, outputs, defect));
    } catch (const InvalidInput& error) { // nothing ran
      entry.reason = fmt::format("refused: {}", error.what());
      return;
    } catch (const DeviceError& error) {
      entry.reason = error.what();
      if (hip::api().ClearFault != nullptr) hip::api().ClearFault();
    }
    entry.noticed = !entry.reason.empty();
    entry.verdict = sabotage_verdict(expected, entry.noticed);
  }

  bool restricted() const {
    return hip::api().RestrictNextLaunch != nullptr &&
           static_cast<int64_t>(rows_.size()) < problem_.total_queries();
  }
  RowOutputs outputs_of(CaseRun& run) const { return run.run({}, rows_, restricted()).rows; }

  RowOutputs sabotaged_outputs(const Implementation& implementation, CaseRun& clean, const RowOutputs& right,
                               const Defect& defect) const {
    if (defect.inputs) {
      Problem problem = problem_;
      Tensors tensors = tensors_;
      defect.inputs(problem, tensors);
      CaseRun wrong(implementation, problem, tensors);
      return outputs_of(wrong);
    }
    if (defect.outputs.on_device) {
      RowOutputs outputs = right;
      defect.outputs.on_device(outputs, rows_);
      return outputs;
    }
    const hip::LaunchWatch watch([&](size_t launch, const hip::Kernel&) {
      if (launch == defect.parts.parts.front().launch) change_parts(defect.parts);
    });
    return outputs_of(clean);
  }

  static void change_parts(const PartChange& change) {
    hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
    constexpr int to_host = 2, to_device = 1; // hipMemcpyKind
    for (size_t i = 0; i < change.parts.size(); ++i) {
      const float* const from = change.instead.empty() ? change.parts[i].lse : change.instead[i].lse;
      float lse = 0;
      hip::check(hip::api().Memcpy(&lse, from, sizeof lse, to_host), "hipMemcpy to host");
      if (change.instead.empty())
        lse +=
            static_cast<float>(change.parts[i].natural ? std::log(change.factor) : std::log2(change.factor));
      hip::check(hip::api().Memcpy(change.parts[i].lse, &lse, sizeof lse, to_device), "hipMemcpy to device");
    }
  }

  // The cache as the kernel leaves it (if only some workgroups ran: as the oracle leaves it), with the defect.
  std::string cache_reason(CaseRun& clean, const Defect& defect) {
    outputs_of(clean);
    const Cache& after = oracle_.cache_after();
    const DeviceCache& left = *clean.device().cache();
    const std::string right = check_cache(problem_, tensors_, after, left, !restricted()).reason();
    if (!right.empty())
      throw std::runtime_error(fmt::format("{} without any defect: {}", print_case(problem_), right));
    Problem problem = problem_;
    Tensors tensors = tensors_;
    tensors.k_pool = after.k;
    tensors.v_pool = after.v;
    if (!restricted()) {
      left.k().download(tensors.k_pool.data(), tensors.k_pool.bytes(), 0);
      left.v().download(tensors.v_pool.data(), tensors.v_pool.bytes(), 0);
    }
    defect.cache(problem, tensors);
    const DeviceCase wrong(problem, tensors);
    return check_cache(problem_, tensors_, after, *wrong.cache()).reason();
  }

  const AttentionRows& exact() { return oracle_.exact(OracleInput::dequantised); }

  std::string reason_of(const RowOutputs& outputs) {
    return judge_run(problem_, tensors_, rounding_, rows_, outputs, oracle_).verdict.reason();
  }

  // The changed result is the same for all implementations, and so is its z for those that round alike.
  const Changed& changed(const Defect& defect) {
    const auto [place, fresh] = changed_.try_emplace(defect.kind + defect.place);
    if (fresh) place->second = change(defect);
    return place->second;
  }

  Changed change(const Defect& defect) {
    if (defect.cache) return {exact(), ""};
    Changed changed{exact(), ""};
    if (defect.inputs) {
      Problem problem = problem_;
      Tensors tensors = tensors_;
      defect.inputs(problem, tensors);
      try {
        changed.reference = oracle().exact(problem, tensors, rows_, OracleInput::dequantised);
      } catch (const InvalidInput& error) {
        changed.no_effect = fmt::format("refused: {}", error.what());
        return changed;
      }
    } else if (defect.outputs.expected) {
      defect.outputs.expected(changed.reference);
    } else {
      weigh_parts(defect.parts, changed.reference);
    }
    if (!problem_.lse) changed.reference.lse = exact().lse;
    if (same(changed.reference.output, exact().output) && same(changed.reference.lse, exact().lse))
      changed.no_effect = "no judged row of the reference changes";
    return changed;
  }

  // But for the order of sums.
  static bool same(const std::vector<double>& a, const std::vector<double>& b) {
    constexpr double rounding = 1e-12;
    double largest = 0, difference = 0;
    for (size_t i = 0; i < a.size(); ++i) {
      if (a[i] == b[i]) continue;
      if (!std::isfinite(a[i]) || !std::isfinite(b[i])) return false;
      largest = std::max(largest, std::fabs(b[i]));
      difference = std::max(difference, std::fabs(a[i] - b[i]));
    }
    return difference <= rounding * largest;
  }

  // A row is the mean of its parts by weight: with one of them `factor` times as heavy.
  void weigh_parts(const PartChange& change, AttentionRows& rows) const {
    const auto without = [&](const PartialWeight& part) {
      return oracle().exact(problem_, tensors_, rows_, OracleInput::dequantised,
                            {part.row.request, part.first_key, part.last_key});
    };
    const AttentionRows rest = without(change.parts.front());
    const std::optional<AttentionRows> other =
        change.instead.empty() ? std::nullopt : std::optional(without(change.instead.front()));
    const auto heads = static_cast<size_t>(problem_.query_heads),
               dim = static_cast<size_t>(problem_.value_columns());
    for (const PartialWeight& part : change.parts) {
      const auto row = static_cast<size_t>(std::ranges::find(rows_, part.row) - rows_.begin());
      const size_t place = row * heads + static_cast<size_t>(part.head);
      if (!std::isfinite(rows.lse[place])) continue; // sees nothing
      const double lse = rows.lse[place], left = std::exp(rest.lse[place] - lse), own = 1 - left;
      const double wanted = other ? 1 - std::exp(other->lse[place] - lse) : own * change.factor;
      const double sum = left + wanted;
      for (size_t d = 0; d < dim; ++d) {
        double& o = rows.output[place * dim + d];
        const double of_rest = left * rest.output[place * dim + d],
                     of_part = own > 0 ? (o - of_rest) / own : 0;
        o = sum > 0 ? (of_rest + wanted * of_part) / sum : 0;
      }
      rows.lse[place] = lse + std::log(sum);
    }
  }

  ExpectedZ expectation(const Defect& defect) {
    if (defect.cache) return {INFINITY, "cache"};
    for (const auto& [rounding, key, expected] : expected_)
      if (rounding == rounding_ && key == defect.kind + defect.place) return expected;
    const Changed& wrong = changed(defect);
    ExpectedZ expected;
    if (wrong.no_effect.empty()) {
      expected = expectation(wrong.reference);
      if (workload::parse_values(problem_.values).source == "count")
        expected =
            std::min(expected, expectation(rounded_back(wrong.reference, exact(), problem_.output_type)),
                     [](const ExpectedZ& a, const ExpectedZ& b) { return a.z < b.z; });
    }
    expected_.emplace_back(rounding_, defect.kind + defect.place, expected);
    return expected;
  }

  ExpectedZ expectation(AttentionRows got) {
    if (!problem_.lse) got.lse.clear();
    return expected_z(evidence_of(problem_, tensors_, rounding_, got,
                                  audit_of(problem_, tensors_, rounding_, got, oracle_), oracle_));
  }

  const Problem& problem_;
  const Tensors& tensors_;
  const SabotageOptions& options_;
  const std::function<void(const SabotageEntry&)>& add_;
  NameFilter filter_;
  CaseOracle oracle_;
  std::vector<QueryRow> rows_;
  ProbabilityRounding rounding_;
  std::map<std::string, Changed> changed_;
  std::vector<std::tuple<ProbabilityRounding, std::string, ExpectedZ>> expected_;
};

} // namespace

void sabotage(const SabotageOptions& options, const std::function<void(const SabotageEntry&)>& add) {
  const std::vector<std::string> cases = read_case_list(options.list);
  Progress progress(cases.size());
  for (const std::string& text : cases) {
    const Problem problem = parse_case(text);
    std::vector<const Implementation*> supporting;
    for (const Dispatch& choice : dispatch(options.implementation, problem))
      if (choice.implementation != nullptr) supporting.push_back(choice.implementation);
    progress.start(text);
    if (!supporting.empty()) {
      options.memory.require(memory_of(problem, {.embedded = hip::runtime().embedded}));
      const Tensors tensors = workload::make_tensors(problem);
      SabotageOfCase of_case(problem, tensors, options, add);
      for (const Implementation* implementation : supporting) of_case.run(*implementation);
    }
    progress.done();
  }
}

} // namespace fmha950::harness
