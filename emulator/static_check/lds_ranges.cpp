#include "emulator/static_check/lds_ranges.hpp"

#include "emulator/machine/wave.hpp"
#include "emulator/program/row.hpp"
#include "emulator/static_check/propagate.hpp"
#include "emulator/static_check/register_bits.hpp"

#include <algorithm>

namespace fmha950::static_check {
namespace {

constexpr uint32_t lds_dma_bits = 0x3FFFF; // of M0 (machine_gfx950.md section 1.3)
constexpr uint64_t addresses = uint64_t{1} << 32;

} // namespace

std::vector<LdsRanges::Range> LdsRanges::ranges_of(uint32_t wave) const {
  std::vector<Range> ranges(code_.size());
  const auto range_of = [&](const RegisterBits& bits, size_t index) -> Range {
    const isa::Instruction& in = code_.instruction(index);
    const observe::MemoryOperation& operation = code_.info(index).operation;
    const auto offset = static_cast<uint32_t>(in.offset);
    if (operation.lds_dma) {
      const KnownBits base =
          bitwise(0xC0, bits.scalar(machine::code::m0), KnownBits::of(lds_dma_bits), KnownBits());
      const uint64_t bytes =
          63 * operation.lds_slot + std::max<uint32_t>(operation.lds_slot, operation.bytes);
      return {uint64_t{base.least()} + offset, uint64_t{base.most()} + offset + bytes};
    }
    if (!operation.is_memory() || isa::memory_of(in).segment != isa::Segment::lds) return {};
    const RegisterBits::Lanes lanes = bits.vector(in.vaddr);
    Range range{~uint64_t{0}, 0};
    for (size_t l = 0; l < lanes.size(); ++l) {
      if (!(bits.lanes() >> l & 1)) continue;
      range.begin = std::min<uint64_t>(range.begin, lanes[l].least());
      range.end = std::max<uint64_t>(range.end, lanes[l].most());
    }
    if (range.begin > range.end) return {0, 0}; // no lane executes it
    const uint32_t first = operation.elements == 1 ? offset : (offset & 0xFF) * operation.element_stride;
    const uint32_t second =
        operation.elements == 1 ? offset : (offset >> 8 & 0xFF) * operation.element_stride;
    range.begin += std::min(first, second);
    range.end += std::max(first, second) + operation.bytes;
    return range.end < addresses ? range : Range(); // else they may wrap around
  };
  propagate(code_, 0, RegisterBits(code_, wave), true, [&](RegisterBits& bits, size_t index) {
    if (code_.flow().blocks[code_.block_of(index)].begin == index) bits.keep_only(code_.read_from(index));
    ranges[index] = range_of(bits, index);
    bits.execute(code_, index);
  });
  return ranges;
}

bool LdsRanges::meet(size_t a, size_t b, bool one_wave) const {
  if (ranges_.empty())
    for (uint32_t wave = 0; wave < code_.most_waves(); ++wave) ranges_.push_back(ranges_of(wave));
  if (ranges_.empty()) return true; // not known how many there are
  for (size_t first = 0; first < ranges_.size(); ++first)
    for (size_t second = 0; second < ranges_.size(); ++second) {
      if ((first == second) != one_wave) continue;
      const Range &one = ranges_[first][a], &other = ranges_[second][b];
      if (one.begin < other.end && other.begin < one.end) return true;
    }
  return false;
}

} // namespace fmha950::static_check
