#include "emulator/timing/record/access_record.hpp"

#include "emulator/program/row.hpp"
#include "emulator/rates/latencies.hpp"
#include "emulator/rates/lds_phases.hpp"
#include "emulator/rates/rates.hpp"
#include "numerics/target.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>

namespace fmha950::timing {
namespace {

using observe::MemoryOperation;

constexpr uint32_t all_of_quarter = (1u << coalesced_lanes) - 1;

void add_line(std::vector<uint64_t>& lines, size_t first, uint64_t line) {
  if (lines.size() > first && lines.back() == line) return;
  if (std::find(lines.begin() + static_cast<ptrdiff_t>(first), lines.end(), line) == lines.end())
    lines.push_back(line);
}

// The lines that a quarter of the lanes touches. A lane's 16 bytes lie in two at most, so do the 64 of a scalar load; a
// swizzled access touches one for each dword.
class QuarterLines {
 public:
  void add(uint64_t line) {
    const auto end = lines_.begin() + count_;
    if ((count_ > 0 && lines_[static_cast<size_t>(count_) - 1] == line) ||
        std::find(lines_.begin(), end, line) != end)
      return;
    add_new(line);
  }
  void add_new(uint64_t line) { lines_[static_cast<size_t>(count_++)] = line; }
  std::span<const uint64_t> all() const { return {lines_.data(), static_cast<size_t>(count_)}; }
  int count() const { return count_; }

 private:
  std::array<uint64_t, coalesced_lanes * 4> lines_;
  int count_ = 0;
};

// Which lanes of ds_read_b64_tr_b8 are served together is not known. With the banks of ds_read_b64 its reads in aiter's
// fwd_hd256_fp8 (commit e4048607) would take four clocks instead of two, and data would come some ten clocks after the
// MFMA that reads them without a wait. That kernel is right on hardware, so no conflicts are counted (docs/timing.md).
class AccessRecorder {
 public:
  AccessRecorder(const MemoryOperation& operation, const machine::Access& access, WaveRecord& wave)
      : operation_(operation), access_(access), wave_(wave) {
    result_.step = static_cast<uint32_t>(wave.ops.size() - 1);
    result_.first_line = static_cast<uint32_t>(wave.lines.size());
    result_.store = operation.kind != MemoryOperation::Kind::load;
  }

  void add(machine::Queue queue, uint32_t lds_bytes) {
    if (queue == machine::Queue::ds)
      of_lds();
    else
      of_memory(queue, lds_bytes);
    result_.lines = static_cast<uint32_t>(wave_.lines.size()) - result_.first_line;
    wave_.accesses.push_back(result_);
  }

 private:
  void of_lds() {
    result_.path = MemoryAccess::Path::lds;
    const int bytes = std::max<int>(4, operation_.bytes);
    LdsPhases total;
    const auto add = [&](LdsDirection direction, uint32_t offset) {
      const LdsPhases phases = lds_phases(direction, bytes, access_.lds_address, access_.lanes, offset);
      total.phases += phases.phases;
      total.conflicts += phases.conflicts;
    };
    const auto element = [&](uint32_t offset) {
      using enum LdsDirection;
      const bool reads = operation_.kind != MemoryOperation::Kind::store;
      const bool writes = operation_.kind != MemoryOperation::Kind::load;
      if (reads) add(read, offset);
      if (writes) add(write, offset);
    };
    if (operation_.kind == MemoryOperation::Kind::exchange || operation_.single)
      total.phases = lds_clocks(LdsDirection::write, 4); // through the crossbar: no banks (guess)
    else if (operation_.elements == 2)
      for (const int shift : {0, 8})
        element((static_cast<uint32_t>(access_.instruction->offset) >> shift & 0xFF) *
                operation_.element_stride);
    else
      element(operation_.ignores_offset ? 0 : static_cast<uint32_t>(access_.instruction->offset));
    if (isa::memory_of(*access_.instruction).transposed_bits == 8) total.conflicts = 0;
    result_.clocks = static_cast<uint16_t>(total.clocks());
    ++wave_.lds.instructions;
    wave_.lds.conflicts += static_cast<uint64_t>(total.conflicts);
  }

