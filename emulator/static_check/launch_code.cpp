#include "emulator/static_check/launch_code.hpp"

#include "emulator/program/row.hpp"
#include "emulator/static_check/known_values.hpp"
#include "emulator/static_check/propagate.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace fmha950::static_check {
namespace {

using isa::ControlRole;

bool goes_by_register(const isa::Instruction& in) {
  return isa::control_of(in) == ControlRole::call || isa::control_of(in) == ControlRole::jump;
}

// Where each call goes to, and each jump through a register; by instruction, and without those that the code leaves open.
std::map<size_t, uint64_t> call_targets(const Code& code) {
  std::map<size_t, uint64_t> targets;
  propagate(code, 0, KnownValues::at_entry(code, 0), true, [&](KnownValues& values, size_t index) {
    const isa::Instruction& in = code.instruction(index);
    const isa::Source& source = in.src[0];
    if (isa::control_of(in) == ControlRole::call_relative)
      targets[index] = in.address + in.bytes + static_cast<uint64_t>(static_cast<int64_t>(in.simm16) * 4);
    if (goes_by_register(in) && source.kind == isa::Source::Kind::sgpr) {
      const auto low = values.scalar(source.index), high = values.scalar(source.index + 1);
      if (low && high)
        targets[index] = uint64_t{*high} << 32 | *low;
      else
        targets.erase(index); // another path has come here
    }
    code.steps()[index].leaves == Leaves::call ? values.come_back(code, index) : values.execute(code, index);
  });
  return targets;
}

} // namespace

LaunchCode::LaunchCode(const loader::Kernel& kernel, const isa::Program::Copies* changed) : kernel_(kernel) {
  const isa::Program::Block* own = changed ? changed->of(kernel.entry) : nullptr;
  parts_.push_back(
      {"", kernel.entry, Code(own ? *own : decoded(kernel), kernel.accum_offset, Code::Kind::kernel)});
  call_depths_.push_back(0);
  for (size_t part = 0; part < parts_.size(); ++part) follow_calls(changed, part);
  // A loop of calls has no end of depths: each call is gone through once for each part that there is, at most.
  for (size_t turn = 0; turn < parts_.size(); ++turn)
    for (const CodeCall& call : calls_)
      if (call.callee)
        call_depths_[*call.callee] = std::max(call_depths_[*call.callee], loop_depth(call.part, call.index));
}

// The part of the function that begins there; the number of parts if none does.
size_t LaunchCode::called(const isa::Program::Copies* changed, uint64_t address) {
  const auto known = std::ranges::find(parts_, address, &CodePart::entry);
  if (known != parts_.end()) return static_cast<size_t>(known - parts_.begin());
  const auto function = kernel_.object->function_at(address);
  if (!function || function->begin != address) return SIZE_MAX;
  const isa::Program::Block* block = changed ? changed->of(address) : nullptr;
  if (!block) block = &kernel_.object->program().decode(function->begin, function->end, kernel_.accum_offset);
  parts_.push_back({function->name, address, Code(*block, kernel_.accum_offset, Code::Kind::function)});
  call_depths_.push_back(0);
  return parts_.size() - 1;
}

void LaunchCode::follow_calls(const isa::Program::Copies* changed, size_t part) {
  if (!parts_[part].code.leaves() && part == 0) return;
  std::map<size_t, uint64_t> targets = call_targets(parts_[part].code);
  for (size_t i = 0; i < parts_[part].code.size(); ++i) {
    const Leaves leaves = parts_[part].code.steps()[i].leaves;
    const bool comes_back = leaves == Leaves::call;
    if (parts_[part].code.block_of(i) == Code::none ||
        (!comes_back && leaves != Leaves::jump && leaves != Leaves::returns))
      continue;
    const auto target = targets.find(i);
    const size_t callee = target == targets.end() ? SIZE_MAX : called(changed, target->second);
    if (callee == SIZE_MAX && leaves == Leaves::returns) continue;
    calls_.push_back({part, i, callee == SIZE_MAX ? std::nullopt : std::optional(callee), comes_back});
  }
}

std::pair<size_t, size_t> LaunchCode::find(const std::string& function, uint64_t offset) const {
  const auto part = std::ranges::find(parts_, function, &CodePart::function);
  if (part == parts_.end()) {
    std::vector<std::string> open;
    for (const CodeCall& call : calls_)
      if (!call.callee)
        open.push_back(fmt::format("{} at {}",
                                   isa::disassemble(parts_[call.part].code.instruction(call.index)),
                                   place(call.part, call.index)));
    throw NotInCode(fmt::format("the code of kernel {} does not say that it calls {}: {}", kernel_.name,
                                function,
                                open.empty() ? "no call is open"
                                             : fmt::format("where {} goes, a register says that is not known",
                                                           fmt::join(open, ", "))));
  }
  const size_t index = part->code.index_at(part->entry + offset);
  if (index >= part->code.size() || part->code.instruction(index).address != part->entry + offset)
    throw std::invalid_argument(fmt::format("offset = {:#x}: {} {} has no instruction there", offset,
                                            function.empty() ? "kernel" : "function",
                                            function.empty() ? kernel_.name : function));
  return {static_cast<size_t>(part - parts_.begin()), index};
}

std::string LaunchCode::place(size_t part, size_t index) const {
  const CodePart& of = parts_[part];
  return fmt::format("{}{:#x}", of.function.empty() ? "" : of.function + "+",
                     of.code.instruction(index).address - of.entry);
}

int LaunchCode::loop_depth(size_t part, size_t index) const {
  const Code& code = parts_[part].code;
  const size_t loop = code.loop_of(index);
  return call_depths_[part] + (loop == Code::none ? 0 : code.loops().loops[loop].depth);
}

} // namespace fmha950::static_check
