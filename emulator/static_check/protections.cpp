#include "emulator/static_check/protections.hpp"

#include "emulator/observe/mutation/mutation.hpp"
#include "emulator/program/row.hpp"
#include "emulator/static_check/proof.hpp"

#include <fmt/format.h>
#include <set>

namespace fmha950::static_check {
namespace {

using machine::Queue;
using Counter = int isa::Waitcnt::*;
using Verdict = Proof::Verdict;

constexpr struct Field {
  Counter counter;
  const char* name;
} fields[] = {{&isa::Waitcnt::vmcnt, "vmcnt"}, {&isa::Waitcnt::lgkmcnt, "lgkmcnt"}};

// What may be done to one protection.
struct Weaker {
  Proof proof;
  std::string enough, changes; // changes: without kernel and offset, commas between them
};

class Lister {
 public:
  Lister(const loader::Kernel& kernel, const isa::Program::Block& block)
      : kernel_(kernel), prover_(kernel, block), code_(prover_.code()) {}

  void add(size_t index, std::string& lines) const {
    const isa::Instruction& in = code_.instruction(index);
    switch (isa::control_of(in)) {
    case isa::ControlRole::waitcnt:
      for (const Field& field : fields) {
        const int limit = code_.steps()[index].limits.*field.counter;
        if (limit < Step::no_limits.*field.counter)
          lines += line(index, field.name, fmt::format("{}({})", field.name, limit), wait(index, field));
      }
      break;
    case isa::ControlRole::barrier:
      lines += line(index, "barrier", isa::disassemble(in), barrier(index));
      break;
    case isa::ControlRole::nop:
      lines += line(index, "nop", fmt::format("s_nop {}", code_.steps()[index].states - 1), nop(index));
      break;
    default: break;
    }
  }

  bool is_listed(size_t index, std::optional<uint64_t> only) const {
    return code_.block_of(index) != Code::none && code_.instruction(index).inserted == 0 &&
           (!only || offset(index) == *only);
  }
  size_t size() const { return code_.size(); }

 private:
  uint64_t offset(size_t index) const { return code_.instruction(index).address - kernel_.entry; }

  std::string line(size_t index, const char* field, const std::string& what, const Weaker& weaker) const {
    const uint64_t address = code_.instruction(index).address;
    const size_t loop = code_.loop_of(index);
    std::string changes;
    if (weaker.proof.verdict == Verdict::proved)
      for (size_t at = 0; at <= weaker.changes.size();) {
        const size_t end = std::min(weaker.changes.find(',', at), weaker.changes.size());
        changes += fmt::format("{}{}+{:#x}:{}", at == 0 ? "" : ",", kernel_.name, offset(index),
                               weaker.changes.substr(at, end - at));
        at = end + 1;
      }
    return fmt::format("{:#x}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", offset(index), field,
                       kernel_.object->source_line(address), kernel_.object->source_path(address),
                       calls(address), isa::disassemble(code_.instruction(index)),
                       loop == Code::none ? 0 : code_.loops().loops[loop].depth, what,
                       weaker.proof.verdict == Verdict::proved ? weaker.enough : "", changes,
                       name_of(weaker.proof.verdict), weaker.proof.reason);
  }

  std::string calls(uint64_t address) const {
    std::string text;
    const std::vector<loader::SourceFrame> frames = kernel_.object->frames_at(address);
    for (size_t i = 1; i < frames.size(); ++i) text += (i > 1 ? "," : "") + frames[i].source;
    return text;
  }

  // The counts that let more stay in flight than the wait does, the highest first; none at all is the first of them.
  std::vector<int> looser(size_t index, const Field& field) const {
    const bool vm = field.counter == &isa::Waitcnt::vmcnt;
    std::set<int, std::greater<>> counts = {Step::no_limits.*field.counter};
    for (const Flight& flight : prover_.flights_before(index).all())
      if ((flight.queue == Queue::vm) == vm && flight.younger > code_.steps()[index].limits.*field.counter)
        counts.insert(flight.younger);
    return {counts.begin(), counts.end()};
  }

  Weaker wait(size_t index, const Field& field) const {
    if (code_.leaves()) return not_followed();
    Weaker weaker;
    for (int count : looser(index, field)) {
      isa::Waitcnt limits = code_.steps()[index].limits;
      limits.*field.counter = count;
      weaker.proof = prover_.judge_wait(index, limits);
      if (weaker.proof.verdict != Verdict::proved) continue;
      if (count < Step::no_limits.*field.counter) {
        weaker.enough = fmt::format("{}({})", field.name, count);
        weaker.changes = fmt::format("{0}-drop,{0}={1}", field.name, count);
      } else {
        weaker.changes = fmt::format("{}-drop", field.name);
        if (waits_for_nothing(index, limits)) without_instruction(index, weaker);
      }
      break;
    }
    return weaker;
  }
  bool waits_for_nothing(size_t index, isa::Waitcnt limits) const {
    const int32_t simm16 = code_.instruction(index).simm16;
    return isa::with_waitcnt(simm16, limits) == isa::with_waitcnt(-1, Step::no_limits);
  }
  void without_instruction(size_t index, Weaker& weaker) const {
    if (const int states = prover_.states_needed(index).states)
      weaker.enough = fmt::format("s_nop {}", states - 1);
    else
      weaker.changes = "wait-drop";
  }

  Weaker barrier(size_t index) const {
    if (code_.leaves()) return not_followed();
    return {prover_.judge_barrier(index), "", "barrier-drop"};
  }

  Weaker nop(size_t index) const {
    if (code_.leaves()) return not_followed();
    const Missing needed = prover_.states_needed(index);
    if (needed.states >= code_.steps()[index].states)
      return {{Verdict::refuted, prover_.text_of(*needed.objection)}, "", ""};
    const Proof proof{Verdict::proved, "on all paths every rule of wait states is kept"};
    if (needed.states == 0) return {proof, "", "nop-drop"};
    const std::string enough = fmt::format("s_nop {}", needed.states - 1);
    return {proof, enough, "nop-drop,before:" + enough};
  }

  static Weaker not_followed() { return {{Verdict::undecided, Prover::is_not_followed}, "", ""}; }

  const loader::Kernel& kernel_;
  const Prover prover_;
  const Code& code_;
};

} // namespace

std::string list_protections(const loader::Kernel& kernel, const std::string& changes,
                             std::optional<uint64_t> only) {
  const isa::Program::Copies* copies = changes.empty() ? nullptr : observe::mutant_code(kernel, changes);
  const isa::Program::Block* changed = copies ? copies->of(kernel.entry) : nullptr;
  const Lister lister(kernel, changed ? *changed : decoded(kernel));
  std::string lines;
  for (size_t index = 0; index < lister.size(); ++index)
    if (lister.is_listed(index, only)) lister.add(index, lines);
  return lines;
}

} // namespace fmha950::static_check
