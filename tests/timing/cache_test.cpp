// Which lines a cache keeps, whatever their distance.
#include "emulator/timing/model/cache.hpp"

#include "emulator/rates/latencies.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <random>
#include <vector>

using namespace fmha950::timing;

namespace {

// How many of `count` lines, `stride` apart from `first` on, a cache still has when it has seen them once.
size_t kept(Cache cache, uint64_t first, uint64_t stride, size_t count) {
  for (size_t i = 0; i < count; ++i) cache.touch(first + i * stride);
  size_t hits = 0;
  for (size_t i = 0; i < count; ++i) hits += cache.touch(first + i * stride);
  return hits;
}

} // namespace

TEST_CASE("timing: rows a power of two apart fill a cache as neighbours do") {
  std::mt19937_64 random(5);
  const Cache l1(l1_bytes, line_bytes, l1_ways), l2(l2_bytes / 32, line_bytes, l2_ways);
  for (const Cache& cache : {l1, l2})
    for (uint64_t stride = 1; stride <= 1 << 20; stride *= 2)
      for (int placement = 0; placement < 8; ++placement) {
        const uint64_t first = (random() >> 44) * 256 * stride; // from an aligned row on
        CAPTURE(stride, first);
        CHECK(kept(cache, first, stride, 256) == 256); // all of L1
      }
}

TEST_CASE("timing: code as long as the instruction cache has room in it wherever it begins") {
  constexpr size_t lines = instruction_cache_bytes / instruction_line_bytes;
  const Cache by_address(instruction_cache_bytes, instruction_line_bytes, instruction_cache_ways,
                         CacheSets::by_address),
      hashed(instruction_cache_bytes, instruction_line_bytes, instruction_cache_ways);
  bool all_of_hashed = true;
  for (uint64_t first = 1 << 20; first < (1 << 20) + 1024; first += 37) {
    CAPTURE(first);
    CHECK(kept(by_address, first, 1, lines) == lines);
    all_of_hashed = all_of_hashed && kept(hashed, first, 1, lines) == lines;
  }
  CHECK_FALSE(all_of_hashed);
}

TEST_CASE("timing: a cache has the bytes that it was given, whatever their number of sets") {
  for (const uint32_t lines : {1024u, 1365u, 1489u, 4096u, 32768u}) {
    CAPTURE(lines);
    const Cache cache(lines * line_bytes, line_bytes, l2_ways);
    CHECK(kept(cache, 1 << 20, 1, lines * 15 / 16) == lines * 15 / 16);
    CHECK(kept(cache, 1 << 20, 1, 2 * size_t{lines}) == 0); // the least recently used leaves first
  }
}

namespace {

// The definition: each set is a list of lines, the least recently used first.
class SlowCache {
 public:
  SlowCache(size_t sets, size_t ways) : lines_(sets), ways_(ways) {}
  bool touch(uint64_t line) {
    uint64_t set = 0;
    for (uint64_t left = line; left != 0 && lines_.size() > 1; left /= lines_.size())
      set ^= left % lines_.size();
    std::vector<uint64_t>& kept = lines_[set];
    const auto found = std::find(kept.begin(), kept.end(), line);
    const bool there = found != kept.end();
    if (there)
      kept.erase(found);
    else if (kept.size() == ways_)
      kept.erase(kept.begin());
    kept.push_back(line);
    return there;
  }

 private:
  std::vector<std::vector<uint64_t>> lines_;
  size_t ways_;
};

} // namespace

TEST_CASE("timing: a cache keeps what its definition keeps") {
  std::mt19937_64 random(9);
  for (const size_t sets : {1, 2, 4, 8, 32, 64, 128})
    for (const size_t ways : {1, 3, 16, 64}) {
      CAPTURE(sets, ways);
      Cache cache(static_cast<uint32_t>(sets * ways) * line_bytes, line_bytes, static_cast<int>(ways));
      SlowCache slow(sets, ways);
      const uint64_t base = random() >> 23; // 41 bits
      int different = 0;
      for (int i = 0; i < 20'000; ++i) {
        const uint64_t line = base + random() % (2 * sets * ways);
        different += cache.touch(line) != slow.touch(line);
      }
      CHECK(different == 0);
      different = 0;
      for (int i = 0; i < 2'000; ++i) {
        const uint64_t line = random() >> (1 + random() % 63);
        different += cache.touch(line) != slow.touch(line);
      }
      CHECK(different == 0);
    }
}
