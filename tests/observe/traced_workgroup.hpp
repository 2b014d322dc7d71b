#pragma once
// A workgroup that exists only as a sequence of memory operations, waits and barriers, told to the order
// checks as the engine tells them. Instructions have the addresses 4, 8, 12, ... in the order of issue.

#include "emulator/machine/launch.hpp"
#include "emulator/machine/workgroup.hpp"
#include "emulator/observe/order/order_checks.hpp"
#include "emulator/program/row.hpp"
#include "tests/observe/collected_hazards.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <ranges>
#include <vector>

namespace fmha950::test {

using observe::MemoryOperation;
using Kind = MemoryOperation::Kind;

struct LaneRange { // bytes of lane 0; lane l is l * stride further
  uint64_t begin = 0;
  uint8_t bytes = 4;
  uint64_t lanes = ~uint64_t{0};
  uint32_t stride = 4;
  uint32_t swizzle = 0; // of device memory: bits that alternate from one eight of the lanes to the next
};
inline LaneRange one_lane(uint64_t begin, uint8_t bytes = 4, int lane = 0) {
  return {begin, bytes, uint64_t{1} << lane, 0};
}

class TracedWorkgroup {
 public:
  explicit TracedWorkgroup(observe::OrderChecks& checks, size_t waves = 2, uint64_t id = 0,
                           uint32_t lds_bytes = 64 * 1024)
      : checks_(checks), completion_(waves) {
    workgroup_.linear_id = id;
    workgroup_.lds_bytes = lds_bytes;
    workgroup_.waves.resize(waves);
    for (size_t w = 0; w < waves; ++w) workgroup_.waves[w].index = static_cast<int>(w);
    checks_.start(workgroup_);
  }
  TracedWorkgroup(const TracedWorkgroup&) = delete;

  // Each returns the address of its instruction.
  uint64_t ds_read(int wave, LaneRange range) { return ds(wave, Kind::load, range); }
  uint64_t ds_write(int wave, LaneRange range) { return ds(wave, Kind::store, range); }
  uint64_t ds_atomic(int wave, LaneRange range) { return ds(wave, Kind::atomic, range); }
  uint64_t ds(int wave, Kind kind, LaneRange range) {
    machine::Access& access = next(machine::Queue::ds, wave);
    access.lanes = access.valid = range.lanes;
    for (uint32_t l = 0; l < 64; ++l)
      access.lds_address[l] = static_cast<uint32_t>(range.begin + l * range.stride);
    return tell(wave, machine::Queue::ds, {.kind = kind, .bytes = range.bytes});
  }
  uint64_t dma(int wave, uint32_t lds_base, uint64_t lanes = ~uint64_t{0}, uint8_t bytes = 16) {
    machine::Access& access = next(machine::Queue::vm, wave);
    access.lanes = access.valid = lanes;
    std::ranges::copy(access.data[0] | std::views::take(4), memory_.emplace_back().begin());
    std::ranges::fill(access.address, reinterpret_cast<uint64_t>(memory_.back().data()));
    access.lds_base = lds_base;
    const uint8_t slot = bytes > 4 ? 16 : 4;
    return tell(wave, machine::Queue::vm,
                {.kind = Kind::load, .lds_dma = true, .bytes = bytes, .lds_slot = slot});
  }
  uint64_t load(int wave, LaneRange range) { return vm(wave, Kind::load, range); }
  uint64_t store(int wave, LaneRange range) { return vm(wave, Kind::store, range); }
  uint64_t vm(int wave, Kind kind, LaneRange range, bool sc0 = false, bool sc1 = false) {
    next(machine::Queue::vm, wave);
    instructions_.back().sc0 = sc0;
    instructions_.back().sc1 = sc1;
    static const isa::Row atomic =
        isa::memory_row("test_instruction", nullptr, {.kind = isa::MemoryKind::atomic, .bytes = 4});
    if (kind == Kind::atomic) instructions_.back().row = &atomic;
    instructions_.back().encoding = isa::Encoding::flat;
    return tell_lanes(wave, kind, range);
  }
  uint64_t flat_store(int wave, LaneRange range) { // of device memory
    static const isa::Row row =
        isa::memory_row("flat_store_dword", nullptr,
                        {.kind = isa::MemoryKind::store, .segment = isa::Segment::flat, .bytes = 4});
    next(machine::Queue::vm, wave);
    instructions_.back().row = &row;
    return tell_lanes(wave, Kind::store, range);
  }
  uint64_t scratch(int wave, Kind kind, LaneRange range) {
    machine::Access& access = next(machine::Queue::vm, wave);
    access.lanes = access.valid = access.swizzled = range.lanes;
    access.dword_stride = 256;
    for (uint64_t l = 0; l < 64; ++l) access.address[l] = range.begin + 4 * l;
    return tell(wave, machine::Queue::vm, {.kind = kind, .bytes = range.bytes});
  }
  uint64_t s_load(int wave, uint64_t address, int dwords = 1) {
    machine::Access& access = next(machine::Queue::smem, wave);
    access.lanes = access.valid = (uint64_t{1} << dwords) - 1;
    access.address[0] = address;
    return tell(wave, machine::Queue::smem, {.kind = Kind::load, .bytes = static_cast<uint8_t>(4 * dwords)});
  }

