#include "emulator/observe/in_flight.hpp"

#include "emulator/isa/mnemonic.hpp"
#include "emulator/machine/workgroup.hpp"
#include "emulator/observe/report/party.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::observe {
namespace {

using File = isa::RegisterRange::File;
using machine::Queue;

bool is_memory(isa::Encoding encoding) {
  using isa::Encoding;
  return encoding == Encoding::ds || encoding == Encoding::mubuf || encoding == Encoding::mtbuf ||
         encoding == Encoding::flat || encoding == Encoding::smem;
}

bool crosses_lanes(const isa::Instruction& in) {
  if (in.encoding == isa::Encoding::mai || in.extension == isa::Extension::dpp) return true;
  return isa::memory_of(in).kind == isa::MemoryKind::lane_exchange || isa::valu_of(in).crosses_lanes();
}

} // namespace

InFlightInfo in_flight_info_of(const isa::Instruction& in, const isa::Uses& uses) {
  InFlightInfo info;
  for (const auto& range : uses.reads()) info.touched.add(range);
  for (const auto& range : uses.writes()) info.touched.add(range);
  info.all_lanes = crosses_lanes(in);
  info.loads = is_memory(in.encoding) && !uses.writes().empty();
  info.flat = isa::memory_of(in).segment == isa::Segment::flat;
  return info;
}

std::optional<Touch> touch_of(const isa::Instruction& in, const isa::Uses& uses, const InFlightInfo& info,
                              const Arriving& arriving) {
  using isa::Encoding;
  const auto find = [&](std::span<const isa::RegisterRange> ranges) {
    return std::find_if(ranges.begin(), ranges.end(),
                        [&](const auto& range) { return range.overlaps(arriving.destination); });
  };
  if (const auto read = find(uses.reads()); read != uses.reads().end()) return Touch{*read, true};
  const auto written = find(uses.writes());
  if (written == uses.writes().end()) return std::nullopt;
  // Two loads of one in-order queue write in order.
  const bool vm_load =
      info.loads && in.encoding != Encoding::ds && in.encoding != Encoding::smem && !info.flat;
  const bool ds_load = info.loads && in.encoding == Encoding::ds;
  const bool same_queue =
      (arriving.queue == Queue::vm && vm_load) || (arriving.queue == Queue::ds && ds_load);
  if (same_queue && !arriving.flat) return std::nullopt;
  return Touch{*written, false};
}

std::string text_of(const Touch& touch, const Arriving& arriving, uint32_t accum_offset) {
  return fmt::format("{} is {} while {} into {} is in flight", isa::name_of(touch.registers, accum_offset),
                     touch.reads ? "read" : "overwritten", mnemonic_of(*arriving.instruction),
                     isa::name_of(arriving.destination, accum_offset));
}

std::string wait_for(const Arriving& arriving, size_t younger) {
  if (arriving.flat) return "s_waitcnt vmcnt(0) lgkmcnt(0)";
  if (arriving.queue == Queue::smem) return "s_waitcnt lgkmcnt(0)";
  return fmt::format("s_waitcnt {}({})", arriving.queue == Queue::vm ? "vmcnt" : "lgkmcnt", younger);
}

void InFlight::start() { *this = {}; }

int InFlight::units_of(const Operations& operations) {
  int units = 0;
  for (const Operation& operation : operations) units += operation.units;
  return units;
}

uint32_t InFlight::issue(const machine::Wave& wave, const isa::Instruction& in, const isa::Uses& uses,
                         const InFlightInfo& info, Queue queue, int units) {
  using machine::MemoryQueues;
  if (queue == Queue::vm) {
    if (static_cast<int>(vm_.size()) >= MemoryQueues::vmcnt_max)
      wait({MemoryQueues::vmcnt_max - 1, MemoryQueues::lgkmcnt_max});
  } else if (units_of(ds_) + units_of(smem_) + units > MemoryQueues::lgkmcnt_max) {
    wait({MemoryQueues::vmcnt_max, MemoryQueues::lgkmcnt_max - units});
  }
  Operations& operations = queue == Queue::vm ? vm_ : queue == Queue::ds ? ds_ : smem_;
  Completion::Count& count = queue == Queue::vm   ? completion_.vm
                             : queue == Queue::ds ? completion_.ds
                                                  : completion_.smem;
  Operation operation{{&in, {}, queue, info.flat}, wave.exec(), ++count.issued, units};
  if (!uses.writes().empty()) {
    operation.destination = uses.writes().front();
    if (are_collected_) registers_.add(operation.destination);
  }
  operations.push_back(operation);
  return operation.clock;
}

// In-order operations: all but the youngest `limit`. FLAT among them completes only at zero.
void InFlight::complete_oldest(Operations& operations, int limit) {
  if (limit == 0) return operations.clear();
  auto ordered =
      std::count_if(operations.begin(), operations.end(), [](const Operation& o) { return !o.flat; });
  std::erase_if(operations, [&](const Operation& o) { return !o.flat && ordered-- > limit; });
}

void InFlight::count_complete(const Operations& operations, Completion::Count& count) {
  count.complete = operations.empty() ? count.issued : operations.front().clock - 1;
}

void InFlight::collect_registers() {
  registers_ = {};
  are_collected_ = true;
  for (const Operations* operations : {&vm_, &ds_, &smem_})
    for (const Operation& operation : *operations) registers_.add(operation.destination);
}

void InFlight::wait(isa::Waitcnt limits) {
  const size_t before = vm_.size() + ds_.size() + smem_.size();
  if (before == 0) return;
  if (static_cast<int>(vm_.size()) > limits.vmcnt) complete_oldest(vm_, limits.vmcnt);
  if (static_cast<int>(ds_.size()) > limits.lgkmcnt) complete_oldest(ds_, limits.lgkmcnt);
  if (limits.lgkmcnt == 0) smem_.clear();
  if (vm_.size() + ds_.size() + smem_.size() == before) return;
  count_complete(vm_, completion_.vm);
  count_complete(ds_, completion_.ds);
  count_complete(smem_, completion_.smem);
  are_collected_ = false;
}

void InFlight::find_conflicts(const machine::Wave& wave, const isa::Instruction& in, const isa::Uses& uses,
                              const InFlightInfo& info, HazardSink& sink) const {
  for (const Operations* operations : {&vm_, &ds_, &smem_})
    for (size_t i = 0; i < operations->size(); ++i) {
      const Operation& operation = (*operations)[i];
      const bool vector = operation.destination.file == File::vector;
      const uint64_t lanes = operation.lanes & (info.all_lanes ? ~uint64_t{0} : wave.exec());
      if (vector && lanes == 0) continue; // also a load of no lanes
      const std::optional<Touch> touch = touch_of(in, uses, info, operation);
      if (!touch) continue;
      Hazard hazard;
      hazard.type = HazardClass::register_in_flight;
      hazard.earlier = party_of(wave, *operation.instruction);
      hazard.later = party_of(wave, in);
      hazard.kernel = kernel_of(wave);
      hazard.what = text_of(*touch, operation, wave.accum_offset);
      if (vector) hazard.later.lane = hazard.earlier.lane = __builtin_ctzll(lanes);
      // FLAT among the younger ones may have completed before.
      const auto younger = std::count_if(operations->begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                         operations->end(), [](const Operation& o) { return !o.flat; });
      hazard.missing = wait_for(operation, static_cast<size_t>(younger));
      sink.report(std::move(hazard));
    }
}

} // namespace fmha950::observe
