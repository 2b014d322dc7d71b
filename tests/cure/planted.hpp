#pragma once
// The kernels with planted faults of tests/observe as subjects.

#include "harness/cure/finding_cure.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "tests/cure/patient_of.hpp"

namespace fmha950::harness::cure {

// One buffer that the kernel reads and writes. NAME_good says what is right.
class Planted final : public Subject {
 public:
  Planted(std::string code_object, const std::string& name, const std::string& which)
      : code_object_(std::move(code_object)), kernel_(hip::load_kernel(code_object_, name + which)),
        memory_(words * sizeof(uint32_t)), right_(run(hip::load_kernel(code_object_, name + "_good"))) {}
  std::string name() const override { return code_object_ + "/" + kernel_.name; }
  hip::Kernel kernel() const override { return kernel_; }
  size_t problems() const override { return 1; }
  std::string problem(size_t) const override { return "the only one"; }
  Outputs run(size_t) override { return run(kernel_); }
  std::string wrong(size_t, const Outputs& outputs) override {
    return outputs == right_ ? "" : "other words than those of the good kernel";
  }
  void renew() override {}

 private:
  static constexpr uint32_t words = 1 << 14, workgroups = 2, threads = 128;
  Outputs run(const hip::Kernel& kernel) {
    const Words in = counted({words, workgroups});
    memory_.upload(in.data(), words * sizeof(uint32_t));
    void* const argument = memory_.get();
    hip::launch(kernel, {workgroups, 1, 1}, {threads, 1, 1}, &argument, sizeof argument, nullptr);
    Outputs out(words * sizeof(uint32_t));
    memory_.download(out.data(), out.size());
    return out;
  }

  std::string code_object_;
  hip::Kernel kernel_;
  hip::Buffer memory_;
  const Outputs right_;
};

struct PlantedPatient {
  // `base`: changes that it has; `which`: "_good" has no fault by itself.
  PlantedPatient(const std::string& code_object, const std::string& name, const std::string& base = "",
                 const std::string& which = "_bad")
      : subject(code_object, name, which), patient(subject, subject.kernel(), base) {
    set_judging_options(isa_budget);
    for (const std::string& schedule : mutation_schedules(6)) conditions.push_back({schedule, 0});
  }
  std::vector<CuredFinding> cures() { return cure_findings(patient, conditions, {}); }

  Planted subject;
  SubjectPatient patient;
  std::vector<Condition> conditions;
};

} // namespace fmha950::harness::cure
