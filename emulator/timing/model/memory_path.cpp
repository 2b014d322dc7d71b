#include "emulator/timing/model/memory_path.hpp"

namespace fmha950::timing {
namespace {

uint64_t& bytes_of(MemoryTraffic& traffic, MemoryLevel level) {
  return traffic.bytes[static_cast<size_t>(level)];
}
double& busy_of(MemoryTraffic& traffic, MemoryPort port) { return traffic.busy[static_cast<size_t>(port)]; }

} // namespace

const char* name_of(MemoryPort port) {
  static constexpr const char* names[] = {"l2_port", "l2_channels", "beyond_l2"};
  return names[static_cast<size_t>(port)];
}

MemoryTraffic& MemoryTraffic::operator+=(const MemoryTraffic& other) {
  for (size_t level = 0; level < bytes.size(); ++level) bytes[level] += other.bytes[level];
  for (size_t port = 0; port < busy.size(); ++port) busy[port] += other.busy[port];
  return *this;
}

double ChipletMemory::fetch(uint64_t line, uint32_t bytes, double clock, MemoryTraffic& traffic) {
  const double served = serve_channels(line, bytes, clock, traffic);
  if (l2.touch(line)) {
    bytes_of(traffic, MemoryLevel::l2) += bytes;
    return served + l2_latency;
  }
  const bool in_mall = mall.has(line);
  return serve_beyond(line, in_mall, bytes, served, traffic) + (in_mall ? mall_latency : hbm_latency);
}

double ChipletMemory::store(uint64_t line, double bytes, double clock, MemoryTraffic& traffic) {
  const double served = serve_channels(line, bytes, clock, traffic);
  if (!l2.touch(line)) serve_beyond(line, mall.keeps_writes(), line_bytes, served, traffic);
  return served + store_latency;
}

double ChipletMemory::serve_channels(uint64_t line, double bytes, double clock, MemoryTraffic& traffic) {
  const double clocks = bytes / l2_channel_bytes_per_clock, of_share = weight * clocks / l2_channel_count;
  busy_of(traffic, MemoryPort::l2_channels) += of_share;
  return std::max(l2_channels.serve(clock, of_share), l2_channel_.serve(line, clock, clocks));
}

double ChipletMemory::serve_beyond(uint64_t line, bool in_mall, uint32_t bytes, double clock,
                                   MemoryTraffic& traffic) {
  bytes_of(traffic, in_mall ? MemoryLevel::mall : MemoryLevel::hbm) += bytes;
  const double rate = in_mall ? mall_bytes_per_clock : hbm_bytes_per_clock;
  const double of_share = weight * bytes / (rate / chiplets);
  busy_of(traffic, MemoryPort::beyond_l2) += of_share;
  return std::max(beyond.serve(clock, of_share),
                  memory_channel_.serve(line, clock, bytes / (rate / memory_channel_count)));
}

double CuMemory::translated(uint64_t line, double clock) {
  if (!translation_ || pages_.touch(line * line_bytes / translated_page_bytes)) return clock;
  return clock + translation_latency;
}

uint64_t CuMemory::load(std::span<const uint64_t> lines, uint64_t clock) {
  const auto now = in_double(clock);
  double last = now + l1_latency;
  for (const uint64_t line : lines) {
    if (l1_.touch(line)) {
      bytes_of(traffic, MemoryLevel::l1) += line_bytes;
      continue;
    }
    constexpr double port_clocks = line_bytes / l2_port_bytes_per_clock;
    const double asked = l2_port_.serve(translated(line, now), port_clocks);
    busy_of(traffic, MemoryPort::l2_port) += port_clocks;
    last = std::max(last, chiplet_.fetch(line, line_bytes, asked, traffic));
  }
  return whole(last);
}

// Stores are written through; L2 acknowledges. Only the stored bytes of a line go there.
uint64_t CuMemory::store(std::span<const uint64_t> lines, uint32_t bytes, uint64_t clock) {
  double last = in_double(clock) + store_latency;
  const double of_line = bytes / std::max(1.0, static_cast<double>(lines.size()));
  const double port_clocks = of_line / l2_port_bytes_per_clock;
  for (const uint64_t line : lines) {
    const double asked = l2_port_.serve(in_double(clock), port_clocks);
    busy_of(traffic, MemoryPort::l2_port) += port_clocks;
    last = std::max(last, chiplet_.store(line, of_line, asked, traffic));
  }
  bytes_of(traffic, MemoryLevel::l2) += bytes;
  return whole(last);
}

uint64_t CuMemory::scalar_load(std::span<const uint64_t> lines, uint64_t clock) {
  double last = in_double(clock) + scalar_cache_latency;
  for (const uint64_t line : lines)
    if (!scalar_.touch(line))
      last = std::max(last, chiplet_.fetch(line * scalar_line_bytes / line_bytes, scalar_line_bytes,
                                           in_double(clock), traffic));
  return whole(last);
}

} // namespace fmha950::timing
