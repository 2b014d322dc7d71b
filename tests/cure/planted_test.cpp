// The planted faults of tests/observe, one protection left out each: the search finds it, in as many copies as it has.
#include "harness/cure/finding_cure.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "tests/cure/patient_of.hpp"
#include "tests/observe/planted_names.hpp"

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::harness::cure;

namespace {

constexpr uint32_t words = 1 << 14, workgroups = 2, threads = 128;

// One buffer that the kernel reads and writes. NAME_good says what is right.
class Planted final : public Subject {
 public:
  Planted(std::string code_object, const std::string& name)
      : code_object_(std::move(code_object)), kernel_(hip::load_kernel(code_object_, name + "_bad")),
        good_(hip::load_kernel(code_object_, name + "_good")), memory_(words * sizeof(uint32_t)) {}
  std::string name() const override { return code_object_ + "/" + kernel_.name; }
  hip::Kernel kernel() const override { return kernel_; }
  size_t problems() const override { return 1; }
  std::string problem(size_t) const override { return "the only one"; }
  Outputs run(size_t) override { return run(kernel_); }
  std::string wrong(size_t, const Outputs& outputs) override {
    return outputs == run(good_) ? "" : "other words than those of the good kernel";
  }
  void renew() override {}

 private:
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
  hip::Kernel kernel_, good_;
  hip::Buffer memory_;
};

void check_cured(const char* code_object, const std::string& name) {
  CAPTURE(code_object, name);
  Planted planted(code_object, name);
  set_judging_options(isa_budget);
  SubjectPatient patient(planted, planted.kernel(), "");
  size_t cured = 0;
  std::vector<Condition> conditions;
  for (const std::string& schedule : mutation_schedules(6)) conditions.push_back({schedule, 0});
  for (const CuredFinding& finding : cure_findings(patient, conditions, {})) {
    const Cure& cure = finding.cure;
    CAPTURE(finding.report.what, cure.proof.objection, cure.pairs, cure.executions, finding.option);
    CHECK(cure.verdict != Cure::Verdict::partly);
    CHECK(cure.verdict != Cure::Verdict::not_cured);
    CHECK(changes_in(cure.protections) <= 2);
    cured += cure.verdict == Cure::Verdict::cured;
  }
  CHECK(cured >= 1);
}

} // namespace

TEST_CASE("cure: planted faults of registers and wait states") {
  for (const char* name : planted_registers) check_cured("planted_kernels", name);
}

TEST_CASE("cure: planted faults of order") {
  for (const char* name : planted_orders) check_cured("planted_orders", name);
}

TEST_CASE("cure: planted faults without line information") {
  for (const char* name : planted_registers) check_cured("planted_kernels_without_lines", name);
  for (const char* name : planted_orders) check_cured("planted_orders_without_lines", name);
}
