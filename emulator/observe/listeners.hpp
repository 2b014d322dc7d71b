#pragma once
// Several listeners of one launch as one: each is told everything, in the order in which they were added.

#include "emulator/machine/listener.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace fmha950::observe {

class WorkgroupListeners final : public machine::WorkgroupListener {
 public:
  using All = std::vector<std::unique_ptr<machine::WorkgroupListener>>;
  explicit WorkgroupListeners(All all) : all_(std::move(all)) {}
  void started(machine::Workgroup& workgroup) override {
    for (auto& each : all_) each->started(workgroup);
  }
  void before(machine::Wave& wave, const isa::Instruction& in) override {
    for (auto& each : all_) each->before(wave, in);
  }
  void issued(machine::Wave& wave, const machine::Access& access, machine::Queue queue) override {
    for (auto& each : all_) each->issued(wave, access, queue);
  }
  void barrier_released(machine::Workgroup& workgroup) override {
    for (auto& each : all_) each->barrier_released(workgroup);
  }
  void stopped(const machine::Wave& wave, const machine::Fault& fault) override {
    for (auto& each : all_) each->stopped(wave, fault);
  }

 private:
  All all_;
};

class Listeners final : public machine::Listener {
 public:
  void add(machine::Listener& listener) { all_.push_back(&listener); }
  // What a launch's `listener` has to be: null without any, the one itself when there is one.
  machine::Listener* get() { return all_.empty() ? nullptr : all_.size() == 1 ? all_.front() : this; }
  std::unique_ptr<machine::WorkgroupListener> join() override {
    WorkgroupListeners::All joined;
    for (machine::Listener* each : all_) joined.push_back(each->join());
    return std::make_unique<WorkgroupListeners>(std::move(joined));
  }

 private:
  std::vector<machine::Listener*> all_;
};

} // namespace fmha950::observe
