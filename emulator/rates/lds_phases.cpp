#include "emulator/rates/lds_phases.hpp"

#include "emulator/rates/rates.hpp"

#include <algorithm>
#include <array>

namespace fmha950::timing {
namespace {

constexpr int most_banks = 64;

// The phase of a half wave, by lane / 4: lds_phases.csv [M].
constexpr std::array<int, 8> b96_phases = {0, 1, 2, 3, 1, 0, 3, 2};
constexpr std::array<int, 8> b128_phases = {0, 1, 1, 0, 1, 0, 0, 1};

// b96 reads are served like writes, from 32 banks: lds_phases.csv [M].
int banks(LdsDirection direction, int dwords) {
  return direction == LdsDirection::write || dwords == 3 ? 32 : 64;
}

int dwords_of(int bytes) { return std::max(1, (bytes + 3) / 4); }

int phase_count(LdsDirection direction, int dwords) {
  const int at_once = banks(direction, dwords) / (dwords == 3 ? 4 : dwords); // lanes
  return wave_lanes / at_once;
}

} // namespace

int lds_clocks(LdsDirection direction, int bytes) { return phase_count(direction, dwords_of(bytes)); }

int lds_phase_of(LdsDirection direction, int bytes, int lane) {
  const int dwords = dwords_of(bytes), phases = phase_count(direction, dwords);
  if (direction == LdsDirection::read && dwords >= 3) {
    const auto& of_half = dwords == 3 ? b96_phases : b128_phases;
    return lane / 32 * (phases / 2) + of_half[static_cast<size_t>(lane % 32 / 4)];
  }
  return lane * phases / wave_lanes;
}

namespace {

LdsPhases count_phases(LdsDirection direction, int bytes, const std::array<uint32_t, wave_lanes>& addresses,
                       uint64_t lanes) {
  const int dwords = dwords_of(bytes), bank_count = banks(direction, dwords);
  // The dwords that each bank of a phase is asked for; the same one goes to all lanes at once.
  struct Wanted {
    uint32_t dwords[wave_lanes];
    uint8_t count;
  };
  std::array<int, wave_lanes> phase_of;
  for (int lane = 0; lane < wave_lanes; ++lane)
    phase_of[static_cast<size_t>(lane)] = lds_phase_of(direction, bytes, lane);
  LdsPhases result{.phases = phase_count(direction, dwords)};
  for (int phase = 0; phase < result.phases; ++phase) {
    std::array<Wanted, most_banks> wanted;
    for (int bank = 0; bank < bank_count; ++bank) wanted[static_cast<size_t>(bank)].count = 0;
    int turns = 1;
    for (int lane = 0; lane < wave_lanes; ++lane) {
      if (!(lanes >> lane & 1) || phase_of[static_cast<size_t>(lane)] != phase) continue;
      for (int d = 0; d < dwords; ++d) {
        const uint32_t dword = addresses[static_cast<size_t>(lane)] / 4 + static_cast<uint32_t>(d);
        Wanted& bank = wanted[dword % static_cast<uint32_t>(bank_count)];
        if (std::find(bank.dwords, bank.dwords + bank.count, dword) != bank.dwords + bank.count) continue;
        bank.dwords[bank.count++] = dword;
        turns = std::max<int>(turns, bank.count);
      }
    }
    result.conflicts += turns - 1;
  }
  return result;
}

// Kernels ask for a few patterns of addresses over and over: the last ones are kept. What all lanes have in common above
// the banks makes no difference: `shift` takes it away.
class KnownPattern {
 public:
  LdsPhases phases(LdsDirection direction, int bytes, const uint32_t* addresses, uint32_t shift,
                   uint64_t lanes) {
    if (direction != direction_ || bytes != bytes_ || lanes != lanes_ || !has(addresses, shift)) {
      for (size_t lane = 0; lane < addresses_.size(); ++lane) addresses_[lane] = addresses[lane] + shift;
      direction_ = direction;
      bytes_ = bytes;
      lanes_ = lanes;
      phases_ = count_phases(direction, bytes, addresses_, lanes);
    }
    return phases_;
  }

 private:
  bool has(const uint32_t* addresses, uint32_t shift) const {
    uint32_t differ = 0;
    for (size_t lane = 0; lane < addresses_.size(); ++lane)
      differ |= (addresses[lane] + shift) ^ addresses_[lane];
    return differ == 0;
  }

  std::array<uint32_t, wave_lanes> addresses_{}; // shifted
  uint64_t lanes_ = 0;
  LdsDirection direction_ = LdsDirection::read;
  int bytes_ = 0; // no access
  LdsPhases phases_;
};

} // namespace

LdsPhases lds_phases(LdsDirection direction, int bytes, const uint32_t* addresses, uint64_t lanes,
                     uint32_t offset) {
  constexpr uint32_t all_banks = most_banks * 4;
  constexpr size_t kept = 1024;
  thread_local std::array<KnownPattern, kept> known;
  const uint32_t shift = offset - (addresses[0] + offset) / all_banks * all_banks;
  uint32_t hash = static_cast<uint32_t>(bytes) * 2 + static_cast<uint32_t>(direction);
  for (const size_t lane : {0, 1, 2, 4, 8, 16, 32, 63})
    hash = hash * 2654435761U + (addresses[lane] + shift) / 4;
  return known[(hash ^ hash >> 12) % kept].phases(direction, bytes, addresses, shift, lanes);
}

} // namespace fmha950::timing
