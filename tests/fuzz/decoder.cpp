// The instruction decoder: all bytes are instructions or refused, and what was decoded can be printed,
// asked for its registers and costed.
#include "emulator/isa/uses.hpp"
#include "emulator/program/program.hpp"
#include "emulator/timing/loop_cost.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace fmha950::fuzz {
namespace {

// Instructions are short, and finding loops is for longer code than libFuzzer needs.
constexpr size_t longest = 513;

void decoder(Bytes input) {
  input = input.subspan(0, std::min(input.size(), longest));
  Choices choices(input);
  const uint32_t accum_offset = 4u * choices.below(64);
  std::vector<uint32_t> code((input.size() + 2) / 4 + 1); // all but the first byte, and never empty
  if (input.size() > 1) std::memcpy(code.data(), input.data() + 1, input.size() - 1);
  const auto begin = reinterpret_cast<uint64_t>(code.data());
  const uint64_t end = begin + 4 * code.size();

  isa::Program program;
  const isa::Program::Block& block = program.decode(begin, end, accum_offset);
  uint64_t address = begin;
  for (size_t i = 0; i + 1 < block.instructions.size(); ++i) {
    const isa::Instruction& in = block.instructions[i];
    ensure(in.address == address && in.bytes > 0 && in.bytes % 4 == 0, "instructions follow each other");
    ensure(in.execute != nullptr, "every instruction can be executed or stops the launch");
    ensure(!isa::disassemble(in).empty(), "every instruction has a text");
    ensure(block.at(in.address) == &in, "every instruction is found at its address");
    const isa::Uses uses = isa::uses_of(in, accum_offset);
    for (const auto& ranges : {uses.reads(), uses.writes()})
      for (const isa::RegisterRange& range : ranges)
        ensure(range.count > 0 && !isa::name_of(range, accum_offset).empty(), "every register has a name");
    const int64_t target = static_cast<int64_t>(i) + in.target;
    const bool branches = timing::use_of(in).kind == timing::Kind::branch && in.target != -1;
    ensure(!branches || (target >= 0 && target < static_cast<int64_t>(block.instructions.size())),
           "a branch stays in its function or ends at the guard");
    address += in.bytes;
  }
  ensure(address == end, "no instruction reaches past the end of its function");

  const isa::ControlFlow flow(block);
  const isa::Loops found = isa::find_loops(flow);
  for (size_t i = 0; i < found.loops.size(); ++i) {
    const timing::LoopCost cost = timing::cost_of(block, flow, found.loops[i], found.own_blocks[i]);
    timing::clocks_of(cost, 1);
    ensure(!found.own_blocks[i].empty(), "a loop has its head for itself");
  }
}

const Registration registration("decoder", decoder);

} // namespace
} // namespace fmha950::fuzz
