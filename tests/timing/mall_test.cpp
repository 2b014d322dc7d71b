// Which lines come from MALL, which from HBM.
#include "emulator/timing/model/mall.hpp"

#include "emulator/rates/latencies.hpp"
#include "emulator/timing/model/memory_path.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::timing;

namespace {

constexpr uint64_t first_line = 1 << 20;

// Workgroups of a grid that each read `lines` lines of an allocation of `bytes`, from `begin` on `step` apart.
KernelRecord reading(uint64_t bytes, std::vector<uint64_t> begins, uint64_t lines, uint64_t grid) {
  KernelRecord kernel;
  kernel.grid_workgroups = grid;
  kernel.touched = {{first_line * line_bytes, first_line * line_bytes + bytes}};
  for (const uint64_t begin : begins) {
    WorkgroupRecord& workgroup = kernel.workgroups.emplace_back();
    WaveRecord& wave = workgroup.waves.emplace_back();
    for (uint64_t line = 0; line < lines; ++line) {
      wave.accesses.push_back(
          {.path = MemoryAccess::Path::vector, .first_line = static_cast<uint32_t>(line), .lines = 1});
      wave.lines.push_back(first_line + begin + line);
    }
    workgroup.waves.push_back(wave); // another wave that reads the same
  }
  return kernel;
}

// The part of an allocation's lines that come from HBM.
double from_hbm(const Mall& mall, uint64_t bytes) {
  const uint64_t lines = bytes / line_bytes;
  uint64_t absent = 0;
  for (uint64_t line = 0; line < lines; ++line) absent += !mall.has(first_line + line);
  return static_cast<double>(absent) / static_cast<double>(lines);
}

} // namespace

TEST_CASE("timing: what has room in MALL comes from there, one byte more and all of it is new") {
  constexpr uint64_t some = 4096;
  CHECK(from_hbm(Mall(reading(mall_bytes, {0}, some, mall_bytes / line_bytes / some), false, true),
                 mall_bytes) == 0);
  const uint64_t more = mall_bytes + line_bytes;
  CHECK(from_hbm(Mall(reading(more, {0}, some, more / line_bytes / some), false, true), more) == 1);
}

TEST_CASE("timing: a line that many workgroups ask for comes from HBM once") {
  // A launch of 64 workgroups that all read the whole of 512 MiB would ask for it 64 times.
  const uint64_t bytes = 2 * mall_bytes, lines = bytes / line_bytes;
  for (const uint64_t readers : {1u, 4u, 64u}) {
    CAPTURE(readers);
    // Each reads a 1024th, so that a thousand times the readers read all of it.
    const KernelRecord kernel = reading(bytes, {0, lines / 2}, lines / 1024, 1024 * readers);
    CHECK(from_hbm(Mall(kernel, false, true), bytes) ==
          Approx(1.0 / static_cast<double>(readers)).epsilon(0.01));
  }
}

TEST_CASE("timing: workgroups that share an L2 ask for a line together") {
  const uint64_t bytes = 2 * mall_bytes, lines = bytes / line_bytes;
  const KernelRecord kernel = reading(bytes, {0, 0, 0, 0}, lines / 1024, 4 * 1024);
  CHECK(from_hbm(Mall(kernel, false, true), bytes) == Approx(0.25).epsilon(0.01));
  CHECK(from_hbm(Mall(kernel, true, true), bytes) == 1);
}

TEST_CASE("timing: what stands for several batches touches as many times its memory") {
  const uint64_t bytes = mall_bytes / 8;
  const KernelRecord kernel =
      reading(bytes, {0}, bytes / line_bytes, 16); // one workgroup of each of 16 batches reads all of its
  CHECK(from_hbm(Mall(kernel, false, true, 8), bytes) == 0);
  CHECK(from_hbm(Mall(kernel, false, true, 16), bytes) == 1);
}

TEST_CASE("timing: without a launch before, MALL has nothing, and no code") {
  const uint64_t bytes = 1 << 20;
  const KernelRecord kernel = reading(bytes, {0}, bytes / line_bytes, 4);
  CHECK(from_hbm(Mall(kernel, false, true), bytes) == 0);
  CHECK(from_hbm(Mall(kernel, false, false), bytes) == Approx(0.25).epsilon(0.1));
  CHECK(Mall(kernel, false, true).has_code());
  CHECK(!Mall(kernel, false, false).has_code());
  CHECK(!Mall(kernel, false, false).has(first_line - 1)); // of no allocation
  CHECK(Mall(kernel, false, false).keeps_writes());
  CHECK(!Mall(reading(2 * mall_bytes, {0}, 4, 1), false, true).keeps_writes());
}

TEST_CASE("timing: what is written goes on beyond L2, and others wait behind it") {
  ChipletMemory chiplet(1, {});
  CuMemory memory(chiplet);
  std::vector<uint64_t> lines;
  for (uint64_t line = 0; line < 4096; ++line) lines.push_back(line);
  const uint64_t stored = memory.store(lines, 4096 * line_bytes, 0);
  const double written = 4096 * line_bytes / (mall_bytes_per_clock / chiplets);
  CHECK(memory.traffic.bytes[static_cast<size_t>(MemoryLevel::mall)] == 4096 * line_bytes);
  CHECK(chiplet.beyond.free() >= written);
  // Written again, they are in L2.
  memory.store(lines, 4096 * line_bytes, stored);
  CHECK(memory.traffic.bytes[static_cast<size_t>(MemoryLevel::mall)] == 4096 * line_bytes);
}
