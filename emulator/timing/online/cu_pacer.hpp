#pragma once
// The schedule `timed`: waves issue, and memory operations take effect and are delivered, in the order of the cycle model's
// clock. Each host thread has one modelled CU, on which its workgroups run one at a time, as if alone there; the L2 behind
// it is shared as in a full launch. So code that relies on latency (waits a group late, a refill just after a sibling's
// read, waves near lockstep) computes what it computes on hardware, as far as the model's clocks are right. Code without
// races computes what it does under every schedule. What only its wave's registers see is executed later, in the wave's own
// order, unless someone listens; so is the fault of such an instruction.

#include "emulator/machine/launch.hpp"
#include "emulator/machine/pacer.hpp"
#include "emulator/machine/workgroup.hpp"
#include "emulator/observe/instruction_info.hpp"
#include "emulator/timing/model/compute_unit.hpp"
#include "emulator/timing/online/code_ops.hpp"
#include "emulator/timing/online/events.hpp"

#include <chrono>
#include <deque>
#include <functional>

namespace fmha950::timing {

class CuPacer final : public machine::WorkgroupPacer, private WorkgroupFeed {
 public:
  CuPacer(const machine::Launch& launch, const Assumptions& assumptions, std::function<void()> now_and_then);
  ~CuPacer() override;
  void run(machine::Workgroup& workgroup) override;
  void issued(machine::Wave& wave, std::unique_ptr<machine::Access> access, machine::Queue queue) override;
  uint64_t clock() const override { return clock_; }

 private:
  class Feed;        // of a wave
  struct Operation { // in flight
    machine::Wave* wave = nullptr;
    std::unique_ptr<machine::Access> access;
    machine::Queue queue = machine::Queue::vm;
    uint64_t delivery = 0; // clock
    bool delivers = false; // next; else it takes effect
  };
  struct Model {
    Model(const std::vector<Op>& ops, const Assumptions& assumptions, double weight)
        : memory(weight, {{}, false, assumptions.warm}),
          unit(ops, {}, {}, memory, assumptions, simulation, 0, false) {}
    Simulation simulation;
    ChipletMemory memory;
    ComputeUnit unit;
  };

  WaveFeed& wave(size_t index) override;
  void barrier_released() override { workgroup_->release_barrier(); }
  void run_clock_by_clock();
  void count(); // an instruction that is not held back
  void happen_until(uint64_t clock) override {
    while (due_ <= clock) {
      const Event event = events_.take();
      due_ = events_.first();
      happen(event);
    }
  }
  void add(const Event& event) {
    events_.add(event);
    due_ = events_.first();
  }
  void happen(Event event);
  void deliver(uint32_t operation);

  const machine::Launch& launch_;
  const Assumptions assumptions_;
  CodeOps ops_;
  observe::InfoLookup infos_;
  std::unique_ptr<Model> model_; // null: the first workgroup is still to come, or a fault has torn it
  machine::Workgroup* workgroup_ = nullptr;
  WorkgroupRecord record_;
  std::deque<Feed> feeds_;
  std::vector<Operation> operations_;
  std::vector<uint32_t> free_; // places in operations_
  Events events_;
  uint64_t issued_ = 0, clock_ = 0;
  const std::function<void()> now_and_then_; // called several times a second
  uint32_t executed_ = 0;                    // instructions since
};

class CuPacers final : public machine::Pacer { // of a launch
 public:
  // `when_slow` is called, perhaps more than once and from any host thread, when the launch has run for ten seconds.
  CuPacers(const machine::Launch& launch, const Assumptions& assumptions, std::function<void()> when_slow)
      : launch_(launch), assumptions_(assumptions), when_slow_(std::move(when_slow)) {}
  std::unique_ptr<machine::WorkgroupPacer> join() override {
    return std::make_unique<CuPacer>(launch_, assumptions_, [this] { look_at_the_time(); });
  }

 private:
  using Clock = std::chrono::steady_clock;
  void look_at_the_time() const {
    if (Clock::now() - start_ > std::chrono::seconds(10)) when_slow_();
  }

  const machine::Launch& launch_;
  const Assumptions assumptions_;
  const std::function<void()> when_slow_;
  const Clock::time_point start_ = Clock::now();
};

} // namespace fmha950::timing
