#include "emulator/timing/model/memory_path.hpp"

#include <cmath>

namespace fmha950::timing {
namespace {

uint64_t& bytes_of(MemoryTraffic& traffic, MemoryLevel level) {
  return traffic.bytes[static_cast<size_t>(level)];
}
uint64_t whole(double clock) { return static_cast<uint64_t>(std::ceil(clock)); }

} // namespace

double ChipletMemory::fetch(uint64_t line, uint32_t bytes, double clock, MemoryTraffic& traffic) {
  const double served = l2_channels.serve(clock, weight * bytes / l2_chiplet_bytes_per_clock);
  const bool hit = l2.touch(line);
  bytes_of(traffic, hit ? MemoryLevel::l2 : warm ? MemoryLevel::mall : MemoryLevel::hbm) += bytes;
  if (hit) return served + l2_latency;
  const double bandwidth = warm ? mall_chiplet_bytes_per_clock : hbm_chiplet_bytes_per_clock;
  return beyond.serve(served, weight * bytes / bandwidth) + (warm ? mall_latency : hbm_latency);
}

uint64_t CuMemory::load(std::span<const uint64_t> lines, uint64_t clock) {
  const auto now = static_cast<double>(clock);
  double last = now + l1_latency;
  for (const uint64_t line : lines) {
    if (l1_.touch(line)) {
      bytes_of(traffic, MemoryLevel::l1) += line_bytes;
      continue;
    }
    const double asked = l2_port_.serve(now, line_bytes / l2_port_bytes_per_clock);
    last = std::max(last, chiplet_.fetch(line, line_bytes, asked, traffic));
  }
  return whole(last);
}

// Written through; L2 acknowledges.
uint64_t CuMemory::store(std::span<const uint64_t> lines, uint64_t clock) {
  double last = static_cast<double>(clock) + store_latency;
  for (const uint64_t line : lines) {
    const double asked = l2_port_.serve(static_cast<double>(clock), line_bytes / l2_port_bytes_per_clock);
    chiplet_.l2.touch(line);
    bytes_of(traffic, MemoryLevel::l2) += line_bytes;
    last = std::max(
        last, chiplet_.l2_channels.serve(asked, chiplet_.weight * line_bytes / l2_chiplet_bytes_per_clock) +
                  store_latency);
  }
  return whole(last);
}

uint64_t CuMemory::scalar_load(std::span<const uint64_t> lines, uint64_t clock) {
  double last = static_cast<double>(clock) + scalar_cache_latency;
  for (const uint64_t line : lines)
    if (!scalar_.touch(line))
      last = std::max(last, chiplet_.fetch(line * scalar_line_bytes / line_bytes, scalar_line_bytes,
                                           static_cast<double>(clock), traffic));
  return whole(last);
}

} // namespace fmha950::timing
