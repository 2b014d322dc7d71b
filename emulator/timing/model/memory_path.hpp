#pragma once
// From a CU to device memory: its vector and scalar caches, the chiplet's L2, then MALL or HBM. A request is
// answered after the latency of the level that has the line, later if a level's bandwidth is taken. A store
// is over when L2 has it; the line goes on to MALL or HBM, where others wait behind it.

#include "emulator/rates/latencies.hpp"
#include "emulator/timing/model/cache.hpp"
#include "emulator/timing/model/mall.hpp"
#include "emulator/timing/record/line_hash.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace fmha950::timing {

// Clocks fit into 63 bits, which hosts convert faster than 64.
inline double in_double(uint64_t clock) { return static_cast<double>(static_cast<int64_t>(clock)); }
inline uint64_t whole(double clock) { // rounded up
  const auto below = static_cast<int64_t>(clock);
  return static_cast<uint64_t>(below + (static_cast<double>(below) < clock ? 1 : 0));
}

// A resource that serves one request after the other.
class Server {
 public:
  // When a request that comes at `clock` is served; it takes `clocks`.
  double serve(double clock, double clocks) {
    free_ = std::max(free_, clock) + clocks;
    return free_;
  }
  double free() const { return free_; }

 private:
  double free_ = 0;
};

// Of L2 or of memory: each line has one, drawn by a hash, so that no stride meets a single channel. Hardware hashes, too;
// which bits is not public (guess).
class Channels {
 public:
  explicit Channels(int count) : channels_(static_cast<size_t>(count)) {}
  double serve(uint64_t line, double clock, double clocks) {
    return channels_[drawn_for(line) * channels_.size() >> 32].serve(clock, clocks);
  }

 private:
  std::vector<Server> channels_;
};

enum class MemoryLevel : uint8_t { l1, l2, mall, hbm };
inline constexpr int memory_levels = static_cast<int>(MemoryLevel::hbm) + 1;

// What carries bytes: a CU's way to L2, the channels of L2, what lies behind it.
enum class MemoryPort : uint8_t { l2_port, l2_channels, beyond_l2 };
inline constexpr int memory_ports = static_cast<int>(MemoryPort::beyond_l2) + 1;
const char* name_of(MemoryPort port);

struct MemoryTraffic {
  std::array<uint64_t, memory_levels> bytes{}; // that each level served
  std::array<double, memory_ports> busy{};     // clocks, of the ports that one CU uses
  MemoryTraffic& operator+=(const MemoryTraffic& other);
};

struct ChipletMemory { // shared by the CUs of a chiplet
  // Each modelled CU stands for `weight` of them.
  ChipletMemory(double weight, Mall mall)
      : weight(weight), mall(std::move(mall)),
        l2(static_cast<uint32_t>(l2_bytes / weight), line_bytes, l2_ways) {}
  // When a line that L1 has not is there.
  double fetch(uint64_t line, uint32_t bytes, double clock, MemoryTraffic& traffic);
  // When L2 has a store's `bytes` of a line. It writes back a line that is new to it, all of it.
  double store(uint64_t line, double bytes, double clock, MemoryTraffic& traffic);

  double weight;
  Mall mall;
  Cache l2; // the part of those for whom no CU is modelled is taken away: they ask for lines of their own
  // The CUs' share of all channels, by rate.
  Server l2_channels, beyond;

 private:
  // When L2's channels have served a request.
  double serve_channels(uint64_t line, double bytes, double clock, MemoryTraffic& traffic);
  // When MALL or HBM has served what L2 asks for or writes back.
  double serve_beyond(uint64_t line, bool in_mall, uint32_t bytes, double clock, MemoryTraffic& traffic);

  Channels l2_channel_{l2_channel_count}, memory_channel_{memory_channel_count};
};

class CuMemory {
 public:
  // `translation`: an address of a page that the CU has not translated lately comes later.
  explicit CuMemory(ChipletMemory& chiplet, bool translation = false)
      : chiplet_(chiplet), translation_(translation) {}
  // When the last of the lines of a vector load is there, or a store is acknowledged.
  uint64_t load(std::span<const uint64_t> lines, uint64_t clock);
  uint64_t store(std::span<const uint64_t> lines, uint32_t bytes, uint64_t clock);
  uint64_t scalar_load(std::span<const uint64_t> lines, uint64_t clock);
  double l2_port_free() const { return l2_port_.free(); }

  MemoryTraffic traffic;

 private:
  double translated(uint64_t line, double clock);

  ChipletMemory& chiplet_;
  bool translation_;
  Cache pages_{translations_of_a_cu, 1, translation_ways};
  Cache l1_{l1_bytes, line_bytes, l1_ways};
  Cache scalar_{scalar_cache_bytes, scalar_line_bytes, scalar_cache_ways};
  Server l2_port_;
};

} // namespace fmha950::timing
