#include "emulator/observe/breakpoint/breakpoint.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/loader/code_symbol.hpp"
#include "emulator/machine/initial_state.hpp"
#include "emulator/machine/workgroup.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <vector>

namespace fmha950::observe {
namespace {

using machine::Wave;

template <class Number> bool parse_number(std::string_view text, Number& number) {
  const bool hex = text.starts_with("0x");
  const std::string_view digits = hex ? text.substr(2) : text;
  const auto [end, code] =
      std::from_chars(digits.data(), digits.data() + digits.size(), number, hex ? 16 : 10);
  return !digits.empty() && code == std::errc() && end == digits.data() + digits.size();
}

bool parse_place(std::string_view text, BreakPlace& place) {
  if (const size_t plus = text.rfind("+0x"); plus != text.npos && plus > 0) {
    place.kernel = text.substr(0, plus);
    return parse_number(text.substr(plus + 1), place.offset);
  }
  const size_t colon = text.rfind(':');
  if (colon == text.npos || colon == 0) return false;
  place.file = text.substr(0, colon);
  return parse_number(text.substr(colon + 1), place.line) && place.line > 0;
}

bool parse_window(std::string_view text, BreakPlace& place) {
  const size_t plus = text.find('+');
  return plus != text.npos && parse_number(text.substr(0, plus), place.lds_begin) &&
         parse_number(text.substr(plus + 1), place.lds_bytes);
}

// 64 lanes: one value, a progression, or all of them, eight to a line.
std::string lanes_text(const uint32_t* lanes) {
  const uint32_t step = lanes[1] - lanes[0];
  bool even = true;
  for (uint32_t l = 1; l < 64; ++l) even &= lanes[l] - lanes[l - 1] == step;
  if (even && step == 0) return fmt::format("{:08x} in every lane", lanes[0]);
  if (even) return fmt::format("{:08x} + {:#x} * lane", lanes[0], step);
  std::string text;
  for (int l = 0; l < 64; l += 8)
    text += fmt::format("{}{:08x}", l == 0 ? "" : "\n         ", fmt::join(lanes + l, lanes + l + 8, " "));
  return text;
}

std::string vgprs(const Wave& wave) {
  std::string text;
  for (uint32_t v = 0; v < wave.vgpr_count; ++v) {
    const uint32_t* lanes = wave.lanes(static_cast<int>(v));
    if (std::all_of(lanes, lanes + 64, [](uint32_t lane) { return lane == machine::stale_register; }))
      continue;
    const bool acc = v >= wave.accum_offset;
    const std::string name = fmt::format("{}{}", acc ? 'a' : 'v', acc ? v - wave.accum_offset : v);
    text += fmt::format("  {:<6} {}\n", name, lanes_text(lanes));
  }
  return text;
}

std::string sgprs(const Wave& wave) {
  std::string text;
  for (int first = 0; first < machine::code::flat_scratch; first += 8) {
    const int last = std::min(first + 8, machine::code::flat_scratch);
    if (std::any_of(wave.sgpr + first, wave.sgpr + last, [](uint32_t word) { return word != 0; }))
      text += fmt::format("  s{:<5} {:08x}\n", first, fmt::join(wave.sgpr + first, wave.sgpr + last, " "));
  }
  return text;
}

std::string lds(const machine::Workgroup& workgroup, const BreakPlace& place) {
  std::string text;
  const uint64_t end = std::min<uint64_t>(uint64_t{place.lds_begin} + place.lds_bytes, workgroup.lds_bytes);
  for (uint64_t at = place.lds_begin; at < end; at += 32) {
    const uint8_t *from = workgroup.lds + at, *to = workgroup.lds + std::min(at + 32, end);
    if (std::any_of(from, to, [](uint8_t byte) { return byte != machine::stale_lds; }))
      text += fmt::format("  lds {:#07x} {:02x}\n", at, fmt::join(from, to, " "));
  }
  return text;
}

} // namespace

bool parse_break(std::string_view text, BreakPlace& place, std::string& error) {
  BreakPlace parsed;
  const size_t comma = text.find(',');
  if (parse_place(text.substr(0, comma), parsed) &&
      (comma == text.npos || parse_window(text.substr(comma + 1), parsed))) {
    place = parsed;
    return true;
  }
  error =
      "must be FILE:LINE or KERNEL+0xOFFSET, then perhaps ,BEGIN+BYTES of LDS: attention.hip:120,0x400+64";
  return false;
}

// "+0x10", "function+0x10"
std::string place_of(const loader::Kernel& kernel, uint64_t address) {
  const std::string text = loader::place_text(kernel, address);
  return text.starts_with("0x") ? "+" + text : text;
}

std::string state_of(const Wave& wave, const BreakPlace& place) {
  const machine::Workgroup& workgroup = *wave.workgroup;
  const loader::Kernel& kernel = *workgroup.launch->kernel;
  const isa::Instruction& in = *wave.current;
  std::string text = fmt::format(
      "break at {}\n  kernel {}, workgroup ({}, {}, {}), wave {}, instruction number {}\n  {} {}\n",
      kernel.object->source_line(in.address), kernel.name, workgroup.id[0], workgroup.id[1], workgroup.id[2],
      wave.index, wave.executed, place_of(kernel, in.address), isa::disassemble(in));
  text += fmt::format("  exec   {:016x}  vcc {:016x}  m0 {:08x}  scc {:d}  mode {:#x}\n", wave.exec(),
                      wave.vcc(), wave.sgpr[machine::code::m0], wave.scc, wave.mode);
  text += fmt::format("  in flight: vmcnt {}, lgkmcnt {}\n", wave.memory.vmcnt(), wave.memory.lgkmcnt());
  return text + sgprs(wave) + vgprs(wave) + lds(workgroup, place);
}

class Breakpoint::Listener final : public machine::WorkgroupListener {
 public:
  explicit Listener(Breakpoint& owner) : owner_(owner) {}
  void started(machine::Workgroup& workgroup) override { stopped_.assign(workgroup.waves.size(), false); }
  void before(Wave& wave, const isa::Instruction& in) override {
    if (in.inserted || !owner_.addresses_.contains(in.address)) return;
    const auto index = static_cast<size_t>(wave.index);
    if (stopped_[index]) return;
    stopped_[index] = true;
    if (owner_.stops_++ < most_waves) owner_.print_(state_of(wave, owner_.place_));
  }

