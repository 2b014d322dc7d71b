#include "harness/isolation/case_process.hpp"

#include <cereal/archives/binary.hpp>
#include <cereal/types/array.hpp>
#include <cereal/types/optional.hpp>
#include <cereal/types/string.hpp>
#include <cereal/types/utility.hpp>
#include <cereal/types/vector.hpp>
#include <sstream>

// Each binding names every field of its struct: one that a struct gains does not compile until it is here.
namespace fmha950 {

template <class Archive> void serialize(Archive& archive, ProbabilityRounding& value) {
  auto& [type, shift, weighted, unit_follows, sum_rounded, linear] = value;
  archive(type, shift, weighted, unit_follows, sum_rounded, linear);
}

template <class Archive> void serialize(Archive& archive, QueryRow& value) {
  auto& [request, query] = value;
  archive(request, query);
}

template <class Archive> void serialize(Archive& archive, PartPlace& value) {
  auto& [kind, request, kv_head, first_key, last_key, column, page, row] = value;
  archive(kind, request, kv_head, first_key, last_key, column, page, row);
}

template <class Archive> void save(Archive& archive, const Outcome& value) {
  archive(value.kind(), value.reason(), value.milliseconds());
}

template <class Archive> void load(Archive& archive, Outcome& value) {
  OutcomeKind kind{};
  std::string reason;
  std::optional<double> milliseconds;
  archive(kind, reason, milliseconds);
  value = kind == OutcomeKind::passed ? Outcome::passed(milliseconds) : Outcome::failed(kind, reason);
}

namespace harness {

template <class Archive> void serialize(Archive& archive, ErrorMetrics& value) {
  auto& [count, max_abs, rmse, relative_l2, cosine, nmse, norm_ratio, max_reference, worst] = value;
  archive(count, max_abs, rmse, relative_l2, cosine, nmse, norm_ratio, max_reference, worst);
}

template <class Archive> void serialize(Archive& archive, Defects& value) {
  auto& [nan, inf, untouched, first] = value;
  archive(nan, inf, untouched, first);
}

template <class Archive> void serialize(Archive& archive, Limit& value) {
  auto& [name, found, limit, where] = value;
  archive(name, found, limit, where);
}

template <class Archive> void serialize(Archive& archive, Finding& value) {
  auto& [place, of_lse, share, sigma, floor, plain, explained, text] = value;
  archive(place, of_lse, share, sigma, floor, plain, explained, text);
}

template <class Archive> void serialize(Archive& archive, AuditVerdict& value) {
  auto& [parts, failed, keys, not_audited, inflation, worst, findings] = value;
  archive(parts, failed, keys, not_audited, inflation, worst, findings);
}

template <class Archive> void serialize(Archive& archive, Verdict& value) {
  auto& [kernel, plain, lse, defects, lse_defects, limits, audit, findings] = value;
  archive(kernel, plain, lse, defects, lse_defects, limits, audit, findings);
}

template <class Archive> void serialize(Archive& archive, AuditCurve& value) {
  auto& [exponent, share, sigma] = value;
  archive(exponent, share, sigma);
}

template <class Archive> void serialize(Archive& archive, AuditCurves& value) {
  auto& [tiles, scores] = value;
  archive(tiles, scores);
}

template <class Archive> void serialize(Archive& archive, KvTile& value) {
  auto& [first_key, keys, cosine] = value;
  archive(first_key, keys, cosine);
}

template <class Archive> void serialize(Archive& archive, WorstPlace& value) {
  auto& [row, head, column, kv_tile] = value;
  archive(row, head, column, kv_tile);
}

template <class Archive> void serialize(Archive& archive, CacheCheck& value) {
  auto& [bytes, appended, wrong, changed, first_wrong, first_changed] = value;
  archive(bytes, appended, wrong, changed, first_wrong, first_changed);
}

template <class Archive> void serialize(Archive& archive, AccuracyResult& value) {
  auto& [query_rows, total_query_rows, restricted, verdict, curves, quantisation, total, worst, difference,
         cache] = value;
  archive(query_rows, total_query_rows, restricted, verdict, curves, quantisation, total, worst, difference,
          cache);
}

template <class Archive> void serialize(Archive& archive, Variation& value) {
  auto& [schedule, threads, mfma, check] = value;
  archive(schedule, threads, mfma, check);
}

template <class Archive> void serialize(Archive& archive, VariationResult& value) {
  auto& [variation, milliseconds, identical, outcome] = value;
  archive(variation, milliseconds, identical, outcome);
}

template <class Archive> void serialize(Archive& archive, Assumed& value) {
  auto& [words, slower, busy, matrix] = value;
  archive(words, slower, busy, matrix);
}

template <class Archive> void serialize(Archive& archive, ModelledLaunch& value) {
  auto& [kernel, workgroups, sampled, resident, clocks, occupied, sampling_error, busy, spent, matrix, bytes,
         lds_instructions, lds_conflicts, assumed, converts] = value;
  archive(kernel, workgroups, sampled, resident, clocks, occupied, sampling_error, busy, spent, matrix, bytes,
          lds_instructions, lds_conflicts, assumed, converts);
}

template <class Archive> void serialize(Archive& archive, Modelled& value) {
  auto& [flops, launches, matrix_peak, tile_flops] = value;
  archive(flops, launches, matrix_peak, tile_flops);
}

template <class Archive> void serialize(Archive& archive, MeasuredSeries& value) {
  auto& [samples, throttled, runs, seconds, noise, stopped, hertz] = value;
  archive(samples, throttled, runs, seconds, noise, stopped, hertz);
}

template <class Archive> void serialize(Archive& archive, Measured& value) {
  auto& [flops, matrix_flops, nominal_hertz, warm, cold] = value;
  archive(flops, matrix_flops, nominal_hertz, warm, cold);
}

template <class Archive> void serialize(Archive& archive, Lacks& value) {
  auto& [vmcnt, lgkmcnt, before_barrier, before_flag, barrier, states] = value;
  archive(vmcnt, lgkmcnt, before_barrier, before_flag, barrier, states);
}

template <class Archive> void serialize(Archive& archive, CodePlace& value) {
  auto& [function, offset] = value;
  archive(function, offset);
}

template <class Archive> void serialize(Archive& archive, HazardReport& value) {
  auto& [hazard, kernel, what, missing, earlier, later, earlier_place, later_place, count, json, severity,
         pairs, lacks, accepted] = value;
  archive(hazard, kernel, what, missing, earlier, later, earlier_place, later_place, count, json, severity,
          pairs, lacks, accepted);
}

template <class Archive> void serialize(Archive& archive, Environment& value) {
  auto& [version, commit, committed, kernels, build, compiler, host_cpu, device, library, embedded] = value;
  archive(version, commit, committed, kernels, build, compiler, host_cpu, device, library, embedded);
}

template <class Archive> void serialize(Archive& archive, Record& value) {
  auto& [command, case_string, probe, requested, resolved, variant, external, probability, fallback, outcome,
         workspace, planning, accuracy, modelled, measured, variations, hazards, environment, asked,
         reproduce] = value;
  archive(command, case_string, probe, requested, resolved, variant, external, probability, fallback, outcome,
          workspace, planning, accuracy, modelled, measured, variations, hazards, environment, asked,
          reproduce);
}

std::string pack(const Record& record) {
  std::ostringstream bytes;
  cereal::BinaryOutputArchive archive(bytes);
  archive(record);
  return std::move(bytes).str();
}

Record unpack(std::string_view bytes) {
  std::istringstream stream{std::string(bytes)};
  cereal::BinaryInputArchive archive(stream);
  Record record;
  archive(record);
  return record;
}

} // namespace harness
} // namespace fmha950
