#include "emulator/static_check/wave_traces.hpp"

#include "emulator/program/row.hpp"

namespace fmha950::static_check {
namespace {

constexpr size_t longest = 1 << 15; // instructions

bool matters(const Code& code, size_t index) {
  using Role = observe::InstructionInfo::Role;
  const Role role = code.info(index).role;
  return role == Role::waitcnt || role == Role::barrier || role == Role::end ||
         !code.steps()[index].issues().empty();
}

std::optional<Trace> trace_of(const Code& code, uint32_t wave) {
  Trace trace;
  KnownValues values = KnownValues::at_entry(code, wave);
  size_t index = 0;
  for (size_t steps = 0; steps < longest && index < code.size(); ++steps) {
    const isa::Instruction& in = code.instruction(index);
    if (in.bytes == 0 || code.steps()[index].leaves != Leaves::no) return std::nullopt;
    if (matters(code, index)) trace.push_back({index, lds_bytes(code, index, values)});
    const isa::ControlRole role = isa::control_of(in);
    if (role == isa::ControlRole::end) return trace;
    const std::optional<bool> taken =
        role == isa::ControlRole::branch_if ? values.takes(code, index) : role == isa::ControlRole::branch;
    if (!taken) return std::nullopt;
    values.execute(code, index);
    index = *taken ? index + static_cast<size_t>(in.target) : index + 1;
  }
  return std::nullopt;
}

} // namespace

std::vector<Trace> traces_of(const Code& code) {
  std::vector<Trace> traces;
  for (uint32_t wave = 0; wave < code.most_waves(); ++wave) {
    auto trace = trace_of(code, wave);
    if (!trace) return {};
    traces.push_back(std::move(*trace));
  }
  return traces;
}

} // namespace fmha950::static_check
