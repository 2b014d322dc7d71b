#include "emulator/isa/uses.hpp"

#include "emulator/isa/decode/mc.hpp"
#include "emulator/machine/wave.hpp"
#include "emulator/program/row.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace fmha950::isa {
namespace {

using File = RegisterRange::File;

namespace code = machine::code;

struct Named { // SGPRs that have names, by their codes
  std::string_view name;
  int code;
  uint8_t count;
};
constexpr Named named[] = {{"FLAT_SCR_LO", code::flat_scratch, 1},
                           {"FLAT_SCR_HI", code::flat_scratch + 1, 1},
                           {"FLAT_SCR", code::flat_scratch, 2},
                           {"XNACK_MASK_LO", code::xnack_mask, 1},
                           {"XNACK_MASK_HI", code::xnack_mask + 1, 1},
                           {"XNACK_MASK", code::xnack_mask, 2},
                           {"VCC_LO", code::vcc, 1},
                           {"VCC_HI", code::vcc + 1, 1},
                           {"VCC", code::vcc, 2},
                           {"EXEC_LO", code::exec, 1},
                           {"EXEC_HI", code::exec + 1, 1},
                           {"EXEC", code::exec, 2},
                           {"M0", code::m0, 1},
                           {"SCC", code::scc, 1}};

uint16_t number_at(std::string_view text) {
  uint16_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

// "VGPR4_VGPR5" -> v[4:5]. Registers that hold constants (apertures, vccz)
// and those that nobody writes (MODE) are none.
std::optional<RegisterRange> range_of(std::string_view name, uint32_t accum_offset) {
  const auto pieces = static_cast<uint8_t>(1 + std::count(name.begin(), name.end(), '_'));
  if (name.starts_with("VGPR")) return RegisterRange{File::vector, false, number_at(name.substr(4)), pieces};
  if (name.starts_with("AGPR"))
    return RegisterRange{File::vector, false, static_cast<uint16_t>(number_at(name.substr(4)) + accum_offset),
                         pieces};
  if (name.starts_with("SGPR") && name[4] >= '0' && name[4] <= '9')
    return RegisterRange{File::scalar, false, number_at(name.substr(4)), pieces};
  if (name.starts_with("TTMP")) {
    const auto tuple = static_cast<uint8_t>(name.ends_with("_vi") ? pieces - 1 : pieces);
    return RegisterRange{File::scalar, false, static_cast<uint16_t>(code::ttmp + number_at(name.substr(4))),
                         tuple};
  }
  for (const Named& candidate : named) // LLVM has several of one register: FLAT_SCR_LO_vi
    if (name == candidate.name || (name.starts_with(candidate.name) && name[candidate.name.size()] == '_' &&
                                   name.substr(candidate.name.size() + 1).find_first_of("LH") != 0))
      return RegisterRange{File::scalar, false, static_cast<uint16_t>(candidate.code), candidate.count};
  return std::nullopt;
}

// LLVM lets every LDS instruction read M0; on gfx9 these do (machine_gfx950.md section 1.3).
bool reads_m0(const Instruction& in, std::string_view mnemonic) {
  if (is_lds_dma(in) || memory_of(in).segment == Segment::lds_by_m0 || moves_by_m0(scalar_of(in)))
    return true;
  for (std::string_view name : {"ds_gws", "s_sendmsg", "s_ttracedata"})
    if (mnemonic.starts_with(name)) return true;
  return false;
}

// Both results may take the same value of a pair of FP32 (op_sel, op_sel_hi): then the other one is not read.
RegisterRange taken_half(const Instruction& in, int source, RegisterRange pair) {
  const int low = in.op_sel >> source & 1, high = in.op_sel_hi >> source & 1;
  if (low != high) return pair;
  return {pair.file, pair.implicit, static_cast<uint16_t>(pair.first + low), 1};
}

} // namespace

void Uses::add_read(RegisterRange range) {
  if (read_count_ < std::size(read_)) read_[read_count_++] = range;
}
void Uses::add_write(RegisterRange range) {
  if (write_count_ < std::size(write_)) write_[write_count_++] = range;
}

Uses uses_of(const Instruction& in, uint32_t accum_offset) {
  Uses uses;
  const std::span<const uint8_t> bytes{reinterpret_cast<const uint8_t*>(in.words), in.bytes};
  const std::string unimplemented = in.row ? "" : identify(bytes, in.address).mnemonic;
  const std::string_view mnemonic = in.row ? in.row->mnemonic : std::string_view(unimplemented);
  const bool packed = valu_of(in).flow == ValuFlow::packed_words;
  int source = 0; // of a packed instruction; constants are no registers
  for (const McRegister& reg : registers(bytes, in.address)) {
    auto range = range_of(reg.name, accum_offset);
    if (!range) continue;
    range->implicit = reg.implicit;
    if (reg.implicit && !reg.written && reg.name.starts_with("M0") && !reads_m0(in, mnemonic)) continue;
    if (packed && !reg.written && !reg.implicit) {
      while (in.src[source].kind == Source::Kind::constant) ++source;
      range = taken_half(in, source++, *range);
    }
    reg.written ? uses.add_write(*range) : uses.add_read(*range);
  }
  if (sets_index(control_of(in))) uses.add_read({File::scalar, true, code::m0, 1}); // it writes a part of M0
  // LLVM does not say that these read their destination (ISA guide, SOP1 and SOPK).
  if (scalar_of(in) == ScalarRole::updates && !uses.writes().empty()) uses.add_read(uses.writes().front());
  return uses;
}

std::string name_of(const RegisterRange& range, uint32_t accum_offset) {
  const auto numbered = [&](char letter, unsigned first) {
    return range.count == 1 ? fmt::format("{}{}", letter, first)
                            : fmt::format("{}[{}:{}]", letter, first, first + range.count - 1u);
  };
  if (range.file == File::vector)
    return range.first < accum_offset ? numbered('v', range.first)
                                      : numbered('a', range.first - accum_offset);
  switch (range.first) {
  case code::flat_scratch: return "flat_scratch";
  case code::vcc: return "vcc";
  case code::vcc + 1: return "vcc_hi";
  case code::m0: return "m0";
  case code::exec: return "exec";
  case code::exec + 1: return "exec_hi";
  case code::scc: return "scc";
  default: return numbered('s', range.first);
  }
}

} // namespace fmha950::isa
