#include "emulator/machine/workgroup.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/loader/code_symbol.hpp"
#include "emulator/machine/float_mode.hpp"
#include "emulator/machine/launch.hpp"
#include "emulator/machine/listener.hpp"
#include "emulator/machine/wave_turns.hpp"

#include <fmt/format.h>

namespace fmha950::machine {
namespace {

// A loop's decoded code is larger than the host's L1.
[[gnu::always_inline]] inline void fetch_ahead(const isa::Instruction* in) {
  constexpr int line = 64;
  __builtin_prefetch(in);
  __builtin_prefetch(reinterpret_cast<const char*>(in) + line);
}

template <bool followed> [[gnu::always_inline]] inline void run_one(Wave& wave) {
  const isa::Instruction& in = *wave.next;
  wave.current = &in;
  wave.next = &in + 1;
  fetch_ahead(&in + 4);
  ++wave.executed;
  if constexpr (followed) wave.listener->before(wave, in);
  execute(wave, in);
}

template <bool stepped, bool followed> void run_turn(Wave& wave, uint64_t turn) {
  const uint64_t stop = wave.executed + turn;
  while (wave.state == WaveState::running && wave.executed < stop) {
    run_one<followed>(wave);
    if constexpr (stepped)
      if (wave.memory.wants_steps()) wave.memory.step(wave);
  }
}

void run_turn(Wave& wave, uint64_t turn, MemoryOrder memory) {
  const bool stepped = MemoryQueues::stepped_order(memory);
  if (wave.listener)
    stepped ? run_turn<true, true>(wave, turn) : run_turn<false, true>(wave, turn);
  else
    stepped ? run_turn<true, false>(wave, turn) : run_turn<false, false>(wave, turn);
}

std::string context(const Workgroup& workgroup, const Wave& wave, const char* what) {
  const loader::Kernel& kernel = *workgroup.launch->kernel;
  const uint64_t address = wave.current ? wave.current->address : 0;
  const std::string line = kernel.object->source_line(address);
  return fmt::format("{}\n  kernel {}, workgroup ({}, {}, {}), wave {}\n  {}: {}\n  source {}", what,
                     kernel.name, workgroup.id[0], workgroup.id[1], workgroup.id[2], wave.index,
                     loader::place_text(kernel, address), wave.current ? isa::disassemble(*wave.current) : "",
                     line.empty() ? "unknown" : line);
}

void require_budget(const Wave& wave, uint64_t budget) {
  if (wave.executed > budget)
    throw RunawayFault(
        fmt::format("runaway wave: {} instructions executed, the budget is {}", wave.executed, budget));
}

// A Fault of what the wave does is told to who listens, and gets its context.
template <class Act> void guarded(const Workgroup& workgroup, Wave& wave, Act act) {
  try {
    act();
  } catch (const Fault& fault) {
    if (wave.listener) wave.listener->stopped(wave, fault);
    throw Fault(context(workgroup, wave, fault.what()));
  }
}

// Memory operations complete on the hardware whatever their wave does meanwhile: stand at a barrier, sleep, poll.
// A schedule may hold them back, but not for ever: another wave may be polling for what they write. How long
// nothing happened but instructions is what tells, so that it depends on the schedule alone.
class Patience {
 public:
  explicit Patience(std::vector<Wave>& waves) : waves_(waves) {}
  void progress() { executed_ = 0; } // a barrier was released, or a wave ended
  void executed(uint64_t instructions) {
    executed_ += instructions;
    if (executed_ < longest_turn) [[likely]]
      return;
    for (Wave& wave : waves_) wave.memory.drain(wave);
    progress();
  }

 private:
  std::vector<Wave>& waves_;
  uint64_t executed_ = 0;
};

} // namespace

bool Workgroup::release_barrier() {
  bool released = false;
  for (Wave& waiting : waves)
    if (waiting.state == WaveState::at_barrier) {
      waiting.state = WaveState::running;
      released = true;
    }
  WorkgroupListener* const listener = waves.front().listener;
  if (released && listener) listener->barrier_released(*this);
  return released;
}

void Workgroup::look_around() {
  check.forget_released();
  if (launch->stop && launch->stop->load(std::memory_order_relaxed)) [[unlikely]]
    raise_fault("stopped: the device has faulted, was reset, or the program ends");
}

void Workgroup::step(Wave& wave, uint32_t instructions) {
  guarded(*this, wave, [&] {
    look_around();
    for (; instructions != 0; --instructions) wave.listener ? run_one<true>(wave) : run_one<false>(wave);
    require_budget(wave, launch->options.instruction_budget);
  });
}

void Workgroup::run() {
  if (pacer) return pacer->run(*this);
  WaveTurns turns(*this);
  Patience patience(waves);
  for (;;) {
    Wave* wave = turns.next();
    if (!wave) { // all at the barrier, or ended: ended waves drop out of it (machine_gfx950.md section 1.2)
      if (!release_barrier()) return;
      patience.progress();
      continue;
    }
    guarded(*this, *wave, [&] {
      look_around();
      const uint64_t before = wave->executed;
      run_turn(*wave, turns.turn(), launch->options.schedule.memory);
      turns.executed(wave->executed - before);
      patience.executed(wave->executed - before);
      if (wave->state == WaveState::ended) patience.progress();
      require_budget(*wave, launch->options.instruction_budget);
    });
  }
}

} // namespace fmha950::machine
