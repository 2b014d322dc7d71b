#pragma once
// All checks of the workgroups that one host thread runs.

#include "emulator/machine/listener.hpp"
#include "emulator/observe/barrier_check.hpp"
#include "emulator/observe/errata_check.hpp"
#include "emulator/observe/in_flight.hpp"
#include "emulator/observe/initialised/initialised.hpp"
#include "emulator/observe/instruction_info.hpp"
#include "emulator/observe/lds_bounds.hpp"
#include "emulator/observe/order/order_checks.hpp"
#include "emulator/observe/report/selected_classes.hpp"
#include "emulator/observe/shared_state.hpp"
#include "emulator/observe/wait_states/wait_states.hpp"

#include <vector>

namespace fmha950::observe {

class WorkgroupChecks final : public machine::WorkgroupListener {
 public:
  WorkgroupChecks(const machine::Launch& launch, uint32_t checks, SharedState& shared, MemoryShadow& shadow);

  void started(machine::Workgroup& workgroup) override;
  void before(machine::Wave& wave, const isa::Instruction& in) override;
  void issued(machine::Wave& wave, const machine::Access& access, machine::Queue queue) override;
  void barrier_released(machine::Workgroup& workgroup) override;
  void stopped(const machine::Wave& wave, const machine::Fault& fault) override;

 private:
  bool wants(HazardClass type) const { return includes(sink_.checks(), type); }
  bool checks_order() const {
    return wants(HazardClass::lds_order) || wants(HazardClass::memory_order) ||
           wants(HazardClass::visibility);
  }
  void doubted(machine::Wave& wave, const isa::Instruction& in);
  void play_role(machine::Wave& wave, const isa::Instruction& in, const InstructionInfo& info);
  void steered(machine::Wave& wave, const isa::Instruction& in);
  void check_registers(machine::Wave& wave, const isa::Instruction& in, const InstructionInfo& info);
  void report_barriers(const machine::Workgroup& workgroup);
  static bool honours_low_bits(const MemoryOperation& operation);
  void check_alignment(const machine::Wave& wave, const isa::Instruction& in, const MemoryEvent& event);

  SelectedClasses sink_;
  InfoLookup infos_;
  IndexedInstructions indexed_;
  const WaitStateInfo skipped_ = wait_state_info_of_skipped();
  std::vector<InFlight> in_flight_; // per wave
  BarrierCheck barriers_;
  ErrataCheck errata_;
  LdsBounds lds_bounds_;
  OrderChecks order_;
  WaitStates wait_states_;
  Initialised initialised_;
  ClampCounts clamped_;
};

} // namespace fmha950::observe
