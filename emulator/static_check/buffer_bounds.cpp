#include "emulator/static_check/buffer_bounds.hpp"

#include "emulator/program/row.hpp"
#include "emulator/static_check/propagate.hpp"

#include <algorithm>

namespace fmha950::static_check {
namespace {

constexpr uint32_t add_tid = 1u << 23; // of word 3 (machine_gfx950.md section 4.1)

} // namespace

BufferBounds::BufferBounds(const Code& code) : within_(code.size(), Within::unknown) {
  for (uint32_t wave = 0; wave < code.most_waves(); ++wave) {
    std::vector<Within> of_wave(code.size(), Within::unknown);
    propagate(code, 0, ScaledValues(code, wave), true, [&](ScaledValues& values, size_t index) {
      if (code.flow().blocks[code.block_of(index)].begin == index) values.keep_only(code.read_from(index));
      of_wave[index] = within(code, values, index);
      values.execute(code, index);
    });
    for (size_t i = 0; i < within_.size(); ++i)
      within_[i] = wave == 0 ? of_wave[i] : std::min(within_[i], of_wave[i]);
  }
}

// In range is what ends at or before num_records: offset + soffset + bytes, of which the offset wraps at 32 bits (sections 4.1
// and 4.2).
BufferBounds::Within BufferBounds::within(const Code& code, const ScaledValues& values, size_t index) {
  const isa::Instruction& in = code.instruction(index);
  const isa::MemoryFacts& memory = isa::memory_of(in);
  if (memory.segment != isa::Segment::buffer || memory.formatted || in.idxen) return Within::unknown;
  const RegisterBits& bits = values.bits();
  const KnownBits word3 = bits.scalar(in.saddr + 3);
  const KnownBits soffset = in.src[0].kind == isa::Source::Kind::constant
                                ? KnownBits::of(static_cast<uint32_t>(in.src[0].value))
                            : in.src[0].kind == isa::Source::Kind::sgpr ? bits.scalar(in.src[0].index)
                                                                        : KnownBits();
  if (!(word3.known & add_tid) || (word3.value & add_tid)) return Within::unknown;
  const uint64_t behind = uint64_t{soffset.most()} + code.info(index).operation.bytes;
  const uint64_t beside = static_cast<uint32_t>(in.offset) + behind;
  uint64_t most = static_cast<uint32_t>(in.offset);
  if (in.offen) {
    const RegisterBits::Lanes offsets = bits.vector(in.vaddr);
    for (size_t l = 0; l < offsets.size(); ++l)
      if (bits.lanes() >> l & 1)
        most = std::max<uint64_t>(most, uint64_t{static_cast<uint32_t>(in.offset)} + offsets[l].most());
  }
  if (most >> 32 == 0 && most + behind <= bits.scalar(in.saddr + 2).least()) return Within::always;
  const Scaled count = values.scalar(in.saddr + 2), offset = values.vector(in.vaddr);
  const bool same_scale = in.offen && offset.kind == Scaled::Kind::entry &&
                          count.kind == Scaled::Kind::argument && offset.by == count.by &&
                          offset.shift == count.shift;
  return same_scale && offset.rest + beside <= uint64_t{1} << offset.shift ? Within::entries
                                                                           : Within::unknown;
}

} // namespace fmha950::static_check
