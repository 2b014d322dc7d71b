#include "emulator/observe/missing_barrier.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace fmha950::observe {
namespace {

struct Times { // that each of the two executes an s_barrier
  size_t more = 0, fewer = 0;
};
using TimesOf = std::unordered_map<const isa::Instruction*, Times>;

// What a barrier is compared by: its address, or how often its wave executes it where the other never does.
std::vector<uint64_t> signs_of(BarriersMet met, const TimesOf& times) {
  std::vector<uint64_t> signs;
  signs.reserve(met.size());
  for (const isa::Instruction* barrier : met) {
    const Times& of = times.at(barrier);
    const bool shared = of.more > 0 && of.fewer > 0;
    // Instructions lie at even addresses.
    signs.push_back(shared ? reinterpret_cast<uint64_t>(barrier) : 2 * (of.more + of.fewer) + 1);
  }
  return signs;
}

// Whether most of the barriers come behind that place: no loop with barriers has begun, and one comes, or the greater part of
// those that are left, as in a loop with one turn.
bool is_start(BarriersMet met, const TimesOf& times, size_t place) {
  const auto is_of_loop = [&](const isa::Instruction* barrier) { return times.at(barrier).more > 1; };
  const BarriersMet before = met.first(place), behind = met.subspan(place + 1);
  return std::ranges::none_of(before, is_of_loop) &&
         (before.size() < behind.size() || std::ranges::any_of(behind, is_of_loop));
}

} // namespace

MissingBarrier missing_barrier(BarriersMet more, BarriersMet fewer) {
  TimesOf times;
  for (const isa::Instruction* barrier : more) ++times[barrier].more;
  for (const isa::Instruction* barrier : fewer) ++times[barrier].fewer;
  const std::vector<uint64_t> long_one = signs_of(more, times), short_one = signs_of(fewer, times);
  const auto alike = std::ranges::mismatch(short_one, long_one).in1 - short_one.begin();
  const auto alike_from_behind =
      std::mismatch(short_one.rbegin(), short_one.rend(), long_one.rbegin()).first - short_one.rbegin();
  // Without the barrier at one of these places `more` would be as `fewer`, or as far as both are alike.
  const size_t ahead = static_cast<size_t>(alike),
               behind = short_one.size() - static_cast<size_t>(alike_from_behind);
  const auto [first, last] = std::minmax(ahead, behind);
  return {first == 0 || is_start(more, times, first), last == short_one.size()};
}

} // namespace fmha950::observe
