#include "emulator/isa/matrix_products.hpp"

#include "emulator/isa/uses.hpp"
#include "emulator/loader/code_object.hpp"
#include "emulator/program/control_flow.hpp"
#include "emulator/program/program.hpp"
#include "emulator/program/row.hpp"

#include <algorithm>
#include <bitset>
#include <string_view>

namespace fmha950::isa {
namespace {

using Registers = std::bitset<1024>; // of the unified file

// What an instruction of a loop does to a sum on its way.
struct Step {
  const Row* row = nullptr; // of a matrix instruction
  Registers adds, writes;   // a sum in `adds` goes on in `writes`; another one there is lost
};

void add(const RegisterRange& range, Registers& to) {
  if (range.file != RegisterRange::File::vector) return;
  for (size_t i = 0; i < range.count; ++i)
    if (range.first + i < to.size()) to.set(range.first + i);
}

Step step_of(const Instruction& in, uint32_t accum_offset) {
  Step step;
  const Uses uses = uses_of(in, accum_offset);
  for (const RegisterRange& range : uses.writes()) add(range, step.writes);
  if (in.row == nullptr) return step;
  if (in.row->matrix.unit != MatrixUnit::none) {
    step.row = in.row;
    if (in.src[2].kind == Source::Kind::vgpr)
      add({.first = in.src[2].index, .count = static_cast<uint8_t>(step.writes.count())}, step.adds);
  } else if (is_valu(in.encoding) || in.row->memory.exchange != LaneExchange::none)
    for (const RegisterRange& range : uses.reads()) add(range, step.adds);
  return step;
}

// Whether what the step writes comes back to where it adds: at the latest in the second round, for accumulators that two
// rounds exchange.
bool is_carried(const std::vector<Step>& loop, size_t at) {
  Registers sum = loop[at].writes;
  for (size_t i = 1; i <= 2 * loop.size(); ++i) {
    const Step& step = loop[(at + i) % loop.size()];
    const bool goes_on = (step.adds & sum).any();
    if (goes_on && i % loop.size() == 0) return true;
    if (goes_on)
      sum |= step.writes;
    else
      sum &= ~step.writes;
  }
  return false;
}

void add_carried(const Program::Block& block, uint32_t accum_offset, std::set<std::string>& types) {
  const ControlFlow flow(block);
  for (const Loop& loop : find_loops(flow).loops) {
    std::vector<Step> steps;
    for (const size_t each : loop.blocks)
      for (size_t i = flow.blocks[each].begin; i < flow.blocks[each].end; ++i)
        steps.push_back(step_of(block.instructions[i], accum_offset));
    for (size_t at = 0; at < steps.size(); ++at)
      if (steps[at].row && !types.contains(operands_of(*steps[at].row)) && is_carried(steps, at))
        types.insert(operands_of(*steps[at].row));
  }
}

} // namespace

std::string operands_of(const Row& row) {
  if (row.matrix.is_f8f6f4()) return "f8f6f4";
  if (row.matrix.fp8) return "fp8";
  const std::string_view name = row.mnemonic;
  const std::string_view type = name.substr(name.rfind('_') + 1);
  return type == "f16" ? "fp16" : std::string(type);
}

std::vector<MatrixProducts> matrix_products_of(const loader::CodeObject& object) {
  std::vector<MatrixProducts> all;
  for (const loader::CodeObject::Function& function : object.functions()) {
    const auto kernel = std::ranges::find(object.kernels(), function.begin, &loader::Kernel::entry);
    if (kernel == object.kernels().end()) continue;
    const Program::Block& block = object.program().decode(function.begin, function.end, kernel->accum_offset);
    MatrixProducts products{kernel->name, {}, {}};
    for (const Instruction& in : block.instructions)
      if (in.row && in.row->matrix.unit != MatrixUnit::none) products.types.insert(operands_of(*in.row));
    if (products.types.empty()) continue;
    add_carried(block, kernel->accum_offset, products.carried);
    all.push_back(std::move(products));
  }
  return all;
}

} // namespace fmha950::isa
