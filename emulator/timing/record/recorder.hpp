#pragma once
// Listens to a launch and keeps what its waves executed. Execution does not depend on it, and what is kept does not
// depend on which host thread ran what, nor when.

#include "emulator/machine/launch.hpp"
#include "emulator/machine/listener.hpp"
#include "emulator/timing/record/wave_record.hpp"

#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace fmha950::timing {

class Recorder final : public machine::Listener {
 public:
  // `with_text`: instructions also as text, with their source lines. `chosen`, ascending: the workgroups that are kept; of
  // none all. `neighbours`: it wants to see those that share a CU with them, too, if a CU holds several.
  Recorder(const machine::Launch& launch, bool with_text, std::vector<uint32_t> chosen = {},
           bool neighbours = false);
  std::unique_ptr<machine::WorkgroupListener> join() override;
  const std::vector<uint32_t>& seen() const { return seen_; } // what has to be executed; none: all
  uint64_t grid_workgroups() const { return record_.grid_workgroups; }
  // Once the launch is over. The ops are in the order of their addresses.
  KernelRecord take();

 private:
  class Listener;
  bool keeps(uint64_t linear_id) const;
  uint32_t number_of(const isa::Instruction& instruction);
  void add(WorkgroupRecord record);
  void count(uint64_t workgroups, uint64_t matrix_flops);
  void sort_ops();
  void leave_out_neighbours();

  const loader::Kernel& kernel_;
  bool with_text_;
  const std::vector<uint32_t> chosen_;
  std::vector<uint32_t> seen_; // and their neighbours
  const bool neighbours_;      // who shares a CU with whom is wanted
  std::mutex mutex_;
  std::unordered_map<uint64_t, uint32_t> numbers_; // of ops, by address
  KernelRecord record_;
};

// Workgroups of the kernel that a CU holds at a time (machine_gfx950.md 6.5).
int workgroups_per_cu(const machine::Launch& launch);

} // namespace fmha950::timing
