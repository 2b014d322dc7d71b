#include "emulator/machine/initial_state.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/machine/launch.hpp"
#include "numerics/target.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

namespace fmha950::machine {
namespace {

constexpr uint32_t wave_lanes = target.wave_lanes;
// Bytes per lane that a kernel with a dynamic stack gets beyond its static need.
constexpr uint32_t dynamic_stack = 16 * 1024;

// Kernel descriptor properties (machine_gfx950.md section 5.1), in user SGPR order with their sizes.
enum Property : uint16_t {
  private_buffer = 1 << 0,
  dispatch_ptr = 1 << 1,
  queue_ptr = 1 << 2,
  kernarg_ptr = 1 << 3,
  dispatch_id = 1 << 4,
  flat_scratch_init = 1 << 5,
  private_size = 1 << 6
};

uint32_t wave_count(const Launch& launch) {
  const uint64_t items = uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  return static_cast<uint32_t>((items + wave_lanes - 1) / wave_lanes);
}

} // namespace

uint32_t lds_allocation(const Launch& launch) { return launch.kernel->static_lds + launch.dynamic_lds; }

WorkgroupStorage::WorkgroupStorage(const Launch& launch, const isa::Instruction* entry, OldValues* old_values)
    : launch_(launch), entry_(entry) {
  workgroup_.old_values = old_values;
  const uint32_t waves = wave_count(launch);
  vgpr_words_ = size_t{waves} * launch.kernel->vgpr_count * wave_lanes;
  // Registers are not checked against the allocation, so a whole register file lies behind the last wave's:
  // code that names a register beyond its own stays inside.
  const size_t bytes = (vgpr_words_ + size_t{target.vgprs_per_lane} * wave_lanes) * 4;
  vgprs_ = host_memory(bytes);
  lds_ = host_memory(lds_allocation(launch) + 64);
  const uint32_t per_lane =
      launch.kernel->private_segment + (launch.kernel->uses_dynamic_stack ? dynamic_stack : 0);
  if (per_lane > 0) {
    scratch_per_wave_ = uint64_t{(per_lane + 3) / 4 * 4} * wave_lanes;
    const auto begin =
        reinterpret_cast<uint64_t>(AddressSpace::device().allocate_scratch(scratch_per_wave_ * waves));
    if (begin == 0)
      raise_fault(fmt::format("kernel {}: out of device memory for scratch, {} bytes per lane",
                              launch.kernel->name, per_lane));
    workgroup_.scratch = {begin, begin + scratch_per_wave_ * waves};
  }
  workgroup_.launch = &launch_;
  workgroup_.lds = static_cast<uint8_t*>(lds_.get());
  workgroup_.lds_bytes = lds_allocation(launch);
  workgroup_.waves.resize(waves);
  if (launch.listener) listener_ = launch.listener->join();
}

WorkgroupStorage::~WorkgroupStorage() {
  if (workgroup_.scratch.begin != 0)
    AddressSpace::device().release(reinterpret_cast<void*>(workgroup_.scratch.begin));
}

Workgroup& WorkgroupStorage::start(uint64_t linear_id) {
  workgroup_.linear_id = linear_id;
  workgroup_.caches = {};
  workgroup_.id[0] = static_cast<uint32_t>(linear_id % launch_.grid[0]);
  workgroup_.id[1] = static_cast<uint32_t>(linear_id / launch_.grid[0] % launch_.grid[1]);
  workgroup_.id[2] = static_cast<uint32_t>(linear_id / launch_.grid[0] / launch_.grid[1]);
  workgroup_.wave_random =
      Random(launch_.options.schedule.wave_seed * 0x9E3779B97F4A7C15ull + launch_.number * 7919 + linear_id);
  std::fill_n(vgprs(), vgpr_words_, stale_register);
  std::memset(lds_.get(), stale_lds, workgroup_.lds_bytes);
  for (size_t i = 0; i < workgroup_.waves.size(); ++i) {
    Wave& wave = workgroup_.waves[i];
    wave.index = static_cast<int>(i);
    wave.workgroup = &workgroup_;
    wave.listener = listener_.get();
    start_wave(wave);
  }
  if (listener_) listener_->started(workgroup_);
  return workgroup_;
}

void WorkgroupStorage::start_wave(Wave& wave) {
  const loader::Kernel& kernel = *launch_.kernel;
  const auto index = static_cast<uint64_t>(wave.index);
  wave.vgpr_count = kernel.vgpr_count;
  wave.accum_offset = kernel.accum_offset;
  wave.vgpr = vgprs() + index * kernel.vgpr_count * wave_lanes;
  wave.mode = kernel.mode;
  wave.scc = false;
  wave.state = WaveState::running;
  wave.priority = 0;
  wave.executed = 0;
  wave.current = wave.next = entry_;
  wave.scratch_base = workgroup_.scratch.begin + index * scratch_per_wave_;
  wave.memory.reset(launch_.options.schedule, launch_.options.schedule.memory_seed * 0xD1B54A32D192ED03ull +
                                                  launch_.number * 104729 + workgroup_.linear_id * 64 +
                                                  index);
  set_scalars(wave);
  set_work_item_ids(wave);
}

void WorkgroupStorage::set_scalars(Wave& wave) const {
  const loader::Kernel& kernel = *launch_.kernel;
  std::fill_n(wave.sgpr, std::size(wave.sgpr), 0u);
  int next = 0;
  const auto pair = [&](uint64_t value) {
    wave.set_sgpr64(next, value);
    next += 2;
  };
  if (kernel.properties & private_buffer) next += 4; // unused with architected flat scratch
  if (kernel.properties & dispatch_ptr) pair(launch_.dispatch_packet);
  if (kernel.properties & queue_ptr) pair(0);
  if (kernel.properties & kernarg_ptr) pair(launch_.kernarg);
  if (kernel.properties & dispatch_id) pair(launch_.number);
  if (kernel.properties & flat_scratch_init) pair(wave.scratch_base);
  if (kernel.properties & private_size) wave.sgpr[next++] = kernel.private_segment;
  // Preloaded kernel arguments: the kernel's own prologue loads them when started at its entry (section 5.2).
  next = static_cast<int>(kernel.rsrc2 >> 1 & 0x1F);
  for (int axis = 0; axis < 3; ++axis)
    if (kernel.rsrc2 >> (7 + axis) & 1) wave.sgpr[next++] = workgroup_.id[axis];
  if (kernel.rsrc2 >> 10 & 1)
    wave.sgpr[next++] = static_cast<uint32_t>(wave.index == 0) << 31 |
                        static_cast<uint32_t>(wave.index) << 6 |
                        static_cast<uint32_t>(workgroup_.waves.size());
  wave.set_sgpr64(code::flat_scratch, wave.scratch_base);
}

void WorkgroupStorage::set_work_item_ids(Wave& wave) const {
  const uint64_t items = uint64_t{launch_.block[0]} * launch_.block[1] * launch_.block[2];
  const uint64_t first = static_cast<uint64_t>(wave.index) * wave_lanes;
  const uint64_t live = std::min<uint64_t>(wave_lanes, items - first);
  wave.set_exec(live == wave_lanes ? ~uint64_t{0} : (uint64_t{1} << live) - 1);
  for (uint64_t lane = 0; lane < live; ++lane) {
    const uint64_t item = first + lane;
    const uint64_t x = item % launch_.block[0], y = item / launch_.block[0] % launch_.block[1];
    const uint64_t z = item / launch_.block[0] / launch_.block[1];
    wave.vgpr[lane] = static_cast<uint32_t>(x | y << 10 | z << 20);
  }
}

} // namespace fmha950::machine
