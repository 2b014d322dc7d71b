#include "emulator/assembly/code_text.hpp"

#include "emulator/program/row.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace fmha950::assembly {
namespace {

using isa::Instruction;

// "" for what means the same wherever it stands.
const char* bound_to_place(const Instruction& in) {
  using Role = isa::ControlRole;
  const Role role = isa::control_of(in);
  if (role == Role::call || role == Role::call_relative)
    return "the file would lack the function that it calls";
  if (role == Role::jump || role == Role::fork || role == Role::return_from_trap)
    return "it goes where a register says, an address of the unchanged code";
  return "";
}

// "s_add_u32 s4, s4, 0x123": of an SGPR and a literal, which is the second word.
bool adds_literal(const Instruction& in, isa::Arithmetic how, uint16_t sgpr) {
  using Kind = isa::Source::Kind;
  return in.row && in.encoding == isa::Encoding::sop2 && in.row->arithmetic == how && in.bytes == 8 &&
         in.dst == sgpr && in.src[0].kind == Kind::sgpr && in.src[0].index == sgpr &&
         in.src[1].kind == Kind::constant;
}

std::string raw(const Instruction& in) {
  return fmt::format(".long {:#x}", fmt::join(in.words, in.words + in.bytes / 4, ", "));
}

} // namespace

CodeText::CodeText(const loader::Kernel& kernel, const isa::Program::Block& original,
                   const isa::Program::Block& changed)
    : kernel_(kernel), original_(original), data_(*kernel.object) {
  for (const Instruction& in : changed.instructions) {
    if (in.bytes == 0) continue; // a guard
    if (const char* why = bound_to_place(in); *why && not_written_.empty())
      not_written_ = fmt::format("{} at +{:#x}: {}", isa::disassemble(in), offset_of(in), why);
    instructions_.push_back(in);
    if (isa::is_relative_branch(in)) point(size() - 1, (&in)[in.target]);
  }
  is_raw_.resize(size());
  find_distances();
}

// LLVM's s_getpc_b64, s_add_u32, s_addc_u32 are one bundle (SIInstrInfo.cpp, SI_PC_ADD_REL_OFFSET): nothing else stands
// between. "", or why the place is not one of these.
std::string CodeText::refer(size_t getpc) {
  const Instruction& in = instructions_[getpc];
  if (getpc + 2 >= size() || !adds_literal(instructions_[getpc + 1], isa::Arithmetic::add_unsigned, in.dst) ||
      !adds_literal(instructions_[getpc + 2], isa::Arithmetic::add_carry, static_cast<uint16_t>(in.dst + 1)))
    return "no s_add_u32 and s_addc_u32 of constants behind it say what it leads to, which would lie "
           "elsewhere";
  const Instruction &low = instructions_[getpc + 1], &high = instructions_[getpc + 2];
  const bool is_entered = std::ranges::any_of(labels_, [&](const auto& label) {
    const uint64_t target = label.second + kernel_.entry;
    return target == low.laid_out_at || target == high.laid_out_at;
  });
  if (is_entered) return "a branch goes between it and what is added to it";
  const uint64_t after = in.address + in.bytes;
  std::string why;
  const auto place = data_.refer(after + (uint64_t{high.words[1]} << 32 | low.words[1]), why);
  if (!place) return why;
  // Distances count from the constants, which lie 4 and 12 bytes behind the address that s_getpc gives.
  distances_[getpc + 1] = fmt::format("{}@rel32@lo+{}", place->label, place->offset + 4);
  distances_[getpc + 2] = fmt::format("{}@rel32@hi+{}", place->label, place->offset + 12);
  return {};
}

void CodeText::find_distances() {
  for (size_t i = 0; i < size(); ++i) {
    if (!isa::reads_pc(instructions_[i]) || !not_written_.empty()) continue;
    if (const std::string why = refer(i); !why.empty())
      not_written_ = fmt::format("{} at +{:#x}: {}", isa::disassemble(instructions_[i]),
                                 offset_of(instructions_[i]), why);
  }
}

