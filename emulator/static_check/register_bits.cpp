#include "emulator/static_check/register_bits.hpp"

#include "emulator/program/row.hpp"
#include "emulator/program/truth_table.hpp"
#include "emulator/static_check/instruction_functions.hpp"

#include <algorithm>
#include <functional>
#include <set>

namespace fmha950::static_check {
namespace {

using File = isa::RegisterRange::File;
using BitsOfLanes = RegisterBits::Lanes;
} // namespace

KnownBits RegisterBits::scalar(int code) const {
  if (const auto value = values_.scalar(code)) return KnownBits::of(*value);
  const auto found = scalar_.find(code);
  return found == scalar_.end() ? KnownBits() : found->second;
}

RegisterBits::Lanes RegisterBits::vector(int vgpr) const {
  BitsOfLanes lanes{};
  if (const auto found = vector_.find(vgpr); found != vector_.end()) lanes = *found->second;
  if (const KnownValues::Lanes* values = values_.vector(vgpr))
    for (size_t l = 0; l < lanes.size(); ++l)
      if (values->known >> l & 1) lanes[l] = KnownBits::of(values->value[l]);
  return lanes;
}

bool RegisterBits::join(const RegisterBits& other) {
  bool lost = false;
  std::set<int> scalars, vectors;
  for (const auto& [r, value] : values_.scalars()) scalars.insert(r);
  for (const auto& [r, value] : scalar_) scalars.insert(r);
  for (const auto& [r, lanes] : values_.vectors()) vectors.insert(r);
  for (const auto& [r, lanes] : vector_) vectors.insert(r);
  for (int r : scalars) {
    const KnownBits own = scalar(r), both = common(own, other.scalar(r));
    lost |= !(both == own);
    if (both.known)
      scalar_[r] = both;
    else
      scalar_.erase(r);
  }
  for (int r : vectors) {
    const auto known = values_.vectors().find(r), theirs = other.values_.vectors().find(r);
    const bool same = known != values_.vectors().end() && theirs != other.values_.vectors().end() &&
                      known->second == theirs->second;
    if (same) continue;
    const BitsOfLanes own = vector(r), others = other.vector(r);
    BitsOfLanes both{};
    uint32_t some = 0;
    for (size_t l = 0; l < both.size(); ++l) some |= (both[l] = common(own[l], others[l])).known;
    lost |= both != own;
    if (some)
      vector_[r] = std::make_shared<const BitsOfLanes>(both);
    else
      vector_.erase(r);
  }
  values_.join(other.values_);
  return lost;
}

void RegisterBits::keep_only(const observe::RegisterSet& registers) {
  std::erase_if(scalar_, [&](const auto& each) { return !registers.has_sgpr(each.first); });
  std::erase_if(vector_, [&](const auto& each) { return !registers.has_vgpr(each.first); });
}

KnownBits RegisterBits::operand(const isa::Source& source, int lane) const {
  switch (source.kind) {
  case isa::Source::Kind::constant: return KnownBits::of(static_cast<uint32_t>(source.value));
  case isa::Source::Kind::sgpr: return scalar(source.index);
  case isa::Source::Kind::vgpr: {
    if (const KnownValues::Lanes* values = values_.vector(source.index); values && values->known >> lane & 1)
      return KnownBits::of(values->value[static_cast<size_t>(lane)]);
    const auto found = vector_.find(source.index);
    return found == vector_.end() ? KnownBits() : (*found->second)[static_cast<size_t>(lane)];
  }
  default: return {};
  }
}

// Lanes that do not execute keep what they have.
void RegisterBits::set(const isa::RegisterRange& range, const BitsOfLanes& lanes) {
  if (range.file == File::scalar) {
    scalar_[range.first] = lanes[0];
    return;
  }
  BitsOfLanes result = lanes;
  if (values_.exec() != ~uint64_t{0}) {
    const BitsOfLanes before = vector(range.first);
    for (size_t l = 0; l < result.size(); ++l) result[l] = common(result[l], before[l]);
  }
  vector_[range.first] = std::make_shared<const BitsOfLanes>(result);
}

void RegisterBits::execute(const Code& code, size_t index) {
  const isa::Instruction& in = code.instruction(index);
  const isa::Uses& uses = code.info(index).uses;
  const Evaluate evaluate = evaluation_of(in);
  const bool is_plain = in.extension == isa::Extension::none && !uses.writes().empty();
  std::function<KnownBits(int)> result;
  if (is_plain && isa::valu_of(in).flow == isa::ValuFlow::read_first_lane)
    result = [&](int) {
      KnownBits all = operand(in.src[0], 0);
      for (int l = 1; l < 64; ++l) all = common(all, operand(in.src[0], l));
      return all;
    };
  else if (is_plain && in.row && in.row->bits == isa::BitFunction::truth_table)
    result = [&](int l) {
      return bitwise(isa::truth_table_of(in), operand(in.src[0], l), operand(in.src[1], l),
                     operand(in.src[2], l));
    };
  else if (is_plain && evaluate && in.encoding == isa::Encoding::sopk)
    result = [&](int) {
      return evaluate(scalar(uses.writes().front().first), KnownBits::of(static_cast<uint32_t>(in.simm16)),
                      {});
    };
  else if (is_plain && evaluate && !in.has_modifiers())
    result = [&](int l) {
      return evaluate(operand(in.src[0], l), operand(in.src[1], l), operand(in.src[2], l));
    };
  BitsOfLanes lanes{};
  if (result) {
    const bool one = uses.writes().front().file == File::scalar;
    for (int l = 0; l < (one ? 1 : 64); ++l) lanes[static_cast<size_t>(l)] = result(l);
  }
  const bool forgets = code.steps()[index].leaves != Leaves::no || isa::moves_by_m0(isa::scalar_of(in));
  std::optional<isa::RegisterRange> destination;
  if (result) destination = uses.writes().front();
  if (destination && !forgets)
    set(*destination, lanes); // what is not executed is read before it is forgotten
  values_.execute(code, index);
  if (forgets) {
    scalar_.clear();
    vector_.clear();
    return;
  }
  for (const isa::RegisterRange& range : uses.writes())
    for (int r = range.first; r < range.first + range.count; ++r)
      if (!destination || range.file != destination->file || r != destination->first)
        range.file == File::vector ? vector_.erase(r) : scalar_.erase(r);
}

} // namespace fmha950::static_check
