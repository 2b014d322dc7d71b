#include "harness/cure/patient.hpp"

#include "harness/device/embedded_device.hpp"
#include "harness/perf/modelled_launch.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace fmha950::harness::cure {
namespace {

class InForce { // options of one run
 public:
  InForce(const Condition& condition, const std::string& changes, const std::string& doubt) {
    set_option("schedule", condition.schedule);
    set_option("mutant", changes);
    set_option("doubt", doubt);
  }
  ~InForce() {
    hip::api().SetOption("mutant", "");
    hip::api().SetOption("doubt", no_doubt);
  }
  InForce(const InForce&) = delete;
};

class WithoutChecks {
 public:
  WithoutChecks() { set_option("check", "none"); }
  ~WithoutChecks() { hip::api().SetOption("check", "all"); }
  WithoutChecks(const WithoutChecks&) = delete;
};

std::string json_of_cause(const HazardReport& report) {
  return nlohmann::json{{"cause", nlohmann::json::parse(report.json).value("cause", "")}}.dump();
}

} // namespace

bool is_refused_change(std::string_view fault) { return fault.find("mutant = ") != fault.npos; }

Pair pair_of(const HazardReport& report) {
  const auto [one, other] = std::minmax(report.earlier_place, report.later_place);
  return {report.hazard, one, other};
}

bool tells_of_stagger(const HazardReport& report) {
  return report.hazard == "barrier_divergence" && report.missing.ends_with("staggered by one");
}

bool Pair::is_order() const {
  constexpr const char* orders[] = {"register_in_flight", "lds_order", "memory_order", "visibility",
                                    "wait_states"};
  return std::ranges::find(orders, hazard) != std::end(orders);
}

std::set<Pair> Observation::pairs() const {
  std::set<Pair> all;
  for (const HazardReport& report : reports) all.insert(pair_of(report));
  return all;
}

std::set<Pair> Observation::errors() const {
  std::set<Pair> all;
  for (const HazardReport& report : reports)
    if (report.severity == "error") all.insert(pair_of(report));
  return all;
}

bool Patient::others_had_errors() const {
  return std::ranges::any_of(seen_, [](const auto& run) { return !run.second.elsewhere.empty(); });
}

bool Patient::has_seen(const Pair& pair) const {
  return std::ranges::any_of(seen_, [&](const auto& run) { return run.second.pairs().contains(pair); });
}

bool Observation::is_staggered() const { return std::ranges::any_of(reports, tells_of_stagger); }

std::set<CodePlace> Patient::changed() const {
  std::set<CodePlace> places;
  std::istringstream changes(base_);
  for (std::string change; std::getline(changes, change, ',');) places.insert(place_of_change(change));
  return places;
}

std::string Patient::doubt(Trust trust) const {
  if (trust == Trust::all) return no_doubt;
  const auto first = base_.empty() ? 1 : 2 + std::ranges::count(base_, ',');
  return std::to_string(first) + (trust == Trust::not_meetings ? ",meetings" : "");
}

const Outputs* Patient::kept(Outputs outputs) {
  const auto known = std::ranges::find(outputs_, outputs);
  return known != outputs_.end() ? &*known : &outputs_.emplace_back(std::move(outputs));
}

const Observation& Patient::observe(const Condition& condition, const std::string& changes, Trust trust) {
  const std::tuple key(condition, changes, doubt(trust));
  if (const auto known = seen_.find(key); known != seen_.end()) return known->second;
  return keep(seen_[key], run(condition, changes, trust));
}

void Patient::learn(const Condition& condition, Ran ran) {
  keep(seen_[{condition, "", no_doubt}], std::move(ran));
}

const Observation& Patient::keep(Observation& seen, Ran ran) {
  seen.outputs = kept(std::move(ran.outputs));
  seen.fault = std::move(ran.fault);
  seen.reports = std::move(ran.reports);
  const auto is_other = [&](const HazardReport& report) { return report.kernel != kernel_.name; };
  for (const HazardReport& report : seen.reports)
    if (is_other(report) && report.severity == "error")
      seen.elsewhere.insert({report.kernel, pair_of(report)});
  std::erase_if(seen.reports, is_other);
  for (HazardReport& report : seen.reports) report.json = json_of_cause(report); // all runs are kept
  return seen;
}

const std::string& Patient::wrong(const Condition& condition, const std::string& changes,
                                  const Outputs* outputs) {
  const std::pair key(condition.problem, outputs);
  const auto known = judged_.find(key);
  return known != judged_.end() ? known->second
                                : judged_.emplace(key, judge(condition, changes, *outputs)).first->second;
}

Ran run_of(Subject& subject, const Condition& condition, const std::string& changes,
           const std::string& doubt) {
  const InForce options(condition, changes, doubt);
  Ran seen;
  try {
    seen.outputs = subject.run(condition.problem);
  } catch (const DeviceError& error) {
    seen.fault = clear_fault();
    if (seen.fault.empty() && !is_refused_change(error.what())) throw;
    if (seen.fault.empty())
      seen.fault = error.what();
    else
      subject.renew(); // it may have written anywhere
  }
  seen.reports = take_hazards();
  return seen;
}

SubjectPatient::SubjectPatient(Subject& subject, hip::Kernel kernel, std::string base)
    : Patient(std::move(kernel), std::move(base)), subject_(subject) {
  take_hazards(); // of whoever was before
}

Ran SubjectPatient::run(const Condition& condition, const std::string& changes, Trust trust) {
  return run_of(subject_, condition, changes, doubt(trust));
}

std::string SubjectPatient::judge(const Condition& condition, const std::string& changes,
                                  const Outputs& outputs) {
  const InForce options(condition, changes, no_doubt);
  const WithoutChecks values_alone;
  return subject_.wrong(condition.problem, outputs);
}

double SubjectPatient::clocks(size_t problem, const std::string& changes) {
  const InForce options({"eager", problem}, changes, no_doubt);
  double clocks = 0;
  {
    const TimingInForce timing("samples");
    const WithoutChecks faster;
    subject_.run(problem);
    std::istringstream lines(hip::api().Timings());
    for (std::string line; std::getline(lines, line);)
      if (const auto launch = nlohmann::json::parse(line); launch.at("kernel") == kernel().name)
        clocks += launch.at("gpu_clocks").is_null() ? 0 : launch.at("gpu_clocks").get<double>();
  }
  return clocks;
}

} // namespace fmha950::harness::cure
