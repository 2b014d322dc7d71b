#include "emulator/observe/mutation/mutation.hpp"

#include "emulator/isa/waitcnt.hpp"
#include "emulator/loader/code_object.hpp"
#include "emulator/machine/memory_queue.hpp"
#include "emulator/observe/mutation/reachability.hpp"
#include "emulator/program/row.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>

namespace fmha950::observe {
namespace {

using isa::Instruction;

constexpr std::string_view names[] = {"vmcnt+1",  "vmcnt-drop",  "lgkmcnt+1", "lgkmcnt-drop", "barrier-drop",
                                      "nop-drop", "num_records", "wait-drop", "trap"};
std::string_view name_of(Change change) { return names[static_cast<size_t>(change)]; }

void add_mutations(const Instruction& in, uint64_t offset, std::vector<Mutation>& result) {
  const isa::ControlRole role = isa::control_of(in);
  if (role == isa::ControlRole::barrier) result.push_back({offset, Change::barrier_dropped});
  if (role == isa::ControlRole::nop) result.push_back({offset, Change::nop_dropped});
  if (role != isa::ControlRole::waitcnt) return;
  const auto add = [&](int count, int none, Change loosened, Change dropped) {
    if (count + 1 < none) result.push_back({offset, loosened});
    if (count < none) result.push_back({offset, dropped});
  };
  const isa::Waitcnt wait = isa::waitcnt_of(in.simm16);
  add(wait.vmcnt, machine::MemoryQueues::vmcnt_max, Change::vmcnt_loosened, Change::vmcnt_dropped);
  add(wait.lgkmcnt, machine::MemoryQueues::lgkmcnt_max, Change::lgkmcnt_loosened, Change::lgkmcnt_dropped);
}

// "0x0-0x1a0,0x1b4-0x1b4": offsets, the last of a range included.
std::string ranges_of(const FunctionCode& code, const std::vector<bool>& places) {
  const std::vector<Instruction>& all = code.block.instructions;
  std::vector<std::string> ranges;
  for (size_t i = 0; i < places.size(); ++i) {
    if (!places[i] || all[i].address < code.entry) continue;
    const size_t first = i;
    while (i + 1 < places.size() && places[i + 1]) ++i;
    ranges.push_back(
        fmt::format("{:#x}-{:#x}", all[first].address - code.entry, all[i].address - code.entry));
  }
  return fmt::format("{}", fmt::join(ranges, ","));
}

} // namespace

std::span<const std::string_view> changes_of_mutants() { return names; }
bool is_change_of_mutants(std::string_view name) { return std::ranges::find(names, name) != std::end(names); }

std::vector<Mutation> mutations_of(const FunctionCode& code) {
  const std::vector<bool> reached = Reachability(code.block).after(code.index_at(0));
  const auto users = resource_users(code);
  std::vector<Mutation> result;
  for (size_t i = 0; i < code.block.instructions.size(); ++i) {
    if (!reached[i]) continue;
    const uint64_t offset = code.block.instructions[i].address - code.entry;
    add_mutations(code.block.instructions[i], offset, result);
    if (const auto user = users.find(i); user != users.end() && user->second == i)
      result.push_back({offset, Change::num_records});
  }
  return result;
}

std::vector<Mutation> mutations_of(const loader::Kernel& kernel) {
  return mutations_of(function_code(kernel, ""));
}

std::vector<uint64_t> offsets_of_users(const loader::Kernel& kernel, const Mutation& mutation) {
  const FunctionCode code = function_code(kernel, "");
  const size_t index = code.index_at(mutation.offset);
  std::vector<uint64_t> offsets;
  for (const auto& [user, first] : resource_users(code))
    if (first == index) offsets.push_back(code.block.instructions[user].address - code.entry);
  return offsets;
}

std::string id_of(const FunctionCode& code, const Mutation& mutation) {
  return fmt::format("{}+{:#x}:{}", code.name, mutation.offset, name_of(mutation.change));
}

std::string id_of(const loader::Kernel& kernel, const Mutation& mutation) {
  return id_of(function_code(kernel, ""), mutation);
}

std::string list_mutants(const loader::Kernel& kernel) {
  std::string text;
  const FunctionCode code = function_code(kernel, "");
  const Reachability paths(code.block);
  for (const Mutation& mutation : mutations_of(code)) {
    const size_t index = code.index_at(mutation.offset);
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", id_of(code, mutation),
                        kernel.object->source_line(code.entry + mutation.offset),
                        isa::disassemble(code.block.instructions[index]),
                        ranges_of(code, paths.before(index)), ranges_of(code, paths.after(index)));
  }
  return text;
}

} // namespace fmha950::observe
