#include "emulator/observe/mutation/internal_instruction.hpp"

#include "emulator/isa/decode/opcode_table.hpp"
#include "emulator/isa/waitcnt.hpp"
#include "emulator/machine/memory_queue.hpp"
#include "emulator/program/row.hpp"

#include <charconv>
#include <fmt/format.h>
#include <optional>

namespace fmha950::observe {
namespace {

using machine::MemoryQueues;

constexpr uint32_t sopp = 0xBF800000;
enum Opcode : uint32_t { op_nop = 0, op_branch = 2, op_barrier = 10, op_waitcnt = 12 };
constexpr int32_t no_wait = 0xCF7F; // every field at its largest

isa::Instruction instruction(Opcode opcode, int32_t simm16, uint64_t address = 0) {
  const uint32_t word = sopp | opcode << 16 | (static_cast<uint32_t>(simm16) & 0xFFFF);
  return isa::decode_instruction(reinterpret_cast<const uint8_t*>(&word), sizeof word, address, 0);
}

std::optional<int> number_below(std::string_view text, int limit) {
  int value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || value < 0 || value >= limit) return {};
  return value;
}

// "vmcnt(4)"; the largest count waits for nothing
bool parse_counter(std::string_view text, isa::Waitcnt& wait) {
  const auto counter = [&](std::string_view name, int limit, int& count) {
    if (!text.starts_with(name) || !text.ends_with(')')) return false;
    const auto value = number_below(text.substr(name.size(), text.size() - name.size() - 1), limit);
    if (value) count = *value;
    return value.has_value();
  };
  return counter("vmcnt(", MemoryQueues::vmcnt_max + 1, wait.vmcnt) ||
         counter("lgkmcnt(", MemoryQueues::lgkmcnt_max + 1, wait.lgkmcnt);
}

// "vmcnt(4) lgkmcnt(0)"
std::optional<isa::Instruction> parse_wait(std::string_view counters) {
  isa::Waitcnt wait = isa::waitcnt_of(no_wait);
  if (counters.empty()) return {};
  while (!counters.empty()) {
    const size_t end = std::min(counters.find(' '), counters.size());
    if (!parse_counter(counters.substr(0, end), wait)) return {};
    counters.remove_prefix(std::min(end + 1, counters.size()));
  }
  return instruction(op_waitcnt, isa::with_waitcnt(no_wait, wait));
}

std::optional<isa::Instruction> parse_one(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(' '));
  const std::string_view operands = text.substr(std::min(name.size() + 1, text.size()));
  const isa::Row* row = isa::find_row(std::string(name));
  switch (row ? row->control : isa::ControlRole::none) {
  case isa::ControlRole::barrier:
    return operands.empty() ? std::optional(instruction(op_barrier, 0)) : std::nullopt;
  case isa::ControlRole::waitcnt: return parse_wait(operands);
  case isa::ControlRole::nop: {
    const auto states = number_below(operands, 16);
    return states ? std::optional(instruction(op_nop, *states)) : std::nullopt;
  }
  default: return {};
  }
}

} // namespace

isa::Instruction s_branch(uint64_t address) { return instruction(op_branch, 0, address); }

std::vector<isa::Instruction> parse_internal(std::string_view text, std::string& error) {
  std::vector<isa::Instruction> instructions;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(';', begin), text.size());
    const auto parsed = parse_one(text.substr(begin, end - begin));
    if (!parsed) {
      error = fmt::format(
          "'{}' must be s_waitcnt with vmcnt(0 to {}) or lgkmcnt(0 to {}), s_barrier, or s_nop 0 to 15",
          text.substr(begin, end - begin), MemoryQueues::vmcnt_max, MemoryQueues::lgkmcnt_max);
      return {};
    }
    instructions.push_back(*parsed);
    begin = end + 1;
  }
  return instructions;
}

} // namespace fmha950::observe
