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
  Cache(uint32_t bytes, uint32_t line_bytes, int ways, CacheSets by = CacheSets::hashed)
      : by_(by), sets_(std::bit_floor(std::max<size_t>(1, bytes / line_bytes / static_cast<size_t>(ways)))),
        entries_(sets_.size() * std::max<size_t>(1, bytes / line_bytes / sets_.size())),
        buckets_(std::bit_ceil(2 * entries_.size()), none), set_bits_(std::countr_zero(sets_.size())),
        bucket_shift_(64 - std::countr_zero(buckets_.size())) {
    const size_t in_set = entries_.size() / sets_.size();
    for (uint32_t entry = 0; entry < entries_.size(); ++entry) {
      entries_[entry].set = static_cast<uint32_t>(entry / in_set);
      add_newest(entry);
    }
  }

  // Whether the line was there; it is now.
  bool touch(uint64_t line) {
    if (line == last_) return true; // nothing is newer
    last_ = line;
    uint32_t& bucket = bucket_of(line);
    uint32_t entry = bucket;
    while (entry != none && entries_[entry].line != line) entry = entries_[entry].next;
    const bool there = entry != none;
    if (!there) {
      entry = sets_[set_of(line)].oldest;
      if (entries_[entry].line != no_line) forget(entry);
      entries_[entry].line = line;
      entries_[entry].next = bucket;
      bucket = entry;
    }
    if (entries_[entry].newer != none) {
      remove(entry);
      add_newest(entry);
    }
    return there;
  }

 private:
  static constexpr uint32_t none = ~uint32_t{0};
  static constexpr uint64_t no_line = ~uint64_t{0}; // beyond all addresses
  struct Entry {
    uint64_t line = no_line;
    uint32_t next = none;                // in its bucket
    uint32_t older = none, newer = none; // in its set
    uint32_t set = 0;
  };
  struct Set {
    uint32_t oldest = none, newest = none;
  };

  uint32_t& bucket_of(uint64_t line) { return buckets_[line * 0x9E3779B97F4A7C15U >> bucket_shift_]; }
  void forget(uint32_t entry) {
    uint32_t* at = &bucket_of(entries_[entry].line);
    while (*at != entry) at = &entries_[*at].next;
    *at = entries_[entry].next;
  }
  void remove(uint32_t entry) {
    const Entry& leaves = entries_[entry];
    Set& set = sets_[leaves.set];
    (leaves.older == none ? set.oldest : entries_[leaves.older].newer) = leaves.newer;
    (leaves.newer == none ? set.newest : entries_[leaves.newer].older) = leaves.older;
  }
  void add_newest(uint32_t entry) {
    Set& set = sets_[entries_[entry].set];
    entries_[entry].older = set.newest;
    entries_[entry].newer = none;
    (set.newest == none ? set.oldest : entries_[set.newest].newer) = entry;
    set.newest = entry;
  }
  size_t set_of(uint64_t line) const {
    if (set_bits_ == 0 || by_ == CacheSets::by_address) return line & (sets_.size() - 1);
    if (64 % set_bits_ == 0) // halves of what is left, or there would be many steps
      for (int bits = 32; bits >= set_bits_; bits /= 2) line ^= line >> bits;
    uint64_t set = line;
    if (64 % set_bits_ != 0)
      while ((line >>= set_bits_) != 0) set ^= line;
    return set & (sets_.size() - 1);
  }

  CacheSets by_;
  std::vector<Set> sets_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> buckets_; // by a hash of the line: the first of its entries
  int set_bits_, bucket_shift_;
  uint64_t last_ = no_line; // touched
};

} // namespace fmha950::timing
