#include "emulator/observe/flight_paths.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/machine/workgroup.hpp"
#include "emulator/observe/instruction_info.hpp"
#include "emulator/program/row.hpp"

#include <fmt/format.h>

namespace fmha950::observe {

class FlightPaths::Waves final : public machine::WorkgroupListener {
 public:
  explicit Waves(FlightPaths& shared) : shared_(shared) {
    infos_.start(shared.launch_.kernel->object->program(), shared.launch_.kernel->accum_offset);
  }
  ~Waves() override {
    const std::lock_guard lock(shared_.mutex_);
    shared_.paths_.merge(paths_);
  }
  void started(machine::Workgroup& workgroup) override { waves_.assign(workgroup.waves.size(), {}); }
  void before(machine::Wave& wave, const isa::Instruction& in) override {
    State& state = waves_[static_cast<size_t>(wave.index)];
    if (state.branch) add(*state.branch, in, state.in_flight);
    state.branch = isa::is_relative_branch(in) ? &in : nullptr;
    if (infos_.of(in).role == InstructionInfo::Role::waitcnt)
      state.in_flight.wait(isa::waitcnt_of(in.simm16));
  }
  void issued(machine::Wave& wave, const machine::Access& access, machine::Queue queue) override {
    const InstructionInfo& info = infos_.of(*access.instruction);
    const int units = queue == machine::Queue::smem ? info.scalar_units : 1;
    waves_[static_cast<size_t>(wave.index)].in_flight.issue(wave, *access.instruction, info.uses,
                                                            info.in_flight, queue, units);
  }

 private:
  struct State {
    InFlight in_flight;
    const isa::Instruction* branch = nullptr; // executed last
  };
  void add(const isa::Instruction& from, const isa::Instruction& to, const InFlight& in_flight) {
    const uint64_t entry = shared_.launch_.kernel->entry;
    in_flight.for_each([&](const Arriving& operation) {
      paths_.insert({from.address - entry, to.address - entry, operation.instruction->address - entry});
    });
  }

  FlightPaths& shared_;
  InfoLookup infos_;
  std::vector<State> waves_;
  std::set<FlightPath> paths_;
};

std::unique_ptr<machine::WorkgroupListener> FlightPaths::join() { return std::make_unique<Waves>(*this); }

std::string FlightPaths::lines() const {
  const std::lock_guard lock(mutex_);
  const std::string& kernel = launch_.kernel->name;
  std::string text = paths_.empty() ? kernel + "\n" : "";
  for (const FlightPath& path : paths_)
    text += fmt::format("{}\t{:#x}-{:#x}\t{:#x}\n", kernel, path.from, path.to, path.operation);
  return text;
}

} // namespace fmha950::observe
