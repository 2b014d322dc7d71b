#pragma once
// What caches may still hold. Between workgroups only their caches' rules make a store visible (docs/hazards.md, "Visibility
// across caches"; machine_gfx950.md section 4.2): it is in memory with sc1, as an atomic, or once buffer_wbl2 sc1 is complete;
// a load sees memory with sc1, or once its workgroup has executed buffer_inv sc1 since, a scalar load s_dcache_inv, too.
// Until then a schedule that delays memory lets loads find the bytes from before the store: `lazy` always, `random` and
// `pct` sometimes, and no longer once a workgroup has seen the new ones. Which workgroups share a cache is open, so any two
// may have different ones. Evicted lines end the matter: after many loads of old bytes the new ones come.
//
// Not followed: scratch, stores partly out of a buffer's range, and stores beyond the first most_versions of a launch.

#include "emulator/machine/memory_queue.hpp"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <unordered_map>

namespace fmha950::machine {

struct Workgroup;

// Moments of a launch at which a workgroup last made its loads see memory.
struct CacheTimes {
  uint64_t invalidated = 0, scalar_invalidated = 0;
};

class OldValues { // of one launch; host threads share it
 public:
  explicit OldValues(MemoryOrder order) : order_(order) {}
  void take_effect(Wave& wave, Access& access, Random& random);
  void invalidate(Workgroup& workgroup);
  void invalidate_scalar(Workgroup& workgroup);

 private:
  static constexpr uint64_t block_bytes = 64;
  static constexpr uint32_t most_versions = 1 << 18; // some 40 MB
  static constexpr uint32_t most_refusals = 1024;    // loads of old bytes, then the line is evicted

  struct Version { // what bytes of a block held before a workgroup stored there
    uint64_t workgroup, time;
    uint64_t bytes = 0; // of the block, bit by bit
    std::array<uint8_t, block_bytes> before;
    bool in_memory;             // as soon as it was stored
    std::vector<uint64_t> seen; // by these workgroups
    uint32_t refusals = 0;
  };
  using Versions = std::vector<Version>; // of a block, oldest first
  struct Shard {
    std::mutex mutex;
    std::unordered_map<uint64_t, Versions> blocks; // by address / block_bytes
  };
  struct Piece { // contiguous bytes of a lane
    int lane;
    uint64_t begin;
    uint32_t bytes;
  };
  struct Load {
    const Workgroup& workgroup;
    bool scalar, past_caches;
    Random& random;
    int finds_old = -1; // not decided
  };

  void remember(const Workgroup& workgroup, const Piece& piece, bool in_memory);
  void load(Wave& wave, Access& access, Random& random);
  bool view(Load& load, const Piece& piece, uint8_t* bytes); // false: memory is what it sees
  bool sees(Load& load, Version& version);
  uint64_t in_memory_since(const Version& version); // 0: it is not
  uint64_t written_back_since(uint64_t workgroup, uint64_t time);
  Shard& shard_of(uint64_t block) { return shards_[block % shards_.size()]; }
  std::atomic<uint64_t>& filter_of(uint64_t block, uint64_t& bit);

  const MemoryOrder order_;
  std::atomic<uint64_t> clock_ = 0;
  std::atomic<uint32_t> versions_ = 0;
  std::array<Shard, 64> shards_;
  std::array<std::atomic<uint64_t>, 1024> filter_ =
      {}; // of pages: none of their blocks has a version if the bit is 0
  std::mutex written_back_mutex_;
  std::map<uint64_t, std::vector<uint64_t>> written_back_; // by workgroup: moments
};

} // namespace fmha950::machine
