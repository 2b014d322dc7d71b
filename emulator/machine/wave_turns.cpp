#include "emulator/machine/wave_turns.hpp"

#include "emulator/machine/launch.hpp"

#include <algorithm>
#include <numeric>

namespace fmha950::machine {

WaveTurns::WaveTurns(Workgroup& workgroup)
    : workgroup_(workgroup), schedule_(workgroup.launch->options.schedule) {
  if (schedule_.waves != WaveOrder::pct) return;
  priority_.resize(workgroup.waves.size());
  std::iota(priority_.begin(), priority_.end(), 1);
  for (size_t i = priority_.size(); i > 1; --i)
    std::swap(priority_[i - 1], priority_[workgroup.wave_random.below(static_cast<uint32_t>(i))]);
  changes_.restart(Random(workgroup.wave_random.next()));
}

bool WaveTurns::running(size_t i) const { return workgroup_.waves[i].state == WaveState::running; }

Wave* WaveTurns::next() {
  const auto count = static_cast<uint32_t>(workgroup_.waves.size());
  switch (schedule_.waves) {
  case WaveOrder::random:
    turn_ = 1 + workgroup_.wave_random.below(64);
    return after(workgroup_.wave_random.below(count));
  case WaveOrder::pct: turn_ = std::min(changes_.until_next(), longest_turn); return highest();
  case WaveOrder::round_robin:
  case WaveOrder::starve: turn_ = longest_turn; return after(position_);
  }
  return nullptr;
}

Wave* WaveTurns::after(size_t position) {
  const size_t count = workgroup_.waves.size();
  Wave* starved = nullptr;
  for (size_t i = 0; i < count; ++i) {
    const size_t candidate = (position + i) % count;
    if (!running(candidate)) continue;
    if (schedule_.waves == WaveOrder::starve && !relents_ && candidate == schedule_.wave_seed % count) {
      starved = &workgroup_.waves[candidate];
      continue;
    }
    position_ = candidate + 1;
    return &workgroup_.waves[candidate];
  }
  return starved;
}

Wave* WaveTurns::highest() {
  Wave* best = nullptr;
  for (size_t i = 0; i < workgroup_.waves.size(); ++i)
    if (running(i) && (!best || priority_[i] > priority_[position_])) {
      best = &workgroup_.waves[i];
      position_ = i;
    }
  return best;
}

uint64_t WaveTurns::turn() const { return turn_; }

// At a change point, and when it may be waiting in a loop for another, the running wave falls behind all.
void WaveTurns::executed(uint64_t count) {
  relents_ = count >= longest_turn;
  if (schedule_.waves != WaveOrder::pct || count == 0) return;
  if (changes_.advance(count) || count >= longest_turn) priority_[position_] = --lowest_;
}

} // namespace fmha950::machine
