#include "emulator/timing/record/recorder.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/machine/float_mode.hpp"
#include "emulator/machine/workgroup.hpp"
#include "emulator/observe/instruction_info.hpp"
#include "emulator/program/program.hpp"
#include "emulator/program/row.hpp"
#include "emulator/rates/latencies.hpp"
#include "emulator/rates/rates.hpp"
#include "emulator/timing/record/access_record.hpp"
#include "emulator/timing/record/neighbour.hpp"
#include "numerics/target.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace fmha950::timing {

class Recorder::Listener final : public machine::WorkgroupListener {
 public:
  explicit Listener(Recorder& owner) : owner_(owner) {
    infos_.start(owner.kernel_.object->program(), owner.kernel_.accum_offset);
  }
  ~Listener() override {
    hand_over();
    owner_.count(workgroups_, matrix_flops_);
  }

  void started(machine::Workgroup& workgroup) override {
    hand_over();
    ++workgroups_;
    if (!owner_.keeps(workgroup.linear_id)) return;
    record_.linear_id = workgroup.linear_id;
    record_.waves.resize(workgroup.waves.size());
    scratch_ = workgroup.scratch;
  }
  void before(machine::Wave& wave, const isa::Instruction& in) override {
    if (machine::is_skipped(wave, in)) return; // never issued
    if (const isa::MatrixFacts* facts = isa::matrix_of(in))
      matrix_flops_ += uint64_t{2} * facts->rows * facts->rows * facts->depth * facts->blocks;
    if (record_.waves.empty()) return; // not kept
    const size_t slot = in.laid_out_at / 4 % known_.size();
    if (known_[slot].instruction != &in) known_[slot] = {&in, owner_.number_of(in)};
    record_.waves[static_cast<size_t>(wave.index)].ops.push_back(known_[slot].number);
  }
  void issued(machine::Wave& wave, const machine::Access& access, machine::Queue queue) override {
    if (record_.waves.empty()) return;
    record_access(infos_.of(*access.instruction).operation, access, queue, wave.workgroup->lds_bytes,
                  record_.waves[static_cast<size_t>(wave.index)]);
  }

 private:
  void hand_over() {
    if (!record_.waves.empty()) {
      place_scratch();
      owner_.add(std::move(record_));
    }
    record_ = {};
  }

  // Here scratch belongs to the host thread that happened to run the workgroup, on hardware to its place on the GPU.
  void place_scratch() {
    const uint64_t bytes = scratch_.end - scratch_.begin;
    if (bytes == 0) return;
    const auto places = static_cast<uint64_t>(target.compute_units()) *
                        static_cast<uint64_t>(owner_.record_.workgroups_per_cu);
    const uint64_t place = record_.linear_id % places;
    const uint64_t shift = (machine::private_aperture + place * bytes - scratch_.begin) / line_bytes;
    for_each_vector_line(record_, [&](uint64_t& line) {
      if (scratch_.contains(line * line_bytes, 1)) line += shift;
    });
  }

  struct Known {
    const isa::Instruction* instruction = nullptr;
    uint32_t number = 0;
  };
  Recorder& owner_;
  WorkgroupRecord record_;
  uint64_t workgroups_ = 0, matrix_flops_ = 0;             // that were executed, kept or not
  machine::Extent scratch_;                                // of the workgroup
  std::vector<Known> known_ = std::vector<Known>(1 << 14); // direct-mapped: most kernels are smaller
  observe::InfoLookup infos_;
};

namespace {

std::vector<machine::Extent> touched_by(const std::vector<WorkgroupRecord>& workgroups) {
  std::map<uint64_t, machine::Extent> found; // by begin
  machine::Extent last;
  for (const WorkgroupRecord& workgroup : workgroups)
    for (const WaveRecord& wave : workgroup.waves)
      for (const MemoryAccess& access : wave.accesses) {
        if (access.path != MemoryAccess::Path::vector || access.lines == 0) continue;
        const uint64_t address = wave.lines[access.first_line] * line_bytes;
        if (last.contains(address, 1)) continue;
        last = machine::AddressSpace::device().find(address);
        if (last.end > last.begin) found[last.begin] = last;
      }
  std::vector<machine::Extent> touched;
  for (const auto& [begin, extent] : found) touched.push_back(extent);
  return touched;
}

} // namespace

