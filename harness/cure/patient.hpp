#pragma once
// A kernel with a fault, run with changes to its code on problems and under schedules.

#include "harness/device/hazards.hpp"
#include "harness/mutation/subject.hpp"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace fmha950::harness::cure {

struct Condition {
  std::string schedule;
  size_t problem = 0; // of the patient's
  auto operator<=>(const Condition&) const = default;
};

// What a report is about. Between waves either side may come first, so the two have no order.
struct Pair {
  std::string hazard;
  CodePlace one, other; // ascending
  auto operator<=>(const Pair&) const = default;
  // About the order of two accesses, not about a value or a place.
  bool is_order() const;
};
Pair pair_of(const HazardReport& report);
// One group of waves has a barrier more at the start, and the other ends first: by what the report says is missing.
bool tells_of_stagger(const HazardReport& report);

struct Ran { // as a patient's run says it
  Outputs outputs;
  std::string fault; // "" if the launches came to their end
  std::vector<HazardReport> reports;
};

struct Observation {
  const Outputs* outputs = nullptr; // the patient's: equal outputs of its runs are one
  std::string fault;                // "" if the launches came to their end
  std::vector<HazardReport> reports;
  std::set<std::pair<std::string, Pair>> elsewhere; // errors in other kernels: results may be wrong by them
  std::set<Pair> pairs() const;                     // of all severities
  std::set<Pair> errors() const;                    // those that can make the result wrong
  bool is_staggered() const; // one group of waves has a barrier more at the start, and the other ends first
};

// Whether the checks count on what the changes bring; on meetings at the kernel's own barriers that inserted ones bring, too
// (docs/cures.md, "What a cure is").
enum class Trust : uint8_t { all, not_changes, not_meetings };

class Patient {
 public:
  // `base`: changes that the kernel has in any case, a mutant; "" none.
  Patient(hip::Kernel kernel, std::string base) : kernel_(std::move(kernel)), base_(std::move(base)) {}
  virtual ~Patient() = default;
  const hip::Kernel& kernel() const { return kernel_; }
  const std::string& base() const { return base_; }
  std::set<CodePlace> changed() const; // instructions that the base changes
  void adopt(const std::string& changes) { base_ += (base_.empty() ? "" : ",") + changes; } // from now on
  void set_base(const std::string& base) { base_ = base; }
  size_t executions() const { return seen_.size() + other_runs_; } // each made once
  bool others_had_errors() const;                                  // other kernels, in some run

  virtual size_t problems() const = 0;
  virtual std::string problem(size_t index) const = 0; // its name
  // `changes` stand behind the base's. Reports are those on the kernel. What was run before is not run again. Throws
  // DeviceError for what is no fault of the kernel.
  const Observation& observe(const Condition& condition, const std::string& changes, Trust trust);
  bool has_seen(const Pair& pair) const;           // in some run
  void learn(const Condition& condition, Ran ran); // a run without any change, which need not be made again
  // "", or what is wrong with the outputs of that run, which are the patient's.
  const std::string& wrong(const Condition& condition, const std::string& changes, const Outputs* outputs);
  // What is said of results that are right: what was compared, and by what.
  virtual std::string judged() const = 0;
  // Modelled clocks of the kernel's launches, all workgroups, warm; 0: not known.
  virtual double clocks(size_t problem, const std::string& changes) = 0;

 protected:
  std::string doubt(Trust trust) const; // the option, of a list behind the base's changes
  void count_run() { ++other_runs_; }   // that took as long as those that observe

 private:
  virtual Ran run(const Condition& condition, const std::string& changes, Trust trust) = 0;
  // Of values alone: what is reported of the run is judged by whoever asks.
  virtual std::string judge(const Condition& condition, const std::string& changes,
                            const Outputs& outputs) = 0;
  const Outputs* kept(Outputs outputs);
  const Observation& keep(Observation& seen, Ran ran);

  hip::Kernel kernel_;
  std::string base_;
  size_t other_runs_ = 0;
  std::map<std::tuple<Condition, std::string, std::string>, Observation> seen_; // by changes and doubt
  std::deque<Outputs> outputs_;                                                 // all different
  std::map<std::pair<size_t, const Outputs*>, std::string> judged_;             // by problem
};

// Whether no instruction ran, as the device has no such change: one that is none, or a wait that cannot be tightened any more.
bool is_refused_change(std::string_view fault);

constexpr const char* no_doubt = "0";
// `changes` and `doubt` as options mutant and doubt. Throws DeviceError for what is no fault of the kernel.
Ran run_of(Subject& subject, const Condition& condition, const std::string& changes,
           const std::string& doubt);

// Of a subject of the mutants, in this process.
class SubjectPatient final : public Patient {
 public:
  SubjectPatient(Subject& subject, hip::Kernel kernel, std::string base);
  size_t problems() const override { return subject_.problems(); }
  std::string problem(size_t index) const override { return subject_.problem(index); }
  std::string judged() const override { return "right by the oracle, bits equal under all schedules"; }
  double clocks(size_t problem, const std::string& changes) override;

 private:
  Ran run(const Condition& condition, const std::string& changes, Trust trust) override;
  std::string judge(const Condition& condition, const std::string& changes, const Outputs& outputs) override;
  Subject& subject_;
};

} // namespace fmha950::harness::cure
