#include "emulator/observe/mutation/mutation.hpp"

#include "emulator/isa/decode/opcode_table.hpp"
#include "emulator/isa/uses.hpp"
#include "emulator/isa/waitcnt.hpp"
#include "emulator/loader/code_object.hpp"
#include "emulator/machine/memory_queue.hpp"
#include "emulator/machine/wave.hpp"
#include "emulator/memory/fault.hpp"
#include "emulator/observe/mutation/change_list.hpp"
#include "emulator/observe/mutation/code_edits.hpp"
#include "emulator/observe/mutation/internal_instruction.hpp"
#include "emulator/observe/mutation/reachability.hpp"
#include "emulator/program/row.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <map>

namespace fmha950::observe {
namespace {

using isa::Encoding;
using isa::Instruction;
using Block = isa::Program::Block;

constexpr std::string_view names[] = {"vmcnt+1",  "vmcnt-drop",  "lgkmcnt+1", "lgkmcnt-drop", "barrier-drop",
                                      "nop-drop", "num_records", "wait-drop", "trap"};
std::string_view name_of(Change change) { return names[static_cast<size_t>(change)]; }

const Block& code_of(const loader::Kernel& kernel) {
  const auto function = kernel.object->function_at(kernel.entry);
  if (!function) throw NoSuchMutant(fmt::format("kernel {}: its entry is no code", kernel.name));
  return kernel.object->program().decode(function->begin, function->end, kernel.accum_offset);
}

size_t index_at(const Block& block, uint64_t address) {
  const Instruction* in = block.at(address);
  return in ? static_cast<size_t>(in - block.instructions.data()) : 0;
}
std::vector<bool> reachable(const Block& block, uint64_t entry) {
  return Reachability(block).after(index_at(block, entry));
}

bool uses_resource(const Instruction& in) {
  const isa::MemoryFacts& memory = isa::memory_of(in);
  return memory.segment == isa::Segment::buffer && memory.has_data();
}

// For every instruction that uses a resource descriptor: the first one in the code that uses the same.
std::map<size_t, size_t> resources(const Block& block, const std::vector<bool>& reached,
                                   uint32_t accum_offset) {
  std::map<size_t, size_t> first_user;
  std::map<std::pair<int, size_t>, size_t> first_of; // by SGPR of num_records and its writer
  std::map<int, size_t> writer;                      // by SGPR
  for (size_t i = 0; i < block.instructions.size(); ++i) {
    const Instruction& in = block.instructions[i];
    if (in.bytes == 0 || !reached[i]) continue;
    if (uses_resource(in)) {
      const int num_records = in.saddr + 2;
      const auto found = writer.find(num_records);
      const std::pair key(num_records, found == writer.end() ? SIZE_MAX : found->second);
      first_user[i] = first_of.try_emplace(key, i).first->second;
    }
    const isa::Uses uses = isa::uses_of(in, accum_offset);
    for (const isa::RegisterRange& range : uses.writes())
      if (range.file == isa::RegisterRange::File::scalar)
        for (int r = range.first; r < range.first + range.count; ++r) writer[r] = i;
  }
  return first_user;
}

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

bool is_of_wait(Change change) {
  return change == Change::vmcnt_loosened || change == Change::vmcnt_dropped ||
         change == Change::lgkmcnt_loosened || change == Change::lgkmcnt_dropped;
}

// A field stays in its range where several mutants change it.
void set_wait(Instruction& in, isa::Waitcnt wait) {
  wait.vmcnt = std::min<int>(wait.vmcnt, machine::MemoryQueues::vmcnt_max);
  wait.lgkmcnt = std::min<int>(wait.lgkmcnt, machine::MemoryQueues::lgkmcnt_max);
  in.simm16 = isa::with_waitcnt(in.simm16, wait);
  in.words[0] = (in.words[0] & 0xFFFF0000) | static_cast<uint16_t>(in.simm16);
}

// Executes a buffer instruction with num_records all ones; it reads its descriptor at issue.
void execute_without_bounds(machine::Wave& wave, const Instruction& in) {
  uint32_t& num_records = wave.sgpr[in.saddr + 2];
  const uint32_t own = num_records;
  num_records = ~0u;
  try {
    in.row->execute(wave, in);
  } catch (...) {
    num_records = own;
    throw;
  }
  num_records = own;
}

void trap(machine::Wave&, const Instruction&) { machine::raise_fault(trap_text); }

void mutate(const loader::Kernel& kernel, const Mutation& mutation, CodeEdits& edits) {
  const size_t index = index_at(edits.original, kernel.entry + mutation.offset);
  Instruction& in = edits.own[index];
  isa::Waitcnt wait = isa::waitcnt_of(in.simm16);
  switch (mutation.change) {
  case Change::vmcnt_loosened: set_wait(in, {wait.vmcnt + 1, wait.lgkmcnt}); break;
  case Change::vmcnt_dropped: set_wait(in, {machine::MemoryQueues::vmcnt_max, wait.lgkmcnt}); break;
  case Change::lgkmcnt_loosened: set_wait(in, {wait.vmcnt, wait.lgkmcnt + 1}); break;
  case Change::lgkmcnt_dropped: set_wait(in, {wait.vmcnt, machine::MemoryQueues::lgkmcnt_max}); break;
  case Change::barrier_dropped:
  case Change::wait_dropped:
  case Change::nop_dropped: edits.removed[index] = true; break;
  case Change::trap: in.execute = trap; [[fallthrough]]; // at every user of a resource
  case Change::num_records:
    for (const auto& [user, first] :
         resources(edits.original, reachable(edits.original, kernel.entry), kernel.accum_offset))
      if (first == index)
        edits.own[user].execute = mutation.change == Change::trap ? trap : execute_without_bounds;
  }
}

[[noreturn]] void refuse(const ListedChange& change, std::string_view why) {
  throw NoSuchMutant(fmt::format("mutant = {}: {}", change.id, why));
}

size_t place_of(const loader::Kernel& kernel, const Block& code, const ListedChange& change,
                uint64_t offset) {
  const Instruction* in = code.at(kernel.entry + offset);
  if (!in || in->address != kernel.entry + offset)
    refuse(change, fmt::format("kernel {} has no instruction at {:#x}", kernel.name, offset));
  return static_cast<size_t>(in - code.instructions.data());
}

void insert(const loader::Kernel& kernel, const ListedChange& change, const Insertion& insertion,
            bool is_doubted, CodeEdits& edits) {
  std::string none;
  auto instructions = parse_internal(insertion.instructions, none);
  for (Instruction& in : instructions) in.is_doubted = is_doubted;
  const size_t at = place_of(kernel, edits.original, change, change.offset);
  std::pair edge(at, at + 1);
  if (insertion.where == Insertion::Where::edge)
    edge = {place_of(kernel, edits.original, change, insertion.from), at};
  if (insertion.where != Insertion::Where::before && !is_edge(edits.original, edge.first, edge.second))
    refuse(change, "execution does not go from the one to the other");
  auto& there = insertion.where == Insertion::Where::before ? edits.before[at] : edits.on_edge[edge];
  there.insert(there.end(), instructions.begin(), instructions.end());
}

void tighten(const loader::Kernel& kernel, const ListedChange& change, Tightened tightened, bool is_doubted,
             CodeEdits& edits) {
  Instruction& in = edits.own[place_of(kernel, edits.original, change, change.offset)];
  if (isa::control_of(in) != isa::ControlRole::waitcnt)
    refuse(change, "the instruction there is no s_waitcnt");
  isa::Waitcnt wait = isa::waitcnt_of(in.simm16);
  int& count = tightened.is_vmcnt ? wait.vmcnt : wait.lgkmcnt;
  if (tightened.count >= count)
    refuse(change, fmt::format("must be below {}, for which it waits by itself", count));
  count = tightened.count;
  if (is_doubted && !in.is_doubted) in.trusted_simm16 = static_cast<int16_t>(in.simm16);
  in.is_doubted |= is_doubted;
  set_wait(in, wait);
}

Mutation mutation_named(const loader::Kernel& kernel, const std::vector<Mutation>& all,
                        const ListedChange& change) {
  for (Mutation mutation : all) {
    if (change.id == id_of(kernel, {mutation.offset, Change::trap})) mutation.change = Change::trap;
    if (is_of_wait(mutation.change) && change.id == id_of(kernel, {mutation.offset, Change::wait_dropped}))
      mutation.change = Change::wait_dropped;
    if (change.id == id_of(kernel, mutation)) return mutation;
  }
  refuse(change, fmt::format("kernel {} has none of that id", kernel.name));
}

// "0x0-0x1a0,0x1b4-0x1b4": offsets from the kernel's entry, the last of a range included.
std::string ranges_of(const loader::Kernel& kernel, const Block& block, const std::vector<bool>& places) {
  std::vector<std::string> ranges;
  for (size_t i = 0; i < places.size(); ++i) {
    if (!places[i] || block.instructions[i].address < kernel.entry) continue;
    const size_t first = i;
    while (i + 1 < places.size() && places[i + 1]) ++i;
    ranges.push_back(fmt::format("{:#x}-{:#x}", block.instructions[first].address - kernel.entry,
                                 block.instructions[i].address - kernel.entry));
  }
  return fmt::format("{}", fmt::join(ranges, ","));
}

} // namespace

std::span<const std::string_view> changes_of_mutants() { return names; }
bool is_change_of_mutants(std::string_view name) { return std::ranges::find(names, name) != std::end(names); }

std::vector<Mutation> mutations_of(const loader::Kernel& kernel) {
  const Block& block = code_of(kernel);
  const std::vector<bool> reached = reachable(block, kernel.entry);
  const auto users = resources(block, reached, kernel.accum_offset);
  std::vector<Mutation> result;
  for (size_t i = 0; i < block.instructions.size(); ++i) {
    if (!reached[i]) continue;
    const uint64_t offset = block.instructions[i].address - kernel.entry;
    add_mutations(block.instructions[i], offset, result);
    if (const auto user = users.find(i); user != users.end() && user->second == i)
      result.push_back({offset, Change::num_records});
  }
  return result;
}

std::vector<uint64_t> offsets_of_users(const loader::Kernel& kernel, const Mutation& mutation) {
  const Block& block = code_of(kernel);
  const size_t index = index_at(block, kernel.entry + mutation.offset);
  std::vector<uint64_t> offsets;
  for (const auto& [user, first] : resources(block, reachable(block, kernel.entry), kernel.accum_offset))
    if (first == index) offsets.push_back(block.instructions[user].address - kernel.entry);
  return offsets;
}

std::string id_of(const loader::Kernel& kernel, const Mutation& mutation) {
  return fmt::format("{}+{:#x}:{}", kernel.name, mutation.offset, name_of(mutation.change));
}

std::string list_mutants(const loader::Kernel& kernel) {
  std::string text;
  const Block& block = code_of(kernel);
  const Reachability paths(block);
  for (const Mutation& mutation : mutations_of(kernel)) {
    const uint64_t address = kernel.entry + mutation.offset;
    const size_t index = index_at(block, address);
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", id_of(kernel, mutation), kernel.object->source_line(address),
                        isa::disassemble(block.instructions[index]),
                        ranges_of(kernel, block, paths.before(index)),
                        ranges_of(kernel, block, paths.after(index)));
  }
  return text;
}

