#include "emulator/timing/record/recorder.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/machine/workgroup.hpp"
#include "emulator/observe/instruction_info.hpp"
#include "emulator/program/program.hpp"
#include "emulator/rates/latencies.hpp"
#include "emulator/rates/lds_phases.hpp"
#include "emulator/rates/rates.hpp"
#include "numerics/target.hpp"

#include <algorithm>

namespace fmha950::timing {
namespace {

using observe::MemoryOperation;

void add_line(std::vector<uint64_t>& lines, size_t first, uint64_t line) {
  if (std::find(lines.begin() + static_cast<ptrdiff_t>(first), lines.end(), line) == lines.end())
    lines.push_back(line);
}

class AccessRecorder {
 public:
  AccessRecorder(const MemoryOperation& operation, const machine::Access& access, WaveRecord& wave)
      : operation_(operation), access_(access), wave_(wave) {
    result_.step = static_cast<uint32_t>(wave.ops.size() - 1);
    result_.first_line = static_cast<uint32_t>(wave.lines.size());
    result_.store = operation.kind != MemoryOperation::Kind::load;
  }

  void add(machine::Queue queue, uint32_t lds_bytes) {
    if (queue == machine::Queue::ds)
      of_lds();
    else
      of_memory(queue, lds_bytes);
    result_.lines = static_cast<uint32_t>(wave_.lines.size()) - result_.first_line;
    wave_.accesses.push_back(result_);
  }

 private:
  void of_lds() {
    result_.path = MemoryAccess::Path::lds;
    const int bytes = std::max<int>(4, operation_.bytes);
    LdsPhases total;
    const auto add = [&](LdsDirection direction, const uint32_t* addresses) {
      const LdsPhases phases = lds_phases(direction, bytes, addresses, access_.lanes);
      total.phases += phases.phases;
      total.conflicts += phases.conflicts;
    };
    const auto element = [&](uint32_t offset) {
      uint32_t addresses[64];
      for (int lane = 0; lane < 64; ++lane) addresses[lane] = access_.lds_address[lane] + offset;
      using enum LdsDirection;
      const bool reads = operation_.kind != MemoryOperation::Kind::store;
      const bool writes = operation_.kind != MemoryOperation::Kind::load;
      if (reads) add(read, addresses);
      if (writes) add(write, addresses);
    };
    if (operation_.kind == MemoryOperation::Kind::exchange || operation_.single)
      total.phases = lds_clocks(LdsDirection::write, 4); // through the crossbar: no banks (guess)
    else if (operation_.elements == 2)
      for (const int shift : {0, 8})
        element((static_cast<uint32_t>(access_.instruction->offset) >> shift & 0xFF) *
                operation_.element_stride);
    else
      element(operation_.ignores_offset ? 0 : static_cast<uint32_t>(access_.instruction->offset));
    result_.clocks = static_cast<uint16_t>(total.clocks());
    ++wave_.lds.instructions;
    wave_.lds.conflicts += static_cast<uint64_t>(total.conflicts);
  }

  void of_memory(machine::Queue queue, uint32_t lds_bytes) {
    const bool scalar = queue == machine::Queue::smem;
    const uint32_t line_size = scalar ? scalar_line_bytes : line_bytes;
    result_.path = scalar ? MemoryAccess::Path::scalar : MemoryAccess::Path::vector;
    std::vector<uint64_t> of_quarter[wave_lanes / coalesced_lanes];
    observe::for_each_range(
        operation_, access_, queue, lds_bytes, [&](int lane, uint64_t begin, uint32_t bytes) {
          result_.bytes += bytes;
          for (uint64_t line = begin / line_size; line <= (begin + bytes - 1) / line_size; ++line) {
            add_line(wave_.lines, result_.first_line, line);
            add_line(of_quarter[std::max(lane, 0) / coalesced_lanes], 0, line);
          }
        });
    int clocks = 0;
    for (const auto& lines : of_quarter) clocks += std::max<int>(1, static_cast<int>(lines.size()));
    result_.clocks = static_cast<uint16_t>(clocks);
    if (operation_.lds_dma)
      result_.dma_clocks = static_cast<uint16_t>(lds_clocks(LdsDirection::write, operation_.lds_slot));
  }

  const MemoryOperation& operation_;
  const machine::Access& access_;
  WaveRecord& wave_;
  MemoryAccess result_;
};

} // namespace

class Recorder::Listener final : public machine::WorkgroupListener {
 public:
  explicit Listener(Recorder& owner) : owner_(owner) {
    infos_.start(owner.kernel_.object->program(), owner.kernel_.accum_offset);
  }
  ~Listener() override { hand_over(); }

  void started(machine::Workgroup& workgroup) override {
    hand_over();
    record_.linear_id = workgroup.linear_id;
    record_.waves.resize(workgroup.waves.size());
  }
  void before(machine::Wave& wave, const isa::Instruction& in) override {
    const size_t slot = in.address / 4 % known_.size();
    if (known_[slot].instruction != &in) known_[slot] = {&in, owner_.number_of(in)};
    record_.waves[static_cast<size_t>(wave.index)].ops.push_back(known_[slot].number);
  }
  void issued(machine::Wave& wave, const machine::Access& access, machine::Queue queue) override {
    AccessRecorder(infos_.of(*access.instruction).operation, access,
                   record_.waves[static_cast<size_t>(wave.index)])
        .add(queue, wave.workgroup->lds_bytes);
  }

 private:
  void hand_over() {
    if (!record_.waves.empty()) owner_.add(std::move(record_));
    record_ = {};
  }

  struct Known {
    const isa::Instruction* instruction = nullptr;
    uint32_t number = 0;
  };
  Recorder& owner_;
  WorkgroupRecord record_;
  std::vector<Known> known_ = std::vector<Known>(1 << 14); // direct-mapped: most kernels are smaller
  observe::InfoLookup infos_;
};

Recorder::Recorder(const machine::Launch& launch, bool with_text)
    : kernel_(*launch.kernel), with_text_(with_text) {
  record_.workgroups_per_cu = workgroups_per_cu(launch);
  record_.grid_workgroups = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
}

std::unique_ptr<machine::WorkgroupListener> Recorder::join() { return std::make_unique<Listener>(*this); }

uint32_t Recorder::number_of(const isa::Instruction& instruction) {
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] =
      numbers_.try_emplace(instruction.address, static_cast<uint32_t>(record_.ops.size()));
  if (!is_new) return known->second;
  Op& op = record_.ops.emplace_back(op_of(instruction, kernel_.accum_offset));
  if (with_text_) {
    op.text = isa::disassemble(instruction);
    op.source = kernel_.object->source_line(instruction.address);
  }
  return known->second;
}

void Recorder::add(WorkgroupRecord record) {
  const std::lock_guard lock(mutex_);
  record_.workgroups.push_back(std::move(record));
}

KernelRecord Recorder::take() {
  std::ranges::sort(record_.workgroups, {}, &WorkgroupRecord::linear_id);
  return std::move(record_);
}

int workgroups_per_cu(const machine::Launch& launch) {
  const uint64_t items = uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  const int waves = static_cast<int>((items + wave_lanes - 1) / wave_lanes);
  const int by_registers = simds_per_cu * target.waves_by_vgprs(launch.kernel->vgpr_count) / waves;
  const uint64_t lds = target.lds_allocated(launch.kernel->static_lds + launch.dynamic_lds);
  const int by_lds = lds == 0 ? by_registers : static_cast<int>(target.lds_bytes_per_cu / lds);
  return std::max(1, std::min(by_registers, by_lds));
}

} // namespace fmha950::timing
