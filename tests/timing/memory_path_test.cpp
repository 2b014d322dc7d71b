// Levels of memory: who answers, when, and what it counts.
#include "emulator/timing/model/memory_path.hpp"

#include "tests/support/catch.hpp"
#include <numeric>
#include <random>
#include <vector>

using namespace fmha950::timing;

namespace {

uint64_t bytes(const CuMemory& memory, MemoryLevel level) {
  return memory.traffic.bytes[static_cast<size_t>(level)];
}
double busy(const CuMemory& memory, MemoryPort port) {
  return memory.traffic.busy[static_cast<size_t>(port)];
}
std::vector<uint64_t> lines(uint64_t first, size_t count) {
  std::vector<uint64_t> all(count);
  std::iota(all.begin(), all.end(), first);
  return all;
}

} // namespace

TEST_CASE("timing: a line comes from the nearest level that has it") {
  for (const bool warm : {true, false}) {
    ChipletMemory chiplet(1, Mall({}, false, warm));
    CuMemory first(chiplet), second(chiplet);
    const auto line = lines(7, 1);
    const int beyond = warm ? mall_latency : hbm_latency;
    const uint64_t missed = first.load(line, 0);
    CHECK(missed >= static_cast<uint64_t>(beyond));
    CHECK(missed < beyond + 10u);
    CHECK(first.load(line, 10000) == 10000 + l1_latency);
    const uint64_t of_l2 = second.load(line, 20000);
    CHECK(of_l2 >= 20000u + l2_latency);
    CHECK(of_l2 < 20000u + l2_latency + 10);
    CHECK(bytes(first, warm ? MemoryLevel::mall : MemoryLevel::hbm) == line_bytes);
    CHECK(bytes(first, MemoryLevel::l1) == line_bytes);
    CHECK(bytes(second, MemoryLevel::l2) == line_bytes);
  }
}

TEST_CASE("timing: caches hold what they have room for") {
  ChipletMemory chiplet(1, {});
  CuMemory memory(chiplet);
  const auto fits = lines(0, l1_bytes / line_bytes);
  memory.load(fits, 0);
  memory.load(fits, 100000);
  CHECK(bytes(memory, MemoryLevel::l1) == l1_bytes);
  const auto too_many = lines(1 << 20, 2 * l1_bytes / line_bytes);
  memory.load(too_many, 200000);
  memory.load(too_many, 300000);
  CHECK(bytes(memory, MemoryLevel::l1) == l1_bytes);
  CHECK(bytes(memory, MemoryLevel::l2) == 2 * l1_bytes);
}

TEST_CASE("timing: a CU that stands for others has its part of L2, and of the bandwidth") {
  const auto bytes_of_l2 = lines(0, l2_bytes / 2 / line_bytes);
  ChipletMemory alone(1, {}), crowded(32, {});
  CuMemory one(alone), of_many(crowded);
  for (CuMemory* memory : {&one, &of_many})
    for (const uint64_t clock : {0, 10'000'000}) memory->load(bytes_of_l2, clock);
  CHECK(bytes(one, MemoryLevel::l2) == l2_bytes / 2);
  CHECK(bytes(of_many, MemoryLevel::l2) == 0);
  CHECK(busy(of_many, MemoryPort::beyond_l2) == Approx(2 * 32 * busy(one, MemoryPort::beyond_l2)));
  CHECK(busy(one, MemoryPort::l2_port) == Approx(l2_bytes / l2_port_bytes_per_clock));
}

TEST_CASE("timing: a line that many want comes from one channel, lines at any distance from all of them") {
  constexpr size_t cus = 32;
  const auto last = [](uint64_t distance) { // between the lines that the CUs want, all of which L2 has
    ChipletMemory chiplet(1, {});
    std::vector<CuMemory> memories(cus + 1, CuMemory(chiplet));
    uint64_t clock = 0;
    for (size_t i = 0; i < cus; ++i) memories.back().load(lines(i * distance, 1), 0);
    for (size_t i = 0; i < cus; ++i)
      clock = std::max(clock, memories[i].load(lines(i * distance, 1), 1'000'000) - 1'000'000);
    return clock - l2_latency;
  };
  constexpr auto of_one = static_cast<uint64_t>(line_bytes / l2_channel_bytes_per_clock);
  CHECK(last(0) >= cus * of_one);
  for (const uint64_t distance : {1, 16, 128, 1 << 12, 1 << 20}) CHECK(last(distance) < cus * of_one / 3);
}

