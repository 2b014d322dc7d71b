#include "emulator/machine/float_mode.hpp"

#include "emulator/program/vgpr_indexing.hpp"

#include <cfenv>

namespace fmha950::machine {
namespace {

// The host's rounding for the time of one instruction.
class HostRounding {
 public:
  explicit HostRounding(uint32_t field) {
    constexpr int directions[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    std::fesetround(directions[field & 3]);
  }
  ~HostRounding() { std::fesetround(before_); }
  HostRounding(const HostRounding&) = delete;

 private:
  int before_ = std::fegetround();
};

uint32_t rounding_field(uint32_t mode, isa::ModeField field) {
  switch (field) {
  case isa::ModeField::none: return 0;
  case isa::ModeField::f32: return mode & 3;
  case isa::ModeField::f16_f64: return mode >> 2 & 3;
  }
  return 0;
}

void execute_rounded(Wave& wave, const isa::Instruction& in) {
  if ((wave.mode & float_fields) == default_float_mode || !in.row || !in.row->obeys_mode())
    return in.execute(wave, in);
  isa::Instruction slow = in;
  slow.modified = isa::modified_all;
  slow.plain_words = false;
  const HostRounding rounding(rounding_field(wave.mode, in.row->rounding));
  slow.execute(wave, slow);
}

} // namespace

std::optional<isa::Instruction> as_indexed(const Wave& wave, const isa::Instruction& in) {
  return isa::indexed(in, isa::VgprIndex::of_m0(wave.sgpr[code::m0]), wave.accum_offset, wave.vgpr_count);
}

void execute_in_mode(Wave& wave, const isa::Instruction& in) {
  if (is_skipped(wave, in)) return;
  if (!is_indexed(wave, in)) return execute_rounded(wave, in);
  if (const std::optional<isa::Instruction> moved = as_indexed(wave, in)) execute_rounded(wave, *moved);
}

} // namespace fmha950::machine
