#include "harness/probe/schedule_sweep.hpp"

#include "harness/cases/single_calls.hpp"
#include "harness/device/device_case.hpp"
#include "harness/device/hazards.hpp"
#include "harness/device/variation.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/probe/workers.hpp"
#include "harness/record/record.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <thread>

namespace fmha950::harness {

std::vector<std::string> mutation_schedules(size_t count, uint64_t first_seed) {
  std::vector<std::string> schedules = {"eager", "lazy", "lazy,starve:0", "eager,starve:0", "timed"};
  for (uint64_t round = 1; schedules.size() < count; ++round) {
    const uint64_t seed = first_seed + round - 1;
    schedules.push_back(fmt::format("random:{0},random:{0}", seed));
    schedules.push_back(fmt::format("pct:{0},pct:{0}", seed));
    schedules.push_back(fmt::format("pct:{0},random:{0}", seed));
    schedules.push_back(fmt::format("lazy,pct:{0}", seed));
    if (round < 8) schedules.push_back(fmt::format("{},starve:{}", round % 2 ? "lazy" : "eager", round));
  }
  schedules.resize(count);
  return schedules;
}

std::vector<std::string> schedule_list(const std::string& text, uint64_t seed) {
  if (text.empty()) return {};
  const auto refuse = [&]() -> InvalidInput {
    return {"schedules", text,
            "must be a number from 2, or at least two schedules such as eager,lazy+starve:3"};
  };
  if (text.find_first_not_of("0123456789") == std::string::npos) {
    size_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (error != std::errc() || count < 2 || count > 1'000'000) throw refuse();
    return mutation_schedules(count, seed);
  }
  std::vector<std::string> schedules;
  std::istringstream items(text);
  for (std::string item; std::getline(items, item, ',');) schedules.push_back(schedule_of_item(item));
  if (schedules.size() < 2) throw refuse();
  if (std::set(schedules.begin(), schedules.end()).size() < schedules.size())
    throw InvalidInput("schedules", text, "must name no schedule twice: nothing would be compared");
  return schedules;
}

namespace {

using Json = nlohmann::json;

struct Bits { // that one run left
  RowOutputs rows;
  std::vector<std::byte> cache;
  bool operator==(const Bits&) const = default;
};

// What is wrong with one run; "" if nothing is.
std::string fault_of(const Bits& expected, const Bits& got) {
  if (const auto findings = take_findings(); !findings.empty()) return describe(findings);
  if (got == expected) return "";
  std::string text = "bits differ from those under the first: " + difference(expected.rows, got.rows);
  if (got.cache != expected.cache) text += ", the cache";
  return text;
}

} // namespace

std::optional<ScheduleFailure> sweep(const Implementation& implementation, const Problem& problem,
                                     const Tensors& tensors, const std::vector<std::string>& schedules) {
  const Problem single = as_single_call(problem);
  const Tensors of_single = as_single_call(problem, tensors);
  const std::vector<QueryRow> rows = all_rows(single);
  const size_t workers = std::clamp<size_t>(std::thread::hardware_concurrency(), 1, schedules.size());
  const auto explore = [&](size_t worker, SharedState& state) -> std::string {
    ScheduleFailure failure;
    Record record;
    guarded(record, [&] {
      CaseRun run(implementation, single, of_single);
      const auto outputs = [&] {
        RunOutputs result = run.run(
            {.schedule = schedules[failure.index], .threads = workers > 1 ? "1" : "", .mfma = ""}, rows);
        return Bits{std::move(result.rows), run.device().download_cache()};
      };
      const Bits expected = outputs();
      failure.reason = fault_of(expected, expected);
      for (size_t i = worker == 0 ? workers : worker; failure.reason.empty() && i < state.first_failure();
           i += workers) {
        failure.index = i;
        failure.reason = fault_of(expected, outputs());
      }
      record.outcome = Outcome::passed();
    });
    if (record.outcome.kind() != OutcomeKind::passed) {
      failure.kind = record.outcome.kind();
      failure.reason = record.outcome.reason();
    }
    if (failure.reason.empty()) return "";
    state.failed_at(failure.index);
    return Json{{"index", failure.index}, {"kind", to_string(failure.kind)}, {"reason", failure.reason}}.dump(
        -1, ' ', false, Json::error_handler_t::replace);
  };
  std::optional<ScheduleFailure> lowest;
  for (const std::string& answer : run_workers(workers, schedules.size(), explore)) {
    if (answer.empty()) continue;
    const Json json = Json::parse(answer);
    const size_t index = json.at("index");
    if (!lowest || index < lowest->index)
      lowest = {index, outcome_from_string(json.at("kind").get<std::string>()), json.at("reason")};
  }
  return lowest;
}

} // namespace fmha950::harness
