#include "emulator/timing/record/access_record.hpp"

#include "emulator/program/row.hpp"
#include "emulator/rates/latencies.hpp"
#include "emulator/rates/lds_phases.hpp"
#include "emulator/rates/rates.hpp"
#include "emulator/timing/record/line_hash.hpp"
#include "numerics/target.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

namespace fmha950::timing {
namespace {

using observe::MemoryOperation;

constexpr uint32_t all_of_quarter = (1u << coalesced_lanes) - 1;

// The lines of memory that an access touches, each once, and how many of them each quarter of its lanes does. A lane's 16
// bytes lie in two at most, so do the 64 of a scalar load; a swizzled access touches one for each dword, of which there are
// five where it is unaligned.
class AccessLines {
 public:
  explicit AccessLines(std::vector<uint64_t>& lines) : lines_(lines), first_(lines.size()) {}

  void add(uint64_t line, int quarter) {
    if (count_ == 0 || at(last_) != line) {
      // Often the lanes of a quarter go through the same lines as those of the one before.
      const uint32_t next = last_ + 1 < count_ ? last_ + 1 : 0;
      last_ = next < count_ && at(next) == line ? next : place_of(line);
    }
    const auto bit = static_cast<uint8_t>(1 << quarter);
    of_quarter_[static_cast<size_t>(quarter)] += (quarters_[last_] & bit) == 0;
    quarters_[last_] |= bit;
  }
  int clocks() const { // of the unit that computes addresses
    int clocks = 0;
    for (const int lines : of_quarter_) clocks += std::max(1, lines);
    return clocks;
  }
  uint32_t count() const { return count_; }

 private:
  uint64_t at(uint32_t place) const { return lines_[first_ + place]; }
  uint32_t place_of(uint64_t line) {
    // Most lines of scattered lanes are new, and most of these have a bit of their own.
    const uint64_t bit = uint64_t{1} << (drawn_for(line) >> 26);
    if (seen_ & bit)
      for (uint32_t place = 0; place < count_; ++place)
        if (at(place) == line) return place;
    seen_ |= bit;
    lines_.push_back(line);
    quarters_[count_] = 0;
    return count_++;
  }

  std::vector<uint64_t>& lines_;
  size_t first_;
  uint64_t seen_ = 0; // a bit for each line, which some share
  uint32_t count_ = 0, last_ = 0;
  std::array<uint8_t, wave_lanes * 5> quarters_; // that touch it, a bit each
  std::array<int, wave_lanes / coalesced_lanes> of_quarter_{};
};

// Which lanes of ds_read_b64_tr_b8 are served together is not known. With the banks of ds_read_b64 its reads in aiter's
// fwd_hd256_fp8 (commit e4048607) would take four clocks instead of two, and data would come some ten clocks after the
// MFMA that reads them without a wait. That kernel is right on hardware, so no conflicts are counted (docs/timing.md).
class AccessRecorder {
 public:
  AccessRecorder(const MemoryOperation& operation, const machine::Access& access, WaveRecord& wave)
      : operation_(operation), access_(access), wave_(wave), lines_(wave.lines) {
    result_.step = static_cast<uint32_t>(wave.ops.size() - 1);
    result_.first_line = static_cast<uint32_t>(wave.lines.size());
    result_.store = operation.kind != MemoryOperation::Kind::load;
  }

  void add(machine::Queue queue, uint32_t lds_bytes) {
    if (queue == machine::Queue::ds)
      of_lds();
    else
      of_memory(queue, lds_bytes);
    result_.lines = lines_.count();
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
    observe::for_each_range(
        operation_, access_, queue, lds_bytes, [&](int lane, uint64_t begin, uint32_t bytes) {
          result_.bytes += bytes;
          for (uint64_t line = begin >> line_bits; line <= (begin + bytes - 1) >> line_bits; ++line)
            lines_.add(line, std::max(lane, 0) / coalesced_lanes);
        });
    return static_cast<uint16_t>(lines_.clocks());
  }

  // The same where each lane's bytes are together: most often none of them lie in two lines, and those of a quarter in
  // one line or two neighbours.
  uint16_t quarter_by_quarter(int line_bits) {
    constexpr int quarters = wave_lanes / coalesced_lanes;
    if (!operation_.is_memory()) return quarters;
    const auto bytes = static_cast<uint64_t>(operation_.bytes);
    result_.bytes = static_cast<uint32_t>(bytes) * static_cast<uint32_t>(std::popcount(access_.valid));
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
          lines_.add(line, quarter);
          if (differ >> line_bits) lines_.add(line ^ 1, quarter);
          continue;
        }
      }
      observe::for_each_lane_of(lanes, [&](int lane) {
        const uint64_t last = (address[lane] + bytes - 1) >> line_bits;
        for (uint64_t line = address[lane] >> line_bits; line <= last; ++line) lines_.add(line, quarter);
      });
    }
    return static_cast<uint16_t>(lines_.clocks());
  }

  const MemoryOperation& operation_;
  const machine::Access& access_;
  WaveRecord& wave_;
  AccessLines lines_;
  MemoryAccess result_;
};

} // namespace

void record_access(const MemoryOperation& operation, const machine::Access& access, machine::Queue queue,
                   uint32_t lds_bytes, WaveRecord& wave) {
  const MemoryOperation accessed = observe::as_accessed(operation, access);
  AccessRecorder(accessed, access, wave).add(queue, lds_bytes);
}

} // namespace fmha950::timing
