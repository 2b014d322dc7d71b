#include "emulator/observe/report/function_places.hpp"

#include "emulator/isa/mnemonic.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>

namespace fmha950::observe {
namespace {

constexpr size_t in_no_block = ~size_t{0};

// What the compiler does not move about: memory, barriers, branches.
bool is_in_skeleton(const isa::Instruction& in) {
  const isa::ControlRole role = isa::control_of(in);
  return isa::memory_of(in).kind != isa::MemoryKind::none || role == isa::ControlRole::barrier ||
         role == isa::ControlRole::end || isa::is_relative_branch(role);
}
uint32_t opcode_hash(const isa::Instruction& in) {
  return static_cast<uint32_t>(std::hash<std::string_view>{}(isa::mnemonic_of(in)));
}

} // namespace

FunctionPlaces::FunctionPlaces(const isa::Program::Block& code, uint64_t begin)
    : code_(code), begin_(begin), flow_(code), block_of_(code.instructions.size(), in_no_block) {
  for (size_t b = 0; b < flow_.blocks.size(); ++b)
    for (size_t i = flow_.blocks[b].begin; i < flow_.blocks[b].end; ++i) block_of_[i] = b;
  loops_ = isa::find_loops(flow_).loops;
  std::ranges::sort(loops_, [&](const isa::Loop& a, const isa::Loop& b) {
    return flow_.blocks[a.head].begin < flow_.blocks[b.head].begin;
  });
  std::vector<std::vector<uint32_t>> skeletons(loops_.size() + 1);
  positions_.resize(code.instructions.size());
  for (size_t i = 0; i < block_of_.size(); ++i) {
    if (block_of_[i] == in_no_block) continue;
    auto& of = skeletons[innermost(i).value_or(loops_.size())];
    positions_[i] = of.size();
    if (is_in_skeleton(instruction(i))) of.push_back(opcode_hash(instruction(i)));
  }
  for (auto& of : skeletons)
    skeletons_.push_back(std::make_shared<const std::vector<uint32_t>>(std::move(of)));
}

std::optional<size_t> FunctionPlaces::index_of(const isa::Instruction& in) const {
  const auto index = static_cast<size_t>(&in - code_.instructions.data());
  return index < block_of_.size() && block_of_[index] != in_no_block ? std::optional(index) : std::nullopt;
}

bool FunctionPlaces::is_barrier(size_t index) const {
  return isa::control_of(instruction(index)) == isa::ControlRole::barrier;
}

std::vector<const isa::Loop*> FunctionPlaces::loops_of(size_t index) const {
  std::vector<const isa::Loop*> holding;
  for (const isa::Loop& loop : loops_)
    if (loop.holds(block_of_[index])) holding.push_back(&loop);
  std::ranges::sort(holding, std::greater{}, &isa::Loop::depth);
  return holding;
}

std::optional<size_t> FunctionPlaces::innermost(size_t index) const {
  std::optional<size_t> found;
  for (size_t l = 0; l < loops_.size(); ++l)
    if (loops_[l].holds(block_of_[index]) && (!found || loops_[l].depth > loops_[*found].depth)) found = l;
  return found;
}

std::string FunctionPlaces::loop(size_t index) const {
  const auto number = innermost(index);
  return number ? fmt::format("loop {}", *number + 1) : "";
}

std::optional<size_t> FunctionPlaces::barrier_before(size_t index) const {
  while (index-- > 0)
    if (is_barrier(index)) return index;
  return std::nullopt;
}

std::optional<size_t> FunctionPlaces::barrier_behind(size_t index) const {
  while (++index < block_of_.size())
    if (is_barrier(index)) return index;
  return std::nullopt;
}

std::string FunctionPlaces::phase(size_t index) const {
  std::string text;
  if (const auto number = innermost(index))
    text =
        fmt::format("loop {} from +{:#x}, ", *number + 1, offset(flow_.blocks[loops_[*number].head].begin));
  const auto before = barrier_before(index), behind = barrier_behind(index);
  if (is_barrier(index)) return text + "a barrier";
  if (before && behind)
    return text + fmt::format("between the barriers at +{:#x} and +{:#x}", offset(*before), offset(*behind));
  if (before) return text + fmt::format("behind the last barrier, +{:#x}", offset(*before));
  if (behind) return text + fmt::format("before the first barrier, +{:#x}", offset(*behind));
  return text + "no barriers";
}

std::pair<FunctionPlaces::Skeleton, size_t> FunctionPlaces::skeleton(size_t index) const {
  return {skeletons_[innermost(index).value_or(loops_.size())], positions_[index]};
}

} // namespace fmha950::observe
