#include "emulator/observe/initialised/initialised_memory.hpp"

#include "emulator/machine/launch.hpp"
#include "emulator/machine/workgroup.hpp"
#include "emulator/memory/address_space.hpp"
#include "emulator/observe/report/party.hpp"
#include "emulator/program/row.hpp"

#include <algorithm>

namespace fmha950::observe {
namespace {

using OperationKind = MemoryOperation::Kind;
using machine::Queue;

// What a part of a dword becomes in its register: sign-extended, or in the high half.
uint32_t extended(uint32_t invalid, uint32_t bytes, const InitialisedInfo& info) {
  if (bytes >= 4) return invalid;
  if (info.sign_extended && invalid >> (bytes - 1) & 1) invalid |= info.d16 ? 0x3u : 0xFu;
  return info.high_half ? invalid << 2 : invalid;
}

} // namespace

// --- LDS or device memory ---

void MemoryFlow::start(const machine::Workgroup& workgroup) {
  lds_.start(workgroup.lds_bytes);
  footprints_.start(workgroup.lds_bytes);
  loaded_.clear();
  const uint64_t base = workgroup.waves.empty() ? 0 : workgroup.waves[0].scratch_base;
  const machine::Extent scratch = base ? machine::AddressSpace::device().find(base) : machine::Extent{};
  memory_.start(scratch.begin, scratch.end);
}

const LdsFootprint& MemoryFlow::footprint(const MemoryEvent& event) {
  if (!event.lds) {
    if (footprints_.full()) footprints_.clear();
    event.lds = &footprints_.find(event);
  }
  return *event.lds;
}

uint32_t MemoryFlow::invalid_at(const MemoryEvent& event, uint64_t begin, uint32_t bytes) {
  if (event.queue == Queue::ds) return lds_.invalid(static_cast<uint32_t>(begin), bytes);
  return static_cast<uint32_t>(memory_.invalid(begin, bytes));
}
void MemoryFlow::write_at(const MemoryEvent& event, uint64_t begin, uint32_t bytes, uint32_t invalid) {
  if (event.queue == Queue::ds) return lds_.write(static_cast<uint32_t>(begin), bytes, invalid);
  memory_.write(begin, bytes, invalid, event.access.instruction->address, kernel_of(event.wave));
}

// visit(lane, offset of the bytes within the lane's data, begin, bytes)
template <class Visit> void MemoryFlow::for_each_piece(const MemoryEvent& event, Visit visit) {
  if (event.queue != Queue::ds) return for_each_memory_piece(event.operation, event.access, visit);
  for (const LdsFootprint::Range& range : footprint(event).ranges)
    visit(range.lane, uint32_t{range.offset}, uint64_t{range.begin}, uint32_t{range.bytes});
}

// --- loads and stores ---

bool MemoryFlow::is_plainly_valid(const MemoryEvent& event) {
  const machine::Access& access = event.access;
  if (event.queue == Queue::vm)
    return access.valid == all_lanes && !access.irregular && !access.swizzled &&
           memory_.are_valid(access.address, event.operation.bytes);
  return lds_.is_valid(footprint(event));
}

MemoryFlow::LaneBytes MemoryFlow::in_memory(const MemoryEvent& event) {
  LaneBytes bytes;
  if (is_plainly_valid(event)) return bytes;
  for_each_piece(event, [&](int lane, uint32_t offset, uint64_t begin, uint32_t count) {
    const uint32_t invalid = invalid_at(event, begin, count);
    if (!invalid) return;
    bytes.add(lane, invalid << offset);
    remember(event, lane, begin, invalid);
  });
  return bytes;
}

void MemoryFlow::remember(const MemoryEvent& event, int lane, uint64_t begin, uint64_t invalid) {
  begin += static_cast<uint64_t>(__builtin_ctzll(invalid));
  const auto bytes = static_cast<uint64_t>(__builtin_popcountll(invalid));
  loaded_[{event.wave.index, event.access.instruction->address}][lane] = {begin, begin + bytes,
                                                                          event.queue == Queue::ds};
}

LoadedBytes MemoryFlow::loaded(int wave, uint64_t instruction, int lane) const {
  const auto load = loaded_.find({wave, instruction});
  if (load == loaded_.end()) return {};
  const auto of_lane = load->second.find(lane);
  return (of_lane == load->second.end() ? load->second.begin() : of_lane)->second;
}

MemoryFlow::LaneBytes MemoryFlow::in_data(const RegisterValidity& registers, const MemoryEvent& event,
                                          const InitialisedInfo& info) {
  LaneBytes result;
  const isa::Instruction& in = *event.access.instruction;
  const bool two = event.operation.elements == 2 || (event.queue == Queue::ds && info.two_operands);
  const uint32_t copies = !two && info.two_operands ? 2 : 1; // cmpswap: data and comparison
  const auto add = [&](int vgpr, uint32_t bytes, uint32_t offset) {
    const uint32_t skipped = info.high_half ? 2 : 0;
    if (!registers.any_invalid(vgpr, static_cast<int>((bytes + 3) / 4))) return;
    for (uint32_t b = 0; b < bytes; ++b) {
      const uint64_t lanes =
          registers.vgpr(vgpr + static_cast<int>(b / 4))[b % 4 + skipped] & event.access.lanes;
      for_each_lane_of(lanes, [&](int lane) { result.add(lane, 1u << (offset + b)); });
    }
  };
  const uint32_t bytes = info.formatted ? isa::memory_of(in).bytes : event.operation.bytes;
  add(in.vdata, bytes * copies, 0);
  if (two) add(in.vdata1, bytes, bytes);
  return result;
}

MemoryFlow::LaneBytes MemoryFlow::spread(const LaneBytes& bytes) {
  LaneBytes all;
  for_each_lane_of(bytes.lanes, [&](int lane) {
    if (bytes.at(lane)) all.add(lane, ~0u);
  });
  return all;
}

void MemoryFlow::set_destination(RegisterValidity& registers, const MemoryEvent& event,
                                 const InitialisedInfo& info, const LaneBytes& bytes) {
  const isa::Instruction& in = *event.access.instruction;
  if (!bytes.lanes && !registers.any_invalid(in.dst, info.results)) return;
  const uint64_t lanes = event.access.lanes;
  ByteLanes fresh[4] = {};
  for_each_lane_of(bytes.lanes & lanes, [&](int lane) {
    const uint32_t invalid = extended(bytes.of[lane], event.operation.bytes * event.operation.elements, info);
    for (uint32_t b = 0; b < 16; ++b)
      if (invalid >> b & 1) fresh[b / 4][b % 4] |= uint64_t{1} << lane;
  });
  for (int r = 0; r < std::min<int>(info.results, 4); ++r) {
    ByteLanes merged = registers.vgpr(in.dst + r);
    for (size_t b = 0; b < 4; ++b) merged[b] = (merged[b] & ~lanes) | fresh[r][b];
    registers.set_vgpr(in.dst + r, merged,
                       any_byte(fresh[r]) ? in.address : registers.vgpr_origin(in.dst + r));
  }
}

void MemoryFlow::load(RegisterValidity& registers, const MemoryEvent& event, const InitialisedInfo& info) {
  LaneBytes bytes = in_memory(event);
  if (info.transposed_bits && bytes.lanes) {
    for (int lane = 0; lane < 64; ++lane) bytes.of[lane] = bytes.at(lane);
    transpose_validity(bytes.of, event.operation.bytes, info.transposed_bits);
    bytes.lanes = all_lanes;
  }
  if (info.formatted) bytes = spread(bytes);
  set_destination(registers, event, info, bytes);
}

void MemoryFlow::load_to_lds(const MemoryEvent& event, const InitialisedInfo& info) {
  const LaneBytes bytes = in_memory(event);
  const LdsFootprint& touched = footprint(event);
  if (!bytes.lanes && lds_.is_valid(touched)) return;
  for (const LdsFootprint::Range& range : touched.ranges)
    lds_.write(range.begin, range.bytes, extended(bytes.at(range.lane), event.operation.bytes, info));
}

void MemoryFlow::store(RegisterValidity& registers, const MemoryEvent& event, const InitialisedInfo& info) {
  LaneBytes data = in_data(registers, event, info);
  if (info.formatted) data = spread(data);
  if (!data.lanes && is_plainly_valid(event)) return;
  for_each_piece(event, [&](int lane, uint32_t offset, uint64_t begin, uint32_t bytes) {
    write_at(event, begin, bytes, data.at(lane) >> offset & static_cast<uint32_t>(low_bits(bytes)));
  });
}

// Lane after lane, as several may hit one place. What memory held is returned.
void MemoryFlow::atomic(RegisterValidity& registers, const MemoryEvent& event, const InitialisedInfo& info) {
  const LaneBytes data = event.operation.single ? LaneBytes{} : in_data(registers, event, info);
  LaneBytes before = in_memory(event);
  if (data.lanes || before.lanes) {
    before.lanes = 0;
    for_each_piece(event, [&](int lane, uint32_t offset, uint64_t begin, uint32_t bytes) {
      const uint32_t old = invalid_at(event, begin, bytes), operand = data.at(lane);
      before.add(lane, old << offset);
      const auto mask = static_cast<uint32_t>(low_bits(bytes));
      const uint32_t all = old || operand ? mask : 0;
      write_at(event, begin, bytes, info.exchanges ? operand >> offset & mask : all);
    });
  }
  if (event.operation.single && before.lanes) { // ds_append: every lane receives what the counter was
    const uint32_t old = before.of[__builtin_ctzll(before.lanes)];
    for_each_lane_of(event.access.lanes, [&](int lane) { before.add(lane, old); });
  }
  if (info.results) set_destination(registers, event, info, before);
}

// --- scalar memory: an access is one run of dwords ---

void MemoryFlow::scalar(RegisterValidity& registers, const MemoryEvent& event, const InitialisedInfo& info) {
  const isa::Instruction& in = *event.access.instruction;
  const MemoryOperation& op = event.operation;
  const bool is_atomic = op.kind == OperationKind::atomic;
  const int dwords = is_atomic ? op.bytes / 4 : __builtin_popcountll(event.access.lanes);
  if (!op.is_memory()) { // clocks
    for (int r = 0; r < info.results; ++r) registers.set_sgpr(in.dst + r, 0, 0);
    return;
  }
  const uint64_t begin = event.access.address[0];
  const auto bytes = static_cast<uint32_t>(4 * dwords);
  const bool in_range = !is_atomic || event.access.valid;
  const uint64_t before =
      op.kind == OperationKind::store || bytes == 0 || !in_range ? 0 : memory_.invalid(begin, bytes);

  if (before) remember(event, -1, begin, before);

  uint64_t data = 0; // bytes of the operands
  const int operands = info.two_operands ? 2 * dwords : dwords;
  for (int b = 0; op.kind != OperationKind::load && b < 4 * operands; ++b)
    if (registers.sgpr(in.dst + b / 4) >> (8 * (b % 4)) & 0xFF) data |= uint64_t{1} << b;
  uint64_t after = data;
  if (is_atomic && !info.exchanges) after = before || data ? ~uint64_t{0} : 0;
  if (op.kind != OperationKind::load && bytes && in_range)
    memory_.write(begin, bytes, after & low_bits(bytes), in.address, kernel_of(event.wave));
  if (!info.results) return;
  for (int r = 0; r < dwords; ++r) {
    uint32_t invalid = 0;
    for (int b = 0; b < 4; ++b)
      if (before >> (4 * r + b) & 1) invalid |= 0xFFu << (8 * b);
    registers.set_sgpr(in.dst + r, invalid, in.address);
  }
}

void MemoryFlow::operation(RegisterValidity& registers, const MemoryEvent& event,
                           const InitialisedInfo& info) {
  if (event.queue == Queue::smem) return scalar(registers, event, info);
  switch (event.operation.kind) {
  case OperationKind::none: return;
  case OperationKind::exchange: return flow_exchange(registers, event);
  case OperationKind::load:
    return event.operation.lds_dma ? load_to_lds(event, info) : load(registers, event, info);
  case OperationKind::store: return store(registers, event, info);
  case OperationKind::atomic: return atomic(registers, event, info);
  }
}

} // namespace fmha950::observe
