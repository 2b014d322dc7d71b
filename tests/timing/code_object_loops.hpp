#pragma once
// A built code object's loops, for tests.
#include "emulator/loader/code_object.hpp"
#include "emulator/timing/loop_cost.hpp"
#include "emulator/timing/loop_report.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

namespace fmha950::test {

inline std::vector<std::byte> read_code_object(const std::string& name) {
  std::ifstream file(CODE_OBJECTS "/" + name + ".co", std::ios::binary);
  if (!file) throw std::runtime_error("cannot read code object " + name);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  return {bytes, bytes + text.size()};
}

struct KernelLoops {
  KernelLoops(const loader::CodeObject& code, const std::string& kernel_name)
      : kernel(*code.find_kernel(kernel_name)), function(*code.function_at(kernel.entry)),
        block(code.program().decode(function.begin, function.end, kernel.accum_offset)), flow(block),
        found(isa::find_loops(flow)) {
    for (size_t i = 0; i < found.loops.size(); ++i)
      costs.push_back(timing::cost_of(block, flow, found.loops[i], found.own_blocks[i]));
  }
  const loader::Kernel& kernel;
  loader::CodeObject::Function function;
  const isa::Program::Block& block;
  isa::ControlFlow flow;
  isa::Loops found;
  std::vector<timing::LoopCost> costs;
};

} // namespace fmha950::test