Recorder::Recorder(const machine::Launch& launch, bool with_text, std::vector<uint32_t> chosen,
                   bool neighbours)
    : kernel_(*launch.kernel), with_text_(with_text), chosen_(std::move(chosen)), seen_(chosen_),
      neighbours_(neighbours && timing::workgroups_per_cu(launch) > 1) {
  record_.workgroups_per_cu = workgroups_per_cu(launch);
  record_.grid_workgroups = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  if (neighbours_) seen_ = with_neighbours(chosen_, record_.grid_workgroups);
}

std::unique_ptr<machine::WorkgroupListener> Recorder::join() { return std::make_unique<Listener>(*this); }

bool Recorder::keeps(uint64_t linear_id) const {
  return seen_.empty() || std::ranges::binary_search(seen_, linear_id);
}

uint32_t Recorder::number_of(const isa::Instruction& instruction) {
  const std::lock_guard lock(mutex_);
  const auto [known, is_new] =
      numbers_.try_emplace(instruction.laid_out_at, static_cast<uint32_t>(record_.ops.size()));
  if (!is_new) return known->second;
  Op& op = record_.ops.emplace_back(op_of(instruction, kernel_.accum_offset));
  if (with_text_) {
    op.text = isa::disassemble(instruction) + (instruction.inserted ? " (inserted)" : "");
    op.source = kernel_.object->source_line(instruction.address);
  }
  return known->second;
}

void Recorder::add(WorkgroupRecord record) {
  const std::lock_guard lock(mutex_);
  record_.workgroups.push_back(std::move(record));
}

void Recorder::count(uint64_t workgroups, uint64_t matrix_flops) {
  const std::lock_guard lock(mutex_);
  record_.executed_workgroups += workgroups;
  record_.matrix_flops += matrix_flops;
}

// They were numbered as the threads came to them.
void Recorder::sort_ops() {
  std::vector<uint32_t> order(record_.ops.size()), number(record_.ops.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](uint32_t op) { return record_.ops[op].address; });
  std::vector<Op> sorted;
  for (const uint32_t op : order) {
    number[op] = static_cast<uint32_t>(sorted.size());
    sorted.push_back(std::move(record_.ops[op]));
  }
  record_.ops = std::move(sorted);
  for (WorkgroupRecord& workgroup : record_.workgroups)
    for (WaveRecord& wave : workgroup.waves)
      for (uint32_t& op : wave.ops) op = number[op];
}

// Their lines alone are wanted.
void Recorder::leave_out_neighbours() {
  if (!neighbours_) return;
  std::vector<WorkgroupRecord>& all = record_.workgroups;
  const auto record_of = [&](uint64_t id) {
    const auto found = std::ranges::lower_bound(all, id, {}, &WorkgroupRecord::linear_id);
    return found != all.end() && found->linear_id == id ? &*found : nullptr;
  };
  for (WorkgroupRecord& workgroup : all)
    if (const auto id = neighbour_of(workgroup.linear_id, record_.grid_workgroups))
      if (const WorkgroupRecord* neighbour = record_of(*id))
        workgroup.shared = lines_of_both(workgroup, *neighbour);
  if (!chosen_.empty())
    std::erase_if(all, [&](const WorkgroupRecord& workgroup) {
      return !std::ranges::binary_search(chosen_, workgroup.linear_id);
    });
}

KernelRecord Recorder::take() {
  std::ranges::sort(record_.workgroups, {}, &WorkgroupRecord::linear_id);
  sort_ops();
  leave_out_neighbours();
  record_.touched = touched_by(record_.workgroups);
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
