// Changes made: the code that a list of them says.
#include "emulator/isa/waitcnt.hpp"
#include "emulator/loader/code_object.hpp"
#include "emulator/machine/memory_queue.hpp"
#include "emulator/machine/wave.hpp"
#include "emulator/memory/fault.hpp"
#include "emulator/observe/mutation/change_list.hpp"
#include "emulator/observe/mutation/code_edits.hpp"
#include "emulator/observe/mutation/internal_instruction.hpp"
#include "emulator/observe/mutation/laid_out_anew.hpp"
#include "emulator/observe/mutation/mutation.hpp"
#include "emulator/program/row.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::observe {
namespace {

using isa::Instruction;

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

[[noreturn]] void refuse(const ListedChange& change, std::string_view why) {
  throw NoSuchMutant(fmt::format("mutant = {}: {}", change.id, why));
}

FunctionCode code_of(const loader::Kernel& kernel, const ListedChange& change) {
  try {
    return function_code(kernel, change.function);
  } catch (const NoSuchMutant& error) {
    refuse(change, error.what());
  }
}

// One function of the kernel, to which changes are made.
class ChangedFunction {
 public:
  explicit ChangedFunction(FunctionCode code) : code_(std::move(code)), edits_(code_.block) {}

  void make(const ListedChange& change, bool is_doubted) {
    if (const auto insertion = insertion_in(change.change))
      insert(change, *insertion, is_doubted);
    else if (const auto tightened = tightened_in(change.change))
      tighten(change, *tightened, is_doubted);
    else
      mutate(mutation_named(change));
  }
  std::unique_ptr<isa::Program::Block> copy() const { return copy_with(edits_); }

 private:
  // "kernel k", "function f"
  static std::string named(const ListedChange& change) {
    return change.function.empty() ? "kernel " + change.kernel : "function " + change.function;
  }

  void mutate(const Mutation& mutation) {
    const size_t index = code_.index_at(mutation.offset);
    Instruction& in = edits_.own[index];
    isa::Waitcnt wait = isa::waitcnt_of(in.simm16);
    switch (mutation.change) {
    case Change::vmcnt_loosened: set_wait(in, {wait.vmcnt + 1, wait.lgkmcnt}); break;
    case Change::vmcnt_dropped: set_wait(in, {machine::MemoryQueues::vmcnt_max, wait.lgkmcnt}); break;
    case Change::lgkmcnt_loosened: set_wait(in, {wait.vmcnt, wait.lgkmcnt + 1}); break;
    case Change::lgkmcnt_dropped: set_wait(in, {wait.vmcnt, machine::MemoryQueues::lgkmcnt_max}); break;
    case Change::barrier_dropped:
    case Change::wait_dropped:
    case Change::nop_dropped: edits_.removed[index] = true; break;
    case Change::trap: in.execute = trap; [[fallthrough]]; // at every user of a resource
    case Change::num_records:
      for (const auto& [user, first] : resource_users(code_))
        if (first == index)
          edits_.own[user].execute = mutation.change == Change::trap ? trap : execute_without_bounds;
    }
  }

  size_t place_of(const ListedChange& change, uint64_t offset) const {
    const Instruction* in = code_.block.at(code_.entry + offset);
    if (!in || in->address != code_.entry + offset)
      refuse(change, fmt::format("{} has no instruction at {:#x}", named(change), offset));
    return static_cast<size_t>(in - code_.block.instructions.data());
  }

  void insert(const ListedChange& change, const Insertion& insertion, bool is_doubted) {
    std::string none;
    auto instructions = parse_internal(insertion.instructions, none);
    for (Instruction& in : instructions) in.is_doubted = is_doubted;
    const size_t at = place_of(change, change.offset);
    std::pair edge(at, at + 1);
    if (insertion.where == Insertion::Where::edge) edge = {place_of(change, insertion.from), at};
    if (insertion.where != Insertion::Where::before && !is_edge(code_.block, edge.first, edge.second))
      refuse(change, "execution does not go from the one to the other");
    auto& there = insertion.where == Insertion::Where::before ? edits_.before[at] : edits_.on_edge[edge];
    there.insert(there.end(), instructions.begin(), instructions.end());
  }

  void tighten(const ListedChange& change, Tightened tightened, bool is_doubted) {
    Instruction& in = edits_.own[place_of(change, change.offset)];
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

  Mutation mutation_named(const ListedChange& change) const {
    for (Mutation mutation : mutations_of(code_)) {
      if (change.id == id_of(code_, {mutation.offset, Change::trap})) mutation.change = Change::trap;
      if (is_of_wait(mutation.change) && change.id == id_of(code_, {mutation.offset, Change::wait_dropped}))
        mutation.change = Change::wait_dropped;
      if (change.id == id_of(code_, mutation)) return mutation;
    }
    refuse(change, fmt::format("{} has none of that id", named(change)));
  }

  const FunctionCode code_;
  CodeEdits edits_;
};

} // namespace

bool parse_mutant(std::string_view text, std::string& error) {
  return text.empty() || !parse_changes(text, error).empty();
}

const isa::Program::Copies* mutant_code(const loader::Kernel& kernel, const std::string& text,
                                        uint32_t first_doubted) {
  std::string error;
  const std::vector<ListedChange> changes = parse_changes(text, error);
  if (changes.empty()) throw NoSuchMutant(fmt::format("mutant = {}: {}", text, error));
  if (changes.front().kernel != kernel.name) return nullptr;
  isa::Program& program = kernel.object->program();
  const std::string name = fmt::format("{} {}", first_doubted, text);
  if (const isa::Program::Copies* known = program.find_copies(name)) return known;
  std::map<std::string, ChangedFunction> changed; // by symbol
  for (size_t i = 0; i < changes.size(); ++i) {
    const ListedChange& change = changes[i];
    auto function = changed.find(change.function);
    if (function == changed.end())
      function = changed.try_emplace(change.function, code_of(kernel, change)).first;
    function->second.make(change, first_doubted > 0 && i + 1 >= first_doubted);
  }
  isa::Program::Copies copies;
  for (const auto& [symbol, function] : changed) copies.blocks.push_back(function.copy());
  make_room(kernel, copies);
  return &program.keep_copies(name, std::move(copies));
}

} // namespace fmha950::observe