  // What stores write, and LDS DMA brings, from now on; without, each something else.
  void stores(uint32_t value) { stores_ = value; }
  // As if the wave had issued so many operations before, which are complete.
  void skip(int wave, machine::Queue queue, uint32_t operations) {
    count(wave, queue).issued += operations;
    count(wave, queue).complete = count(wave, queue).issued;
  }

  // buffer_wbl2 sc1, buffer_inv sc1, s_dcache_inv.
  void cache(int wave, isa::CacheControl control) { checks_.cache(wave, control, completion_[wave]); }
  void wait_vmcnt(int wave, uint32_t limit) {
    wait(completion_[wave].vm, limit);
    checks_.waited(wave, completion_[wave], limit);
  }
  void wait_lgkmcnt(int wave, uint32_t limit) {
    wait(completion_[wave].ds, limit);
    if (limit == 0) wait(completion_[wave].smem, 0);
  }
  void wait_all(int wave) {
    wait_vmcnt(wave, 0);
    wait_lgkmcnt(wave, 0);
  }
  void arrive(int wave) { checks_.arrived(wave, completion_[wave]); }
  void release() { checks_.released(); }
  void barrier() { // of all waves
    for (const machine::Wave& wave : workgroup_.waves) arrive(wave.index);
    release();
  }
  const observe::Completion& completion(int wave) const { return completion_[wave]; }

 private:
  static void wait(observe::Completion::Count& count, uint32_t limit) {
    if (count.issued - count.complete > limit) count.complete = count.issued - limit;
  }
  observe::Completion::Count& count(int wave, machine::Queue queue) {
    observe::Completion& c = completion_[wave];
    return queue == machine::Queue::vm ? c.vm : queue == machine::Queue::ds ? c.ds : c.smem;
  }
  machine::Access& next(machine::Queue queue, int wave) {
    static const isa::Row row{"test_instruction", nullptr};
    isa::Instruction& instruction = instructions_.emplace_back();
    instruction.row = &row;
    instruction.address = 4 * instructions_.size();
    access_ = machine::Access();
    std::fill_n(&access_.data[0][0], 256,
                stores_ ? *stores_ : static_cast<uint32_t>(instructions_.size()) * 0x01010101);
    access_.instruction = &instruction;
    ++count(wave, queue).issued;
    return access_;
  }
  uint64_t tell_lanes(int wave, Kind kind, LaneRange range) { // of device memory
    access_.lanes = access_.valid = range.lanes;
    for (uint64_t l = 0; l < 64; ++l)
      access_.address[l] = range.begin + (l * range.stride ^ (l / 8 % 2 ? range.swizzle : 0));
    return tell(wave, machine::Queue::vm, {.kind = kind, .bytes = range.bytes});
  }
  uint64_t tell(int wave, machine::Queue queue, const MemoryOperation& operation) {
    const observe::MemoryEvent event{workgroup_.waves[wave], access_, operation, queue,
                                     count(wave, queue).issued};
    checks_.memory(event, completion_[wave]);
    return access_.instruction->address;
  }

  observe::OrderChecks& checks_;
  machine::Workgroup workgroup_;
  std::vector<observe::Completion> completion_;
  std::optional<uint32_t> stores_;
  std::deque<isa::Instruction> instructions_;
  std::deque<std::array<uint32_t, 4>> memory_; // that LDS DMA reads
  machine::Access access_;
};

} // namespace fmha950::test
