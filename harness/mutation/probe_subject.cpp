#include "harness/mutation/probe_subject.hpp"

#include "harness/cases/single_calls.hpp"
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/probe/probe_runner.hpp"

#include <optional>
#include <stdexcept>

namespace fmha950::harness {
namespace {

class ProbeSubject final : public Subject {
 public:
  ProbeSubject(const Implementation& implementation, Probe probe)
      : implementation_(implementation), probe_(std::move(probe)), tensors_(make_tensors(probe_)),
        call_(as_single_call(probe_.problem)), call_tensors_(as_single_call(probe_.problem, tensors_)),
        rows_(all_rows(call_)), oracle_(probe_.problem, tensors_) {}
  std::string name() const override { return std::string(implementation_.name()); }
  hip::Kernel kernel() const override {
    throw std::logic_error(probe_.name + ": a probe has no single kernel");
  }
  size_t problems() const override { return 1; }
  std::string problem(size_t) const override { return probe_.name; }

  Outputs run(size_t) override {
    if (!run_) run_.emplace(implementation_, call_, call_tensors_);
    RowOutputs result = run_->run({}, rows_).rows;
    result.output.insert(result.output.end(), result.lse.begin(), result.lse.end());
    return std::move(result.output);
  }
  std::string wrong(size_t, const Outputs&) override {
    Record record;
    ProbeRunner(implementation_, {}).run(probe_, tensors_, oracle_, record);
    return record.outcome.is_failure() ? record.outcome.reason() : "";
  }
  void renew() override { run_.reset(); }

 private:
  const Implementation& implementation_;
  const Probe probe_;
  const Tensors tensors_;
  const Problem call_;
  const Tensors call_tensors_;
  const std::vector<QueryRow> rows_;
  CaseOracle oracle_;
  std::optional<CaseRun> run_;
};

} // namespace

std::unique_ptr<Subject> probe_subject(const Implementation& implementation, Probe probe) {
  return std::make_unique<ProbeSubject>(implementation, asked_of(implementation, std::move(probe)));
}

} // namespace fmha950::harness