 private:
  Breakpoint& owner_;
  std::vector<bool> stopped_; // by wave: its first time has come
};

Breakpoint::Breakpoint(const machine::Launch& launch, BreakPlace place,
                       std::function<void(const std::string&)> print)
    : place_(std::move(place)), print_(std::move(print)) {
  const loader::Kernel& kernel = *launch.kernel;
  if (!place_.kernel.empty()) {
    if (place_.kernel == kernel.name) addresses_.insert(kernel.entry + place_.offset);
    return;
  }
  const auto function = kernel.object->function_at(kernel.entry);
  if (!function) return;
  const std::string wanted = fmt::format("{}:{}", place_.file, place_.line);
  const auto& code = kernel.object->program().decode(function->begin, function->end, kernel.accum_offset);
  for (const isa::Instruction& in : code.instructions) {
    const std::string line = kernel.object->source_line(in.address);
    const bool whole_name = line.size() == wanted.size() ||
                            (line.size() > wanted.size() && line[line.size() - wanted.size() - 1] == '/');
    if (in.bytes > 0 && line.ends_with(wanted) && whole_name) addresses_.insert(in.address);
  }
}

std::unique_ptr<machine::WorkgroupListener> Breakpoint::join() { return std::make_unique<Listener>(*this); }

} // namespace fmha950::observe
