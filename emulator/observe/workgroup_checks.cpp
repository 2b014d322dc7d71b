#include "emulator/observe/workgroup_checks.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/machine/float_mode.hpp"
#include "emulator/observe/report/party.hpp"

#include <fmt/format.h>

namespace fmha950::observe {

using Role = InstructionInfo::Role;
using machine::Queue;

WorkgroupChecks::WorkgroupChecks(const machine::Launch& launch, uint32_t checks, SharedState& shared,
                                 MemoryShadow& shadow)
    : sink_(checks, shared.log), order_(shadow, sink_), initialised_(shared.initialised, sink_),
      clamped_(*launch.kernel, shared.clamped) {
  infos_.start(launch.kernel->object->program(), launch.kernel->accum_offset);
}

void WorkgroupChecks::started(machine::Workgroup& workgroup) {
  in_flight_.resize(workgroup.waves.size());
  for (InFlight& wave : in_flight_) wave.start();
  barriers_.start(workgroup);
  sink_.forget_errors();
  lds_bounds_.start(workgroup);
  if (checks_order()) order_.start(workgroup);
  if (wants(HazardClass::uninitialised)) initialised_.start(workgroup);
  wait_states_.start(static_cast<int>(workgroup.waves.size()));
}

void WorkgroupChecks::before(machine::Wave& wave, const isa::Instruction& in) {
  if (in.inserted && in.is_doubted) [[unlikely]]
    return doubted(wave, in);
  if (wave.mode & machine::steering_bits) [[unlikely]]
    if (machine::is_skipped(wave, in) || machine::is_indexed(wave, in)) return steered(wave, in);
  const InstructionInfo& info = infos_.of(in);
  if (info.role != Role::other) [[unlikely]]
    play_role(wave, in, info);
  check_registers(wave, in, info);
}

// What a change inserted is executed, and the checks count on nothing that it does.
void WorkgroupChecks::doubted(machine::Wave& wave, const isa::Instruction& in) {
  if (infos_.of(in).role != Role::barrier) return;
  barriers_.arrived(wave, in);
  if (checks_order()) order_.arrived_in_doubt();
}

void WorkgroupChecks::play_role(machine::Wave& wave, const isa::Instruction& in,
                                const InstructionInfo& info) {
  InFlight& in_flight = in_flight_[static_cast<size_t>(wave.index)];
  switch (info.role) {
  case Role::other:
  case Role::wrong_selection: break;
  case Role::waitcnt: {
    const isa::Waitcnt limits = isa::waitcnt_of(in.is_doubted ? in.trusted_simm16 : in.simm16);
    in_flight.wait(limits);
    if (checks_order())
      order_.waited(wave.index, in_flight.completion(), static_cast<uint32_t>(limits.vmcnt));
    break;
  }
  case Role::barrier:
    barriers_.arrived(wave, in);
    if (checks_order()) order_.arrived(wave.index, in_flight.completion());
    break;
  case Role::cache:
    if (checks_order()) order_.cache(wave.index, info.cache, in_flight.completion());
    break;
  case Role::end: { // drains the queues; a barrier waits for waves that have neither arrived nor ended
    const bool touched_memory = in_flight.completion().vm.issued + in_flight.completion().ds.issued > 0;
    barriers_.ended(wave, in, touched_memory);
    in_flight.wait({0, 0});
    if (checks_order()) order_.ended(wave.index, in_flight.completion());
    if (barriers_.all_ended()) report_barriers(*wave.workgroup);
    break;
  }
  }
}

// A vector instruction that MODE skips, or whose registers M0 moves. One that does nothing lasts a wait state all the same
// (a guess).
void WorkgroupChecks::steered(machine::Wave& wave, const isa::Instruction& in) {
  const bool skipped = machine::is_skipped(wave, in);
  if (!skipped && wants(HazardClass::uninitialised)) initialised_.vgpr_index(wave, in);
  if (const auto* indexed = skipped ? nullptr : indexed_.of(wave, in))
    check_registers(wave, indexed->instruction, indexed->info);
  else if (wants(HazardClass::wait_states))
    wait_states_.instruction(wave, in, skipped_, sink_);
}

void WorkgroupChecks::check_registers(machine::Wave& wave, const isa::Instruction& in,
                                      const InstructionInfo& info) {
  if (info.role == Role::wrong_selection) [[unlikely]]
    errata_.wrong_selection(wave, in, sink_);
  if (wants(HazardClass::register_in_flight))
    in_flight_[static_cast<size_t>(wave.index)].instruction(wave, in, info.uses, info.in_flight, sink_);
  if (wants(HazardClass::wait_states)) wait_states_.instruction(wave, in, info.wait_states, sink_);
  if (wants(HazardClass::uninitialised)) initialised_.instruction(wave, in, info.uses, info.initialised);
}

void WorkgroupChecks::issued(machine::Wave& wave, const machine::Access& access, Queue queue) {
  const isa::Instruction& in = *access.instruction;
  const InstructionInfo& info = infos_.of(in);
  InFlight& in_flight = in_flight_[static_cast<size_t>(wave.index)];
  const int units = queue == Queue::smem ? info.scalar_units : 1;
  const uint32_t clock = in_flight.issue(wave, in, info.uses, info.in_flight, queue, units);
  const MemoryOperation operation = as_accessed(info.operation, access);
  const MemoryEvent event{wave, access, operation, queue, clock};
  clamped_.memory(event);
  if (wants(HazardClass::errata)) errata_.memory(event, sink_);
  if (wants(HazardClass::out_of_bounds)) lds_bounds_.memory(event, sink_);
  if (checks_order()) order_.memory(event, in_flight.completion());
  if (wants(HazardClass::uninitialised)) initialised_.memory(event, info.initialised);
  if (wants(HazardClass::misaligned)) check_alignment(wave, in, event);
}

// LDS DMA of a dword, on which a shipped kernel relies (errata.md).
bool WorkgroupChecks::honours_low_bits(const MemoryOperation& operation) {
  return operation.lds_dma && operation.bytes == 4;
}

// Where the hardware ignores low address bits instead of honouring them: SMEM (machine_gfx950.md section 4.3)
// and dwords of buffers (section 4.2).
void WorkgroupChecks::check_alignment(const machine::Wave& wave, const isa::Instruction& in,
                                      const MemoryEvent& event) {
  int lane = -1;
  uint64_t address = 0;
  if (event.queue == Queue::smem && event.operation.is_memory()) {
    address = wave.sgpr64(in.saddr) + static_cast<uint64_t>(static_cast<int64_t>(in.offset));
    if (in.src[0].kind == isa::Source::Kind::sgpr) address += wave.sgpr[in.src[0].index];
  } else if (isa::memory_of(in).segment == isa::Segment::buffer && event.operation.bytes >= 4 &&
             !honours_low_bits(event.operation)) {
    uint64_t bits = 0; // of all lanes: mostly all are valid
    for (const uint64_t each : event.access.address) bits |= each;
    if (bits & 3)
      for_each_lane_of(event.access.valid, [&](int l) {
        if (lane < 0 && event.access.address[l] & 3) lane = l;
      });
    if (lane >= 0) address = event.access.address[lane];
  }
  if ((address & 3) == 0) return;
  Hazard hazard;
  hazard.type = HazardClass::misaligned;
  hazard.kernel = kernel_of(wave);
  hazard.later = party_of(wave, in, lane);
  hazard.begin = address;
  hazard.end = address + event.operation.bytes;
  hazard.what =
      fmt::format("address {:#x} is not a multiple of 4: the hardware ignores its two low bits", address);
  sink_.report(std::move(hazard));
}

void WorkgroupChecks::barrier_released(machine::Workgroup& workgroup) {
  barriers_.released(workgroup);
  if (checks_order()) order_.released();
}

void WorkgroupChecks::report_barriers(const machine::Workgroup& workgroup) {
  barriers_.report(workgroup, sink_.had_error(HazardClass::lds_order), sink_);
}

void WorkgroupChecks::stopped(const machine::Wave& wave, const machine::Fault& fault) {
  report_barriers(*wave.workgroup);
  Hazard hazard;
  hazard.kernel = kernel_of(wave);
  if (wave.current) hazard.later = party_of(wave, *wave.current);
  hazard.what = fault.what();
  if (const auto* access = dynamic_cast<const machine::AccessFault*>(&fault)) {
    hazard.type = HazardClass::out_of_bounds;
    hazard.later.lane = access->lane;
    hazard.begin = access->address;
    hazard.end = access->address + access->bytes;
  } else if (dynamic_cast<const machine::MisalignedFault*>(&fault)) {
    hazard.type = HazardClass::misaligned;
  } else if (dynamic_cast<const machine::RunawayFault*>(&fault)) {
    if (wants(HazardClass::barrier_divergence) && barriers_.ran_away(wave, sink_)) return;
    hazard.type = HazardClass::runaway;
  } else {
    hazard.type = HazardClass::fault;
  }
  sink_.report(std::move(hazard));
}

} // namespace fmha950::observe
