#pragma once
// A kernel with a fault, run with changes to its code on problems and under schedules.

#include "harness/device/hazards.hpp"
#include "harness/mutation/subject.hpp"

#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace fmha950::harness::cure {

struct Condition {
  std::string schedule;
  size_t problem = 0; // of the subject
  auto operator<=>(const Condition&) const = default;
};

// What a report is about. Between waves either side may come first, so the two have no order.
struct Pair {
  std::string hazard;
  uint64_t one = 0, other = 0; // offsets, ascending
  auto operator<=>(const Pair&) const = default;
  // About the order of two accesses, not about a value or a place.
  bool is_order() const;
};
Pair pair_of(const HazardReport& report);

struct Observation {
  Outputs outputs;
  std::string fault; // "" if the launches came to their end
  std::vector<HazardReport> reports;
  std::set<Pair> pairs() const;  // of all severities
  std::set<Pair> errors() const; // those that can make the result wrong
};

// Whether the checks count on what the changes bring.
enum class Trust : uint8_t { all, not_changes };

class Patient {
 public:
  // `base`: changes that the kernel has in any case, a mutant; "" none.
  Patient(Subject& subject, hip::Kernel kernel, std::string base);
  const hip::Kernel& kernel() const { return kernel_; }
  const std::string& base() const { return base_; }
  std::set<uint64_t> changed() const; // offsets of the instructions that the base changes
  Subject& subject() const { return subject_; }
  size_t executions() const { return executions_; }

  // `changes` stand behind the base's. Throws DeviceError for what is no fault of the kernel.
  Observation observe(const Condition& condition, const std::string& changes, Trust trust);
  // "", or what the accuracy rule says against the outputs of that run.
  std::string wrong(const Condition& condition, const std::string& changes, const Outputs& outputs);
  // Modelled clocks of the kernel's launches, all workgroups, warm.
  double clocks(size_t problem, const std::string& changes);

 private:
  Subject& subject_;
  hip::Kernel kernel_;
  std::string base_;
  size_t executions_ = 0;
};

} // namespace fmha950::harness::cure
