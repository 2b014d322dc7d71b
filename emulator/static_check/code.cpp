#include "emulator/static_check/code.hpp"

#include "emulator/machine/wave.hpp"
#include "emulator/program/row.hpp"
#include "emulator/static_check/liveness.hpp"
#include "emulator/static_check/propagate.hpp"

#include <algorithm>

namespace fmha950::static_check {
namespace {

using machine::Queue;

constexpr uint32_t vgprs_of_a_kind = 256; // that a wave can have, and as many AccVGPRs

Queue queue_of(isa::Encoding encoding) {
  return encoding == isa::Encoding::ds     ? Queue::ds
         : encoding == isa::Encoding::smem ? Queue::smem
                                           : Queue::vm;
}

// Messages count until they are sent. Of SOPP they read M0, and so does s_ttracedata, which is taken for one.
bool is_message(const isa::Instruction& in, const observe::InstructionInfo& info) {
  return in.encoding == isa::Encoding::sopp &&
         std::ranges::any_of(info.uses.reads(), [](const isa::RegisterRange& range) {
           return range.file == isa::RegisterRange::File::scalar && range.first == machine::code::m0;
         });
}

// machine_gfx950.md section 1.1, the table of counters.
void add_issues(const isa::Instruction& in, const observe::InstructionInfo& info, Step& step) {
  const isa::MemoryFacts& facts = isa::memory_of(in);
  const auto add = [&](Issue issue) { step.issued[step.issue_count++] = issue; };
  if (is_message(in, info)) return add({Queue::smem, 1, false}); // out of order with what else lgkmcnt counts
  if (facts.kind == isa::MemoryKind::none) return;
  const Queue queue = queue_of(in.encoding);
  const auto units = static_cast<uint8_t>(queue == Queue::smem ? info.scalar_units : 1);
  const bool flat = facts.segment == isa::Segment::flat;
  if (flat) add({Queue::ds, 1, false});
  add({queue, units, !flat && facts.kind != isa::MemoryKind::no_data});
}

Leaves leaves_of(const isa::Instruction& in) {
  switch (isa::control_of(in)) {
  case isa::ControlRole::call:
  case isa::ControlRole::call_relative: return Leaves::call;
  case isa::ControlRole::fork:
  case isa::ControlRole::jump: return Leaves::jump;
  default: return in.row ? Leaves::no : Leaves::unknown;
  }
}

Step step_of(const isa::Instruction& in, const observe::InstructionInfo& info) {
  Step step;
  if (in.bytes == 0) return step; // the guard behind the last one
  if (info.role == observe::InstructionInfo::Role::waitcnt) step.limits = isa::waitcnt_of(in.simm16);
  if (info.role == observe::InstructionInfo::Role::end) step.limits = {0, 0}; // section 1.2
  step.states = info.wait_states.states;
  add_issues(in, info, step);
  step.leaves = leaves_of(in);
  return step;
}

// Those that s_setreg writes (machine_gfx950.md section 1.3).
uint64_t bits_of_mode(int simm16) {
  const int id = simm16 & 63, offset = simm16 >> 6 & 31, bits = (simm16 >> 11 & 31) + 1;
  return id == 1 ? ((uint64_t{1} << bits) - 1) << offset : 0;
}

// Whether MODE may steer vector instructions (program/vgpr_indexing.hpp, vskip).
struct MaySteer {
  bool indexes = false, skips = false;
  bool join(const MaySteer& other) {
    const MaySteer before = *this;
    indexes |= other.indexes;
    skips |= other.skips;
    return indexes != before.indexes || skips != before.skips;
  }
  bool empty() const { return !indexes && !skips; }
  bool steers(const isa::Instruction& in) const {
    return (indexes && isa::is_valu(in.encoding)) || (skips && isa::is_vector(in.encoding));
  }
  void pass(const isa::Instruction& in) {
    switch (isa::control_of(in)) {
    case isa::ControlRole::index_on: indexes = true; break;
    case isa::ControlRole::index_off: indexes = false; break;
    case isa::ControlRole::set_vskip: { // s_setvskip 0, 0 turns it off
      const bool known = in.src[0].kind == isa::Source::Kind::constant && in.src[0].value == 0;
      skips = !known;
      break;
    }
    case isa::ControlRole::set_register: {
      const uint64_t written = bits_of_mode(in.simm16);
      indexes |= (written & machine::mode_bit::vgpr_indexing) != 0;
      skips |= (written & machine::mode_bit::vskip) != 0;
      break;
    }
    default: break;
    }
  }
};

std::vector<bool> steered_instructions(const Code& code) {
  std::vector<bool> steered(code.size());
  propagate(code, 0, MaySteer(), true, [&](MaySteer& state, size_t index) {
    if (state.steers(code.instruction(index))) steered[index] = true;
    state.pass(code.instruction(index));
  });
  return steered;
}

struct WroteMemory { // device memory, on some path
  bool wrote = false;
  bool join(const WroteMemory& other) {
    const bool grew = other.wrote && !wrote;
    wrote |= other.wrote;
    return grew;
  }
  bool empty() const { return !wrote; }
};

bool announces_through_lds(const Code& code) {
  using Operation = observe::MemoryOperation::Kind;
  bool found = false;
  propagate(code, 0, WroteMemory(), true, [&](WroteMemory& state, size_t index) {
    const observe::InstructionInfo& info = code.info(index);
    const bool writes = info.operation.kind == Operation::store || info.operation.kind == Operation::atomic;
    const bool in_lds = code.instruction(index).encoding == isa::Encoding::ds;
    found |= state.wrote && (info.role == observe::InstructionInfo::Role::barrier || info.in_flight.flat ||
                             info.operation.lds_dma || (writes && in_lds));
    state.wrote |= (writes && !in_lds) || code.steps()[index].leaves != Leaves::no;
  });
  return found;
}

} // namespace

const isa::Program::Block& decoded(const loader::Kernel& kernel) {
  const auto function = kernel.object->function_at(kernel.entry);
  if (!function || function->begin != kernel.entry)
    throw loader::LoadError("kernel " + kernel.name + ": its entry is not the beginning of a function");
  return kernel.object->program().decode(function->begin, function->end, kernel.accum_offset);
}

Code::Code(const loader::Kernel& kernel) : Code(kernel, decoded(kernel)) {}

Code::Code(const loader::Kernel& kernel, const isa::Program::Block& changed)
    : Code(changed, kernel.accum_offset, Kind::kernel) {
  most_waves_ = (kernel.max_workgroup + 63) / 64;
  one_dimensional_ =
      (kernel.rsrc2 >> 11 & 3) == 0; // ENABLE_VGPR_WORKITEM_ID (AMDGPUUsage, compute_pgm_rsrc2)
  user_registers_ = static_cast<int>(kernel.rsrc2 >> 1 & 0x1F);
  // Before it come the private segment's buffer, the dispatch and the queue (machine_gfx950.md section 5.1).
  if (kernel.properties & 8)
    arguments_register_ = 4 * (kernel.properties & 1) + (kernel.properties & 2) + (kernel.properties & 4) / 2;
}

Code::Code(const loader::CodeObject& object, const loader::CodeObject::Function& function)
    : Code(object.program().decode(function.begin, function.end, vgprs_of_a_kind), vgprs_of_a_kind,
           Kind::function) {}

Code::Code(const isa::Program::Block& block, uint32_t accum_offset, Kind kind)
    : block_(block), accum_offset_(accum_offset), infos_(observe::info_of(block, accum_offset)), flow_(block),
      loops_(isa::find_loops(flow_)), block_of_(size(), none), loop_of_(size(), none) {
  for (size_t b = 0; b < flow_.blocks.size(); ++b)
    for (size_t i = flow_.blocks[b].begin; i < flow_.blocks[b].end; ++i) block_of_[i] = b;
  for (size_t loop = 0; loop < loops_.loops.size(); ++loop)
    for (size_t b : loops_.own_blocks[loop])
      for (size_t i = flow_.blocks[b].begin; i < flow_.blocks[b].end; ++i) loop_of_[i] = loop;
  steps_.reserve(size());
  for (size_t i = 0; i < size(); ++i) {
    steps_.push_back(step_of(instruction(i), info(i)));
    if (kind == Kind::function && isa::control_of(instruction(i)) == isa::ControlRole::jump)
      steps_[i].leaves = Leaves::returns;
    leaves_ |= block_of_[i] != none && steps_[i].leaves != Leaves::no;
  }
  const std::vector<bool> steered = steered_instructions(*this);
  for (size_t i = 0; i < size(); ++i)
    if (steered[i]) {
      steps_[i].leaves = Leaves::steered;
      leaves_ = true;
    }
  lds_may_announce_ = announces_through_lds(*this);
  read_from_ = registers_read_from(*this);
}

bool Code::reads_from(size_t index, const isa::RegisterRange& range) const {
  observe::RegisterSet registers;
  registers.add(range);
  return read_from_[index].intersects(registers);
}

size_t Code::index_at(uint64_t address) const {
  const isa::Instruction* in = block_.at(address);
  return in ? static_cast<size_t>(in - block_.instructions.data()) : size();
}

} // namespace fmha950::static_check
