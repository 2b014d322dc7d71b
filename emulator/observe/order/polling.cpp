#include "emulator/observe/order/polling.hpp"

#include "emulator/machine/wave.hpp"
#include "emulator/observe/operation/register_set.hpp"
#include "emulator/program/row.hpp"

#include <algorithm>

namespace fmha950::observe {
namespace {

using isa::ControlRole;
using isa::Instruction;
using isa::MemoryKind;
using isa::RegisterRange;

struct Body { // of a loop: instructions [head, tail], the last is the branch back
  size_t head, tail;
};

class Function {
 public:
  Function(std::span<const Instruction> code, std::span<const isa::Uses> uses) : code_(code), uses_(uses) {}

  bool polls(size_t at) const {
    const Instruction& in = code_[at];
    const isa::MemoryFacts& facts = isa::memory_of(in);
    const bool returns = !uses_[at].writes().empty();
    if (facts.segment != isa::Segment::lds || facts.elements != 1 || facts.transposed_bits || !returns ||
        (facts.kind != MemoryKind::load && facts.kind != MemoryKind::atomic))
      return false;
    const Body* body = innermost(at);
    return body && is_quiet(*body, at) && keeps(*body, address_of(at)) && ends_by(*body, at);
  }
  // Before the loop: its first look, or the read of the value that a compare-and-swap expects.
  bool prepares(size_t read, size_t poll) const {
    const Instruction &first = code_[read], &second = code_[poll];
    const Body* body = innermost(poll);
    constexpr size_t nearby = 32;
    if (read >= body->head || poll - read > nearby ||
        (isa::memory_of(first).kind != MemoryKind::load && first.row != second.row) ||
        isa::memory_of(first).segment != isa::Segment::lds || first.vaddr != second.vaddr ||
        first.offset != second.offset)
      return false;
    const Body before{read, body->head - 1};
    return is_quiet(before, read) && keeps({read, poll}, address_of(read)) &&
           decides(before, read, body->tail);
  }
  void find_loops() {
    for (size_t at = 0; at < code_.size(); ++at)
      if (isa::is_relative_branch(code_[at]) && code_[at].target <= 0)
        bodies_.push_back({at - static_cast<size_t>(-code_[at].target), at});
  }

 private:
  RegisterRange address_of(size_t at) const {
    return {RegisterRange::File::vector, false, static_cast<uint16_t>(code_[at].vaddr), 1};
  }
  const Body* innermost(size_t at) const {
    const Body* best = nullptr;
    for (const Body& body : bodies_)
      if (body.head <= at && at <= body.tail && (!best || body.tail - body.head < best->tail - best->head))
        best = &body;
    return best;
  }
  bool is_quiet(const Body& body, size_t poll) const {
    for (size_t at = body.head; at <= body.tail; ++at) {
      const MemoryKind kind = isa::memory_of(code_[at]).kind;
      const ControlRole role = isa::control_of(code_[at]);
      if (at != poll &&
          (kind == MemoryKind::store || kind == MemoryKind::atomic || isa::is_lds_dma(code_[at])))
        return false;
      if (role == ControlRole::barrier || role == ControlRole::jump || role == ControlRole::fork ||
          role == ControlRole::call || role == ControlRole::call_relative || role == ControlRole::end)
        return false;
      if (isa::is_relative_branch(code_[at]) && at != body.tail && code_[at].target <= 0) return false;
    }
    return true;
  }
  bool keeps(const Body& body, const RegisterRange& address) const {
    for (size_t at = body.head; at <= body.tail; ++at)
      for (const RegisterRange& written : uses_[at].writes())
        if (written.overlaps(address)) return false;
    return true;
  }
  // Twice around: what an iteration hands to the next counts, too.
  bool ends_by(const Body& body, size_t poll) const {
    RegisterSet depends;
    decides(body, poll, body.tail, depends);
    return decides(body, poll, body.tail, depends);
  }
  bool decides(const Body& body, size_t poll, size_t tail) const {
    RegisterSet depends;
    return decides(body, poll, tail, depends);
  }
  // Whether every branch that leaves for what lies behind `tail`, and that at `tail`, is by what `poll` found. A jump at
  // `tail` is by what the branches before it did not leave for.
  bool decides(const Body& body, size_t poll, size_t tail, RegisterSet& depends) const {
    bool all = true, any = false;
    for (size_t at = body.head; at <= body.tail; ++at) {
      const bool leaves = isa::is_relative_branch(code_[at]) &&
                          (at == tail || at + static_cast<size_t>(code_[at].target) > tail);
      if (leaves && at == tail && isa::control_of(code_[at]) == ControlRole::branch) {
        all &= any;
      } else if (leaves) {
        all &= isa::control_of(code_[at]) == ControlRole::branch_if && reads(at, depends);
        any = true;
      }
      follow(at, at == poll, depends);
    }
    return all;
  }
  // EXEC that depends decides whether a vector instruction does something, not what.
  bool reads(size_t at, const RegisterSet& depends) const {
    return std::ranges::any_of(uses_[at].reads(), [&](const RegisterRange& range) {
      RegisterSet read;
      read.add(range);
      const bool lanes_only =
          range.implicit && range.first == machine::code::exec && !isa::is_relative_branch(code_[at]);
      return !lanes_only && depends.intersects(read);
    });
  }
  void follow(size_t at, bool is_poll, RegisterSet& depends) const {
    const bool tainted = is_poll || reads(at, depends);
    for (const RegisterRange& written : uses_[at].writes())
      tainted ? depends.add(written) : depends.remove(written);
  }

  std::span<const Instruction> code_;
  std::span<const isa::Uses> uses_;
  std::vector<Body> bodies_;
};

} // namespace

std::vector<size_t> polling_instructions(std::span<const Instruction> code, std::span<const isa::Uses> uses) {
  Function function(code, uses);
  function.find_loops();
  std::vector<size_t> polls;
  for (size_t at = 0; at < code.size(); ++at)
    if (function.polls(at)) polls.push_back(at);
  for (size_t at = 0, loops = polls.size(); at < code.size(); ++at)
    for (size_t loop = 0; loop < loops; ++loop)
      if (function.prepares(at, polls[loop])) polls.push_back(at);
  return polls;
}

} // namespace fmha950::observe
