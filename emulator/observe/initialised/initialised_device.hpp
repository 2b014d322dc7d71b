#pragma once
// Which bytes of device memory nobody has written yet: of every allocation that is announced, 4 KiB block by
// block. Memory that is not announced (registered host memory, code objects, kernel arguments) is valid.

#include "emulator/observe/report/hazard.hpp"

#include <atomic>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <span>
#include <vector>

namespace fmha950::observe {

// The validity of one allocation. Threads of a launch read and write it together; each byte is one bit.
class RegionValidity {
 public:
  static constexpr uint64_t block_bytes = 4096;

  RegionValidity(uint64_t begin, uint64_t end);
  ~RegionValidity();
  RegionValidity(const RegionValidity&) = delete;

  uint64_t begin() const { return begin_; }
  uint64_t end() const { return end_; }
  bool contains(uint64_t address, uint64_t bytes) const {
    return address >= begin_ && address < end_ && bytes <= end_ - address;
  }

  // Whether the block that holds `address` is valid as a whole.
  [[gnu::always_inline]] bool is_valid_block(uint64_t address) const {
    const Block* block = blocks_[(address - begin_) / block_bytes].load(std::memory_order_acquire);
    return block && block->invalid_bytes.load(std::memory_order_relaxed) == 0;
  }
  // Bit i: byte address + i is invalid; at most 64 bytes.
  uint64_t invalid(uint64_t address, uint32_t bytes) const;
  // A kernel's instruction writes bytes; those in `invalid` (bit i: byte i) are not valid.
  void write(uint64_t address, uint32_t bytes, uint64_t invalid, uint64_t instruction,
             const loader::Kernel* kernel);
  void make_valid(uint64_t address, uint64_t bytes); // the host wrote
  void make_invalid();                               // all of it, for scratch that is used again
  void copy(uint64_t to, const RegionValidity& other, uint64_t from, uint64_t bytes);

  struct Found {
    uint64_t begin = 0, end = 0;
    uint64_t instruction = 0; // that stored them; 0: none, unloaded: it cannot be named any more
    const loader::Kernel* kernel = nullptr;
  };
  static constexpr uint64_t unloaded = 1; // no instruction has this address
  std::optional<Found> first_invalid(uint64_t address, uint64_t bytes) const;
  void forget_writers(std::span<const loader::Kernel> kernels); // about to be unloaded

 private:
  static constexpr uint64_t words = block_bytes / 64;
  struct Block {
    std::atomic<int64_t> invalid_bytes = 0;
    std::atomic<uint64_t> instruction = 0; // the last that stored invalid bytes here
    std::atomic<const loader::Kernel*> kernel = nullptr;
    std::atomic<uint64_t> invalid[words] = {};
  };
  static Block valid_block; // stands for every block that the host wrote as a whole
  Block& own_block(uint64_t index);
  void set_word(Block& block, uint64_t word, uint64_t mask, uint64_t invalid);

  const uint64_t begin_, end_;
  std::atomic<Block*>* blocks_; // null: nobody wrote the block
  std::mutex mutex_;
  std::vector<std::unique_ptr<Block>> owned_;
};

class DeviceInitialised {
 public:
  void allocated(uint64_t begin, uint64_t end);
  void released(uint64_t begin);
  void host_wrote(uint64_t address, uint64_t bytes);
  void copied(uint64_t to, uint64_t from, uint64_t bytes); // within the device: validity goes along
  // The first bytes of a copy to the host that nobody wrote, or that a kernel computed from such bytes.
  std::optional<Hazard> host_read(uint64_t address, uint64_t bytes) const;

  void forget(); // everything that was announced counts as written from now on
  void forget_writers(std::span<const loader::Kernel> kernels);

  // The region that holds an address, or null. Another host thread may release it meanwhile.
  std::shared_ptr<RegionValidity> find(uint64_t address) const;

 private:
  mutable std::shared_mutex mutex_;
  std::map<uint64_t, std::shared_ptr<RegionValidity>> regions_; // by begin
};

} // namespace fmha950::observe
