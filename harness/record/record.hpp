#pragma once
// One result: what one implementation did with one case. docs/results.md documents the JSON form; CSV is its
// flat view.

#include "harness/device/hazards.hpp"
#include "harness/device/variation.hpp"
#include "harness/judge/audit_judge.hpp"
#include "harness/judge/audit_parts.hpp"
#include "harness/judge/divergence.hpp"
#include "harness/judge/verdict.hpp"
#include "harness/perf/measured.hpp"
#include "harness/perf/modelled.hpp"
#include "harness/record/environment.hpp"
#include "interface/names.hpp"
#include "interface/oracle.hpp"
#include "interface/outcome.hpp"

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace fmha950::harness {

inline constexpr int record_schema = 3; // grows when a key is renamed, removed or changes its meaning

// Where the largest error is; the KV tile that explains it only for a case that failed its limits.
struct WorstPlace {
  QueryRow row;
  int head = 0, column = 0;
  std::optional<KvTile> kv_tile;
};

struct VariationResult {
  Variation variation;
  double milliseconds = 0; // wall time of enqueue and synchronise
  bool identical = true;   // bit for bit with the first variation of the same MFMA form
  OutcomeKind outcome = OutcomeKind::passed;
};

struct AccuracyResult {
  int64_t query_rows = 0, total_query_rows = 0; // judged, and in the problem
  bool restricted = false;                      // only workgroups of sampled query tiles ran
  Verdict verdict;                              // of the first MFMA form that failed, else of the first
  AuditCurves audit_curves;                     // of the same form
  std::optional<ErrorMetrics> quantisation; // oracle on the dequantised against oracle on the original inputs
  std::optional<ErrorMetrics> total;        // kernel against oracle on the original inputs
  std::optional<WorstPlace> worst;
  std::optional<double> mfma_difference; // max |fma - fdpa| of the outputs, when both forms ran
  // append_prefill, unless only part of the problem ran; the first that failed
  std::optional<CacheCheck> cache;
};

struct Record {
  std::string command; // run | accuracy | compare | perf | probe
  std::string case_string;
  std::string probe;               // its name, where the case string alone does not say what ran
  std::string requested, resolved; // implementation asked for, and the one that ran ("" if none did)
  std::string variant;             // of the implementation
  std::string external;            // digest of one that is no part of this program, else ""
  std::optional<ProbabilityRounding> probability; // how the variant rounds P
  // Under auto: "NAME: reason; ..." of those passed over before `resolved`; "" if none was.
  std::string fallback;
  Outcome outcome = Outcome::failed(OutcomeKind::not_run, "not run");
  std::optional<size_t> workspace_bytes;
  std::optional<double> planning_ms; // of the plan's search for what to prepare, where it has one
  std::optional<AccuracyResult> accuracy;
  std::optional<Modelled> modelled; // by the embedded device's cycle model
  std::optional<Measured> measured; // on a GPU
  std::vector<VariationResult> variations;
  std::vector<HazardReport> hazards; // that the device's checks found
  Environment environment;
  std::string asked;     // the command line and what else decides what this record is (kept_records.hpp)
  std::string reproduce; // the command line that gives this record again
  const std::string& implementation() const { return resolved.empty() ? requested : resolved; } // to be shown
};

nlohmann::ordered_json to_json(const Record& record);

// Leaves of a record with dotted names, in the order of the JSON form; every record has the same names
// (variations are left out, arrays have no flat form).
std::vector<std::pair<std::string, std::string>> flatten(const nlohmann::ordered_json& record);

// How a variant rounds P, in the words of results (docs/results.md): p=bf16|fp16|fp8|fp8-unlifted|fp8-linear,
// sum=rounded|unrounded. fp8-unlifted: without the factor 2^shift that lifts small P out of the subnormals.
// fp8-linear: P is linear between powers of two (numerics/linear_fp8.hpp).
inline std::string p_word(const ProbabilityRounding& rounding) {
  const std::string type(name_of(rounding.type));
  if (rounding.type != ElementType::fp8) return type;
  return rounding.linear ? type + "-linear" : rounding.shift == 0 ? type + "-unlifted" : type;
}

inline std::string sum_word(const ProbabilityRounding& rounding) {
  return rounding.sum_rounded ? "rounded" : "unrounded";
}

// `accuracy.audit` of a record (docs/results.md).
// Null values where there is no verdict.
nlohmann::ordered_json audit_json(const AuditVerdict* verdict, const AuditCurves& curves);

// Runs `body` and turns what it throws into the record's outcome: InvalidInput invalid_input, DeviceError
// device_error, anything else not_run. What was measured before that is no result.
void guarded(Record& record, const std::function<void()>& body);

} // namespace fmha950::harness
