#pragma once
// Which lines a cache holds: set-associative, the least recently used line leaves.

#include "emulator/timing/record/line_hash.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
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
        ways_(std::max<size_t>(1, bytes / line_bytes / sets_)), room_((ways_ + block - 1) / block * block),
        lines_(sets_ * room_, no_line), tags_(sets_ * room_), newest_(sets_),
        set_bits_(std::countr_zero(sets_)), halves_(set_bits_ != 0 && 64 % set_bits_ == 0) {}

  // Whether the line was there; it is now.
  bool touch(uint64_t line) {
    if (line == last_) return true; // nothing is newer
    last_ = line;
    const size_t number = set_of(line);
    uint64_t* const set = &lines_[number * room_];
    uint8_t* const tags = &tags_[number * room_];
    uint32_t& newest = newest_[number];
    if (set[newest] == line) return true;
    const uint8_t tag = tag_of(line);
    uint32_t at = place_of(set, tags, line, tag);
    const bool there = at != none;
    if (there)
      for (uint32_t newer; at != newest; at = newer) {
        set[at] = set[newer = before(at)];
        tags[at] = tags[newer];
      }
    else
      newest = before(newest); // the oldest one's place
    set[newest] = line;
    tags[newest] = tag;
    return there;
  }

 private:
  static constexpr uint32_t none = ~uint32_t{0};
  static constexpr uint64_t no_line = ~uint64_t{0}; // beyond all addresses
  static constexpr size_t block = 16;               // tags that are compared at once
  using Tags = uint8_t __attribute__((vector_size(block)));
  using Flags = bool __attribute__((ext_vector_type(block)));

  // The lines of a set are a ring, each behind the one that was used after it.
  uint32_t before(uint32_t place) const { return place == 0 ? static_cast<uint32_t>(ways_) - 1 : place - 1; }
  // Where no tag is the same no line is: most often a line of the host's cache tells that all ways have another one.
  static uint8_t tag_of(uint64_t line) { return static_cast<uint8_t>(drawn_for(line) >> 24); }
  uint32_t place_of(const uint64_t* set, const uint8_t* tags, uint64_t line, uint8_t tag) const {
    for (size_t first = 0; first < ways_; first += block) {
      Tags part;
      std::memcpy(&part, tags + first, block);
      uint32_t same = __builtin_bit_cast(uint16_t, __builtin_convertvector(part == tag, Flags));
      for (; same != 0; same &= same - 1)
        if (const size_t place = first + static_cast<size_t>(std::countr_zero(same)); set[place] == line)
          return static_cast<uint32_t>(place);
    }
    return none;
  }
  size_t set_of(uint64_t line) const {
    if (set_bits_ == 0 || by_ == CacheSets::by_address) return line & (sets_ - 1);
    if (halves_) { // of what is left, or there would be many steps
      for (uint32_t bits = 32; bits >= static_cast<uint32_t>(set_bits_); bits /= 2) line ^= line >> bits;
      return line & (sets_ - 1);
    }
    uint64_t set = line;
    while ((line >>= set_bits_) != 0) set ^= line;
    return set & (sets_ - 1);
  }

  CacheSets by_;
  size_t sets_, ways_, room_;    // room_: of a set, in lines_
  std::vector<uint64_t> lines_;  // set by set
  std::vector<uint8_t> tags_;    // of each of them
  std::vector<uint32_t> newest_; // its place, by set
  int set_bits_;
  bool halves_;
  uint64_t last_ = no_line; // touched
};

} // namespace fmha950::timing