void CodeText::point(size_t branch, const Instruction& target) {
  Instruction& in = instructions_[branch];
  const int64_t dwords = static_cast<int64_t>(target.laid_out_at - in.laid_out_at) / 4 - 1;
  const bool is_far = dwords != static_cast<int16_t>(dwords);
  if ((target.bytes == 0 || is_far) && not_written_.empty())
    not_written_ = fmt::format("the branch at +{:#x} goes {}", offset_of(in),
                               is_far ? "farther than one can" : "out of the kernel's code");
  in.words[0] = (in.words[0] & 0xFFFF0000) | static_cast<uint16_t>(dwords);
  labels_[branch] = target.laid_out_at - kernel_.entry;
}

std::string CodeText::instruction(size_t index) const {
  const Instruction& in = instructions_[index];
  return '\t' + (is_raw(index) ? raw(in) : isa::disassemble(in));
}

std::span<const std::byte> CodeText::bytes(size_t index) const {
  const Instruction& in = instructions_[index];
  return std::as_bytes(std::span(in.words)).first(in.bytes);
}

std::vector<std::byte> CodeText::all_bytes() const {
  std::vector<std::byte> all;
  for (size_t i = 0; i < size(); ++i) {
    std::ranges::copy(bytes(i), std::back_inserter(all));
    if (distances_.contains(i)) std::fill(all.end() - 4, all.end(), std::byte{0});
  }
  return all;
}

// With what was done to it behind.
std::string CodeText::line(size_t index) const {
  const Instruction& in = instructions_[index];
  const std::string text = isa::disassemble(in);
  if (in.inserted > 0) {
    const auto label = labels_.find(index);
    if (label != labels_.end()) return fmt::format("\ts_branch .L{:x} ; back", label->second);
    return fmt::format("\t{} ; inserted {} before +{:#x}", text, in.inserted, offset_of(in));
  }
  const Instruction* own = original_.at(in.address);
  const bool is_branch = labels_.contains(index);
  std::string line = instruction(index);
  if (is_branch && !is_raw(index)) line = fmt::format("\t{} .L{:x}", in.row->mnemonic, labels_.at(index));
  if (const auto distance = distances_.find(index); distance != distances_.end())
    return line.substr(0, line.rfind(' ') + 1) + distance->second;
  if (is_raw(index)) line += " ; " + text;
  if (!is_branch && !std::ranges::equal(in.words, own->words))
    line += fmt::format(" ; +{:#x}: was {}", offset_of(in), isa::disassemble(*own));
  return line;
}

std::string CodeText::text(const Notes& notes) const {
  std::set<uint64_t> targets;
  for (const auto& [branch, target] : labels_) targets.insert(target);
  std::string text, source;
  uint64_t noted = 0, next = kernel_.entry; // up to where notes are told; the original's next instruction
  for (size_t i = 0; i < size(); ++i) {
    const Instruction& in = instructions_[i];
    if (const uint64_t at = in.laid_out_at - kernel_.entry; targets.contains(at))
      text += fmt::format(".L{:x}:\n", at);
    for (; in.inserted == 0 && next < in.address; next += original_.at(next)->bytes)
      text += fmt::format("\t; +{:#x}: {} is gone\n", next - kernel_.entry,
                          isa::disassemble(*original_.at(next)));
    if (in.inserted == 0) next = in.address + in.bytes;
    const std::string here = kernel_.object->source_line(in.address);
    if (here != source && !here.empty()) text += fmt::format("\t; {}\n", here);
    source = here;
    for (auto note = notes.lower_bound(noted); note != notes.end() && note->first <= offset_of(in); ++note)
      text += fmt::format("\t; {}\n", note->second);
    noted = std::max(noted, offset_of(in) + 1);
    text += line(i) + '\n';
  }
  return text;
}

} // namespace fmha950::assembly