bool parse_mutant(std::string_view text, std::string& error) {
  return text.empty() || !parse_changes(text, error).empty();
}

const Block* mutant_code(const loader::Kernel& kernel, const std::string& text, uint32_t first_doubted) {
  std::string error;
  const std::vector<ListedChange> changes = parse_changes(text, error);
  if (changes.empty()) throw NoSuchMutant(fmt::format("mutant = {}: {}", text, error));
  if (changes.front().kernel != kernel.name) return nullptr;
  isa::Program& program = kernel.object->program();
  const std::string name = fmt::format("{} {}", first_doubted, text);
  if (const Block* known = program.find_copy(name)) return known;
  const std::vector<Mutation> all = mutations_of(kernel);
  CodeEdits edits(code_of(kernel));
  for (size_t i = 0; i < changes.size(); ++i) {
    const ListedChange& change = changes[i];
    const bool is_doubted = first_doubted > 0 && i + 1 >= first_doubted;
    if (const auto insertion = insertion_in(change.change))
      insert(kernel, change, *insertion, is_doubted, edits);
    else if (const auto tightened = tightened_in(change.change))
      tighten(kernel, change, *tightened, is_doubted, edits);
    else
      mutate(kernel, mutation_named(kernel, all, change), edits);
  }
  return &program.keep_copy(name, copy_with(edits));
}

} // namespace fmha950::observe
