#include "emulator/static_check/ways_between.hpp"

#include "emulator/program/row.hpp"
#include "emulator/static_check/branch_depths.hpp"
#include "emulator/static_check/launch_flow.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <map>
#include <stdexcept>

namespace fmha950::static_check {
namespace {

// Whether every way from `first` to `last` passes an instruction. All of a stretch do or none does, if neither of the two lies
// in it.
class Passed {
 public:
  Passed(const LaunchFlow& flow, size_t first, size_t last) : flow_(flow), first_(first), last_(last) {}
  bool always(size_t number) {
    if (number == last_) return true;
    const size_t stretch = flow_.stretch_of(number);
    if (stretch == LaunchFlow::none || stretch == flow_.stretch_of(first_) ||
        stretch == flow_.stretch_of(last_))
      return blocks(number);
    const auto [known, is_new] = of_stretch_.try_emplace(stretch, false);
    if (is_new) known->second = blocks(number);
    return known->second;
  }

 private:
  bool blocks(size_t number) const { return flow_.from(first_, number)[last_] == LaunchFlow::none; }

  const LaunchFlow& flow_;
  size_t first_, last_;
  std::map<size_t, bool> of_stretch_;
};

const char* kind_of(const isa::Instruction& in) {
  switch (isa::control_of(in)) {
  case isa::ControlRole::barrier: return "barrier";
  case isa::ControlRole::waitcnt: return "wait";
  case isa::ControlRole::branch_if: return "condition";
  case isa::ControlRole::branch: return "branch";
  default: return "-";
  }
}

// Operations of each instruction that surely take their turn in a queue.
std::vector<size_t> operations(const LaunchCode& code, machine::Queue queue) {
  std::vector<size_t> all;
  for (const CodePart& part : code.parts())
    for (const Step& step : part.code.steps())
      all.push_back(static_cast<size_t>(std::ranges::count_if(
          step.issues(), [&](const Issue& issue) { return issue.queue == queue && issue.in_order; })));
  return all;
}

std::pair<size_t, size_t> place_in(const LaunchCode& code, const std::string& text) {
  constexpr std::string_view prefix = "0x";
  const size_t plus = text.rfind("+0x"), begin = plus == text.npos ? 0 : plus + 1;
  uint64_t offset = 0;
  const char* const end = text.data() + text.size();
  const char* const digits = text.data() + std::min(begin + prefix.size(), text.size());
  const auto [stop, error] = std::from_chars(digits, end, offset, 16);
  if (text.compare(begin, prefix.size(), prefix) != 0 || error != std::errc() || stop != end)
    throw std::invalid_argument(fmt::format("place = '{}': must be 0xOFFSET or FUNCTION+0xOFFSET", text));
  return code.find(plus == text.npos ? "" : text.substr(0, plus), offset);
}

} // namespace

std::string list_ways(const loader::Kernel& kernel, const std::string& earlier, const std::string& later) {
  const LaunchCode code(kernel);
  const LaunchFlow flow(code);
  const BranchDepths branches(code);
  const size_t first = flow.number_of(place_in(code, earlier)), last = flow.number_of(place_in(code, later));
  const std::vector<size_t> from = flow.from(first), to = flow.to(last);
  const std::vector<size_t> vector_memory = flow.least(first, operations(code, machine::Queue::vm));
  const std::vector<size_t> lds = flow.least(first, operations(code, machine::Queue::ds));
  const bool there_is_one = from[last] != LaunchFlow::none;
  Passed passed(flow, first, last);
  std::string text;
  for (size_t i = 0; i < flow.size(); ++i) {
    const auto [part, index] = flow.place_of(i);
    const isa::Instruction& in = code.parts()[part].code.instruction(index);
    if (from[i] == LaunchFlow::none || in.bytes == 0) continue;
    const bool between = there_is_one && to[i] != LaunchFlow::none;
    const char* which = !between ? "none" : passed.always(i) ? "every" : "some";
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", code.place(part, index), from[i],
                        to[i] == LaunchFlow::none ? "-" : fmt::to_string(to[i]), which, kind_of(in),
                        code.loop_depth(part, index), branches.of(part, index), vector_memory[i], lds[i],
                        kernel.object->source_line(in.address), isa::disassemble(in));
  }
  return text;
}

} // namespace fmha950::static_check
