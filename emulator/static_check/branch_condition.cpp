#include "emulator/static_check/branch_condition.hpp"

#include "emulator/machine/wave.hpp"
#include "emulator/program/row.hpp"

#include <algorithm>

namespace fmha950::static_check {

BranchCondition condition_of_branch(const Code& code, size_t branch) {
  BranchCondition condition;
  for (int each : {machine::code::scc, machine::code::vcc, machine::code::exec})
    if (holds_scalar(code.info(branch).uses.reads(), each)) condition.code = each;
  machine::Wave wave;  // its SCC, VCC and EXEC are zero
  wave.next = nullptr; // a branch may lead to itself
  code.instruction(branch).execute(wave, code.instruction(branch));
  condition.taken_at_zero = wave.next != nullptr;
  return condition;
}

bool holds_scalar(std::span<const isa::RegisterRange> ranges, int code) {
  return std::ranges::any_of(ranges, [code](const isa::RegisterRange& range) {
    return range.file == isa::RegisterRange::File::scalar && range.first <= code &&
           code < range.first + range.count;
  });
}

bool holds_exec(std::span<const isa::RegisterRange> ranges) {
  return holds_scalar(ranges, machine::code::exec) || holds_scalar(ranges, machine::code::exec + 1);
}

} // namespace fmha950::static_check