TEST_CASE("timing: lines are spread over channels, and no channel gives more than its part of the rate") {
  ChipletMemory chiplet(1.0 / 8, {}); // whose share is no limit
  MemoryTraffic traffic;
  constexpr uint64_t count = 1 << 14;
  double last = 0;
  for (uint64_t line = 0; line < count; ++line)
    last = std::max(last, chiplet.fetch(line * 1024, line_bytes, 0, traffic) - mall_latency);
  constexpr double at_best = count * line_bytes / (l2_channel_count * l2_channel_bytes_per_clock);
  CHECK(last >= at_best);
  CHECK(last < 1.05 * at_best);
  Channels channels(128);
  for (int request = 1; request <= 5; ++request) CHECK(channels.serve(7, 100, 2.5) == 100 + 2.5 * request);
}

TEST_CASE("timing: a store of a part of a line carries that part") {
  ChipletMemory chiplet(1, {});
  CuMemory memory(chiplet);
  const uint64_t acknowledged = memory.store(lines(0, 32), 32 * 32, 0);
  CHECK(bytes(memory, MemoryLevel::l2) == 32 * 32);
  CHECK(busy(memory, MemoryPort::l2_port) == Approx(32 * 32 / l2_port_bytes_per_clock));
  CHECK(acknowledged >= static_cast<uint64_t>(store_latency));
  CHECK(memory.load(lines(3, 1), 1000) < 1000u + mall_latency); // it is in L2 now
}

TEST_CASE(
    "timing: where two matrices lie, with rows 1 MiB apart, moves their clocks by no more than a hundredth") {
  // 96 rows of A and of B, a line of each, read sixteen bytes at a time: they fit into L1, if its sets are evenly used.
  constexpr uint64_t row_lines = (1 << 20) / line_bytes, rows = 96, parts = line_bytes / 16;
  std::mt19937_64 random(1);
  uint64_t fastest = ~uint64_t{0}, slowest = 0;
  for (int placement = 0; placement < 20; ++placement) {
    ChipletMemory chiplet(1, {});
    CuMemory memory(chiplet);
    uint64_t clock = 0;
    const uint64_t bases[] = {random() >> 24, random() >> 24};
    for (uint64_t step = 0; step < 4 * parts; ++step)
      for (const uint64_t base : bases)
        for (uint64_t row = 0; row < rows; ++row)
          clock = memory.load(lines(base + row * row_lines + step / parts, 1), clock);
    fastest = std::min(fastest, clock), slowest = std::max(slowest, clock);
  }
  CHECK(static_cast<double>(slowest) <= 1.01 * static_cast<double>(fastest));
}

TEST_CASE(
    "timing: with assumption tlb a page that was not translated lately comes later, and nothing else does") {
  constexpr uint64_t page_lines = translated_page_bytes / line_bytes;
  ChipletMemory chiplet(1, {});
  CuMemory known(chiplet), limited(chiplet, true);
  const auto of_page = [&](uint64_t page, uint64_t line) { return lines(page * page_lines + line, 1); };
  const auto later = [&](uint64_t page, uint64_t line, uint64_t clock) {
    const uint64_t without = known.load(of_page(page, line), clock); // brings the line to L2
    return limited.load(of_page(page, line), clock) - std::min(without, clock + l2_latency + 1);
  };
  const auto far = static_cast<double>(translation_latency);
  CHECK(later(5, 0, 100'000) == Approx(far).margin(3));
  CHECK(later(5, 9, 200'000) == Approx(0).margin(3));
  for (uint64_t page = 100; page < 100 + translations_of_a_cu; ++page) later(page, 0, page * 10'000);
  CHECK(later(5, 20, 5'000'000) == Approx(far).margin(3)); // driven out
  CHECK(later(100 + translations_of_a_cu - 1, 20, 6'000'000) == Approx(0).margin(3));
}
