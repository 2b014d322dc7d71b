#pragma once
// Pairs of instructions that come too soon after one another: hazards that the hardware does not interlock
// and that s_nop or independent instructions must cover (wait_state_rules.hpp), in compiled code and in
// inline assembly alike.
//
// Distance is counted along the instructions that the wave issues: every instruction is one wait state, taken
// branches, s_waitcnt and vector instructions with EXEC = 0 too, s_nop n is n + 1 (machine_gfx950.md section
// 2). Time that a wave happens to lose waiting is not guaranteed and does not count. LLVM's
// GCNHazardRecognizer instead walks back over every static path, sees no further than the function, and
// counts inline assembly as nothing: what it pads for is enough here, what inline assembly or a caller left
// is found on the paths that are executed.

#include "emulator/machine/wave.hpp"
#include "emulator/observe/report/hazard.hpp"
#include "emulator/observe/wait_states/wait_state_info.hpp"
#include "emulator/observe/wait_states/wait_state_pair.hpp"

#include <vector>

namespace fmha950::observe {

class WaitStates {
 public:
  void start(int waves);
  // Before each instruction. `in` and `info` must stay where they are until the workgroup's end.
  [[gnu::always_inline]] void instruction(const machine::Wave& wave, const isa::Instruction& in,
                                          const WaitStateInfo& info, HazardSink& sink) {
    Track& track = tracks_[static_cast<size_t>(wave.index)];
    const uint32_t now = track.clock;
    if (now < track.latest || info.looks_back) check(track, wave, in, info, sink);
    track.clock = now + info.states;
    if (!info.effects().empty()) record(track, in, info);
  }

 private:
  struct Past {
    const isa::Instruction* instruction = nullptr;
    const WaitStateInfo* info = nullptr;
    uint32_t end = 0; // wait states up to its end
  };
  struct Track {         // of one wave
    uint32_t clock = 0;  // wait states so far
    uint32_t latest = 0; // the last of `until`
    uint32_t recorded = 0;
    Past past[32];                        // the last that had effects; more than longest_of_all
    uint32_t until[resource::count] = {}; // when the last effect on it stops mattering
  };

  static void check(const Track& track, const machine::Wave& wave, const isa::Instruction& in,
                    const WaitStateInfo& info, HazardSink& sink);
  static bool is_affected(const Track& track, const WaitStateInfo::Operand& access);
  static void look_back(const Track& track, const WaitStateInfo::Operand& access, uint32_t horizon,
                        const isa::Instruction& in, SpacedPair& worst);
  static void report(const SpacedPair& violation, const machine::Wave& wave, const isa::Instruction& in,
                     HazardSink& sink);

  [[gnu::always_inline]] static void record(Track& track, const isa::Instruction& in,
                                            const WaitStateInfo& info) {
    track.past[track.recorded++ % std::size(track.past)] = {&in, &info, track.clock};
    for (const WaitStateInfo::Operand& effect : info.effects()) {
      if (effect.longest == 0) continue;
      const uint32_t until = track.clock + effect.longest;
      if (until > track.latest) track.latest = until;
      for (int r = effect.first; r < effect.end(); ++r)
        if (until > track.until[r]) track.until[r] = until;
    }
  }

  std::vector<Track> tracks_;
};

} // namespace fmha950::observe
