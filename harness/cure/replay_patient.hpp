#pragma once
// A kernel of a program as its launches show it, which are made again (kept_launches.hpp).

#include "harness/cure/kept_launches.hpp"
#include "harness/cure/patient.hpp"

namespace fmha950::harness::cure {

class ReplayPatient final : public Patient {
 public:
  ReplayPatient(hip::Kernel kernel, std::vector<const KeptLaunch*> launches, int seconds_of_run)
      : Patient(std::move(kernel), ""), launches_(std::move(launches)), seconds_(seconds_of_run) {}
  size_t problems() const override { return launches_.size(); }
  std::string problem(size_t index) const override;
  std::string judged() const override;
  double clocks(size_t problem, const std::string& changes) override;

 private:
  Ran run(const Condition& condition, const std::string& changes, Trust trust) override;
  std::string judge(const Condition&, const std::string&, const Outputs&) override { return {}; } // by nobody
  int seconds_for(const std::string& changes) const;                                              // of a run

  std::vector<const KeptLaunch*> launches_;
  int seconds_;
  double longest_ = 0; // run without changes, in seconds
};

} // namespace fmha950::harness::cure
