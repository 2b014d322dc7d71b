#include "harness/probe/batch_bits.hpp"

#include "harness/device/device_case.hpp"
#include "harness/device/hazards.hpp"
#include "harness/judge/row_sample.hpp"
#include "operators/paged/sub_batch.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <random>
#include <utility>

namespace fmha950::harness {

namespace {

std::vector<QueryRow> rows_of(const Request& request, int number) {
  std::vector<QueryRow> rows;
  for (int query = 0; query < request.query_length; ++query) rows.push_back({number, query});
  return rows;
}

std::string text_of(const Batch& batch, size_t place) {
  if (batch.size() == 1) return "alone";
  return fmt::format("as request {} of {}", place, batch.size());
}

} // namespace

std::vector<Batch> batches_of(int requests) {
  std::vector<Batch> batches;
  Batch all(static_cast<size_t>(requests));
  std::iota(all.begin(), all.end(), 0);
  for (const int size : {1, 2, 40, requests}) {
    if (size > requests) continue; // the whole batch comes last
    for (int first = 0; first < requests; first += size)
      batches.emplace_back(all.begin() + first, all.begin() + std::min(first + size, requests));
  }
  std::ranges::reverse(all); // a shuffle leaves few requests nearly as they were
  batches.push_back(all);
  std::ranges::shuffle(all, std::mt19937(1));
  batches.push_back(std::move(all));
  return batches;
}

std::optional<std::string> batch_difference(const Implementation& implementation, const Problem& problem,
                                            const Tensors& tensors, const std::vector<Batch>& batches) {
  struct Known {
    RowOutputs outputs;
    std::string where;
  };
  std::vector<std::optional<Known>> known(problem.requests.size());
  for (const Batch& batch : batches) {
    const operators::SubBatch of = operators::sub_batch(problem, tensors, batch);
    CaseRun run(implementation, of.problem, of.tensors);
    run.run({}, all_rows(of.problem));
    if (const auto findings = take_findings(); !findings.empty()) return describe(findings);
    for (size_t place = 0; place < batch.size(); ++place) {
      const Request& request = of.problem.requests[place];
      Known now = {run.device().download(rows_of(request, static_cast<int>(place))), text_of(batch, place)};
      std::optional<Known>& before = known[static_cast<size_t>(batch[place])];
      if (before && before->outputs != now.outputs)
        return fmt::format("request {} ({} queries, {} keys) has other bits {} than {}: {}", batch[place],
                           request.query_length, request.key_length, now.where, before->where,
                           difference(before->outputs, now.outputs));
      if (!before) before = std::move(now);
    }
  }
  return std::nullopt;
}

} // namespace fmha950::harness
