#pragma once
// Memory that kernels allocate by malloc and new. The device library cuts small blocks from slabs of 2 MiB by itself, in a
// heap that hidden_heap_v1 points at; slabs and large blocks come from the host.

#include "emulator/hip/hip_abi.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace fmha950::hip {

class DeviceHeap {
 public:
  static DeviceHeap& get();

  uint64_t management();             // address of what the device library manages its slabs in
  uint64_t allocate(uint64_t bytes); // 0: past the limit, or out of device memory
  bool release(uint64_t address);    // false: nothing was allocated there
  void release_all();                // hipDeviceReset
  void set_limit(uint64_t bytes);    // of what kernels hold at a time
  uint64_t limit();

  // What kernels free is given back when no launch runs that may still touch it.
  void launch_begins();
  void launch_ends();

 private:
  struct Block {
    void* memory = nullptr; // as allocated
    uint64_t begin = 0, bytes = 0;
  };
  static void give_back(const Block& block);
  std::mutex mutex_; // of everything below
  void* management_ = nullptr;
  std::map<uint64_t, Block> blocks_; // by the address that the kernel has
  std::vector<Block> freed_;
  std::optional<uint64_t> limit_;
  uint64_t used_ = 0;
  int launches_ = 0;
};

} // namespace fmha950::hip