  void of_memory(machine::Queue queue, uint32_t lds_bytes) {
    const bool scalar = queue == machine::Queue::smem;
    // A shift: this is done for each lane.
    const int line_bits = std::countr_zero(static_cast<uint32_t>(scalar ? scalar_line_bytes : line_bytes));
    result_.path = scalar ? MemoryAccess::Path::scalar : MemoryAccess::Path::vector;
    if (scalar || access_.irregular || access_.swizzled)
      result_.clocks = line_by_line(queue, lds_bytes, line_bits);
    else
      result_.clocks = quarter_by_quarter(line_bits);
    if (operation_.lds_dma)
      result_.dma_clocks = static_cast<uint16_t>(lds_clocks(LdsDirection::write, operation_.lds_slot));
  }

  uint16_t line_by_line(machine::Queue queue, uint32_t lds_bytes, int line_bits) {
    std::array<QuarterLines, wave_lanes / coalesced_lanes> of_quarter;
    observe::for_each_range(
        operation_, access_, queue, lds_bytes, [&](int lane, uint64_t begin, uint32_t bytes) {
          result_.bytes += bytes;
          for (uint64_t line = begin >> line_bits; line <= (begin + bytes - 1) >> line_bits; ++line) {
            add_line(wave_.lines, result_.first_line, line);
            of_quarter[static_cast<size_t>(std::max(lane, 0) / coalesced_lanes)].add(line);
          }
        });
    int clocks = 0;
    for (const QuarterLines& lines : of_quarter) clocks += std::max(1, lines.count());
    return static_cast<uint16_t>(clocks);
  }

  // The same where each lane's bytes are together: most often none of them lie in two lines, and those of a quarter in
  // one line or two neighbours.
  uint16_t quarter_by_quarter(int line_bits) {
    constexpr int quarters = wave_lanes / coalesced_lanes;
    if (!operation_.is_memory()) return quarters;
    const auto bytes = static_cast<uint64_t>(operation_.bytes);
    result_.bytes = static_cast<uint32_t>(bytes) * static_cast<uint32_t>(std::popcount(access_.valid));
    int clocks = 0;
    for (int quarter = 0; quarter < quarters; ++quarter) {
      const uint64_t* address = access_.address + quarter * coalesced_lanes;
      const auto lanes = static_cast<uint32_t>(access_.valid >> quarter * coalesced_lanes & all_of_quarter);
      if (lanes == all_of_quarter) {
        uint64_t differ = 0, unaligned = 0;
        for (size_t lane = 0; lane < coalesced_lanes; ++lane) {
          differ |= address[lane] ^ address[0];
          unaligned |= address[lane] & (bytes - 1);
        }
        if (unaligned == 0 && differ >> line_bits <= 1 && std::has_single_bit(bytes)) {
          const uint64_t line = address[0] >> line_bits;
          add_line(wave_.lines, result_.first_line, line);
          if (differ >> line_bits) add_line(wave_.lines, result_.first_line, line ^ 1);
          clocks += differ >> line_bits ? 2 : 1;
          continue;
        }
      }
      std::array<uint64_t, coalesced_lanes> line_of;
      uint32_t in_two = 0;
      for (size_t lane = 0; lane < coalesced_lanes; ++lane) {
        line_of[lane] = address[lane] >> line_bits;
        in_two |= uint32_t{line_of[lane] != (address[lane] + bytes - 1) >> line_bits} << lane;
      }
      QuarterLines lines;
      if (in_two & lanes) {
        observe::for_each_lane_of(lanes, [&](int lane) {
          const uint64_t first = line_of[static_cast<size_t>(lane)];
          for (uint64_t line = first; line <= (address[lane] + bytes - 1) >> line_bits; ++line)
            lines.add(line);
        });
      } else {
        for (uint32_t left = lanes; left != 0;) {
          const uint64_t line = line_of[static_cast<size_t>(std::countr_zero(left))];
          lines.add_new(line);
          for (size_t lane = 0; lane < coalesced_lanes; ++lane)
            left &= ~(uint32_t{line_of[lane] == line} << lane);
        }
      }
      for (const uint64_t line : lines.all()) add_line(wave_.lines, result_.first_line, line);
      clocks += std::max(1, lines.count());
    }
    return static_cast<uint16_t>(clocks);
  }

  const MemoryOperation& operation_;
  const machine::Access& access_;
  WaveRecord& wave_;
  MemoryAccess result_;
};

} // namespace

void record_access(const MemoryOperation& operation, const machine::Access& access, machine::Queue queue,
                   uint32_t lds_bytes, WaveRecord& wave) {
  const MemoryOperation accessed = observe::as_accessed(operation, access);
  AccessRecorder(accessed, access, wave).add(queue, lds_bytes);
}

} // namespace fmha950::timing
