#pragma once
// Which lines a cache holds: set-associative, the least recently used line leaves.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

namespace fmha950::timing {

// Which set a line is in. `hashed`: every bit of the address counts, so lines a power of two apart are spread as well as
// neighbours are, and where a buffer begins does not matter. Hardware hashes, too; which bits is not public (guess).
// `by_address`: neighbours are in neighbouring sets, so that code as long as the cache has room wherever it begins (guess).
enum class CacheSets : uint8_t { hashed, by_address };

class Cache {
 public:
  // At least `ways` lines a set: the sets are a power of two, and what is left of the bytes makes sets larger.
  Cache(uint32_t bytes, uint32_t line_bytes, int ways, CacheSets sets = CacheSets::hashed)
      : by_(sets), sets_(std::bit_floor(std::max<size_t>(1, bytes / line_bytes / static_cast<size_t>(ways)))),
        ways_(std::max<size_t>(1, bytes / line_bytes / sets_)), entries_(sets_ * ways_) {}

  // Whether the line was there; it is now.
  bool touch(uint64_t line) {
    Entry* set = &entries_[set_of(line) * ways_];
    ++now_;
    Entry* oldest = set;
    for (Entry* entry = set; entry != set + ways_; ++entry) {
      if (entry->used && entry->line == line) {
        entry->used = now_;
        return true;
      }
      if (entry->used < oldest->used) oldest = entry;
    }
    *oldest = {line, now_};
    return false;
  }

 private:
  struct Entry {
    uint64_t line = 0, used = 0; // 0: never
  };
  size_t set_of(uint64_t line) const {
    const int bits = std::countr_zero(sets_);
    if (bits == 0 || by_ == CacheSets::by_address) return line & (sets_ - 1);
    uint64_t set = 0;
    for (; line != 0; line >>= bits) set ^= line;
    return set & (sets_ - 1);
  }

  CacheSets by_;
  size_t sets_, ways_;
  std::vector<Entry> entries_;
  uint64_t now_ = 0;
};

} // namespace fmha950::timing
