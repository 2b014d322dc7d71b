#pragma once
// Which lines a cache holds: set-associative, the least recently used line leaves.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace fmha950::timing {

class Cache {
 public:
  Cache(uint32_t bytes, uint32_t line_bytes, int ways)
      : ways_(static_cast<size_t>(ways)), sets_(bytes / line_bytes / static_cast<uint32_t>(ways)),
        entries_(sets_ * ways_) {}

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
  // Spread, so that rows a power of two apart do not all fall into one set;
  // the hardware's hash is not public.
  size_t set_of(uint64_t line) const { return (line ^ line >> 12 ^ line >> 24) % sets_; }

  size_t ways_, sets_;
  std::vector<Entry> entries_;
  uint64_t now_ = 0;
};

} // namespace fmha950::timing
