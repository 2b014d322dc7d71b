#include "emulator/static_check/distances.hpp"

#include <algorithm>
#include <tuple>

namespace fmha950::static_check {
namespace {

using observe::WaitStateInfo;

auto key(const Recent& recent) { return std::tuple(recent.producer, recent.effect, recent.states); }

const WaitStateInfo& info_of(const Code& code, size_t index) { return code.info(index).wait_states; }
const WaitStateInfo::Operand& effect_of(const Code& code, const Recent& recent) {
  return info_of(code, recent.producer).effects()[recent.effect];
}

} // namespace

void Distances::sort_and_thin() {
  std::sort(recent_.begin(), recent_.end(), [](const Recent& a, const Recent& b) { return key(a) < key(b); });
  uint64_t nearer = 0; // registers of this effect that were seen at fewer states
  for (size_t i = 0; i < recent_.size(); ++i) {
    const bool same =
        i > 0 && recent_[i].producer == recent_[i - 1].producer && recent_[i].effect == recent_[i - 1].effect;
    if (!same) nearer = 0;
    const uint64_t own = recent_[i].open;
    recent_[i].open &= ~nearer;
    nearer |= own;
  }
  std::erase_if(recent_, [](const Recent& recent) { return recent.open == 0; });
}

bool Distances::join(const Distances& other) {
  const std::vector<Recent> before = recent_;
  recent_.insert(recent_.end(), other.recent_.begin(), other.recent_.end());
  sort_and_thin();
  return !std::equal(before.begin(), before.end(), recent_.begin(), recent_.end(),
                     [](const Recent& a, const Recent& b) { return key(a) == key(b) && a.open == b.open; });
}

void Distances::age(const Code& code, size_t index, int states) {
  const WaitStateInfo& info = info_of(code, index);
  for (Recent& recent : recent_) {
    recent.states += states;
    const WaitStateInfo::Operand& effect = effect_of(code, recent);
    if (recent.states >= recent.horizon) recent.open = 0;
    // A younger write ends the matter.
    for (const WaitStateInfo::Operand& write : info.effects())
      if (write.bits & ~observe::effect::reads_only) recent.open &= ~observe::common_registers(effect, write);
  }
  std::erase_if(recent_, [](const Recent& recent) { return recent.open == 0; });
}

void Distances::pass(const Code& code, size_t index, int states) {
  age(code, index, states);
  const WaitStateInfo& info = info_of(code, index);
  for (size_t e = 0; e < info.effects().size(); ++e) {
    const WaitStateInfo::Operand& effect = info.effects()[e];
    const int horizon = observe::required_states(effect.bits, info.passes, ~0u).states;
    if (horizon == 0) continue;
    recent_.push_back(
        {index, static_cast<uint8_t>(e), 0, horizon, observe::common_registers(effect, effect)});
  }
  if (!info.effects().empty()) sort_and_thin();
}

std::vector<TooClose> too_close(const Code& code, size_t index, const Distances& distances) {
  std::vector<TooClose> found;
  const WaitStateInfo& info = info_of(code, index);
  for (const Recent& recent : distances.all())
    for (const WaitStateInfo::Operand& access : info.accesses()) {
      const WaitStateInfo& first = info_of(code, recent.producer);
      const WaitStateInfo::Operand& effect = effect_of(code, recent);
      if ((observe::common_registers(effect, access) & recent.open) == 0) continue;
      const observe::WaitStatePair pair{&code.instruction(recent.producer), &first, effect,
                                        &code.instruction(index), access};
      const TooClose close{{pair, recent.states, pair.required()}, recent.producer};
      if (close.missing() <= 0) continue;
      if (found.empty() || found.back().producer != recent.producer)
        found.push_back(close);
      else if (close.is_worse_than(found.back()))
        found.back() = close;
    }
  return found;
}

} // namespace fmha950::static_check
