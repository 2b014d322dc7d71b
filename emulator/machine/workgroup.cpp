#include "emulator/machine/workgroup.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/machine/launch.hpp"

#include <fmt/format.h>

namespace fmha950::machine {
namespace {

// A wave that neither meets a barrier nor ends gives way after this many instructions, so that waves which
// wait for each other through memory make progress.
constexpr uint64_t longest_turn = 1 << 16;

template <bool random_memory> void run_turn(Wave& wave, uint64_t turn) {
  const uint64_t stop = wave.executed + turn;
  while (wave.state == WaveState::running && wave.executed < stop) {
    const isa::Instruction& in = *wave.next;
    wave.current = &in;
    wave.next = &in + 1;
    ++wave.executed;
    in.execute(wave, in);
    if constexpr (random_memory)
      if (wave.memory.wants_steps()) wave.memory.step(wave);
  }
}

std::string context(const Workgroup& group, const Wave& wave, const char* what) {
  const loader::Kernel& kernel = *group.launch->kernel;
  const uint64_t address = wave.current ? wave.current->address : 0;
  const std::string line = kernel.object->source_line(address);
  return fmt::format("{}\n  kernel {}, workgroup ({}, {}, {}), wave {}\n  {:#x}: {}\n  source {}", what,
                     kernel.name, group.id[0], group.id[1], group.id[2], wave.index, address - kernel.entry,
                     wave.current ? isa::disassemble(*wave.current) : "", line.empty() ? "unknown" : line);
}

// Chooses the next running wave and how long its turn is, by the schedule's wave order.
struct WaveTurns {
  Workgroup& group;
  const Schedule& schedule = group.launch->options.schedule;
  size_t position = 0;

  Wave* next() {
    const size_t count = group.waves.size();
    const auto running = [&](size_t i) { return group.waves[i].state == WaveState::running; };
    if (schedule.waves == WaveOrder::random) position = group.wave_random.below(static_cast<uint32_t>(count));
    Wave* starved = nullptr;
    for (size_t i = 0; i < count; ++i) {
      const size_t candidate = (position + i) % count;
      if (!running(candidate)) continue;
      if (schedule.waves == WaveOrder::starve && candidate == schedule.wave_seed % count) {
        starved = &group.waves[candidate];
        continue;
      }
      position = candidate + 1;
      return &group.waves[candidate];
    }
    return starved;
  }
  uint64_t turn() {
    return schedule.waves == WaveOrder::random ? 1 + group.wave_random.below(64) : longest_turn;
  }
};

} // namespace

void Workgroup::run() {
  WaveTurns turns{*this};
  for (;;) {
    Wave* wave = turns.next();
    if (!wave) { // all at the barrier, or ended: ended waves drop out of it (machine_gfx950.md section 1.2)
      bool released = false;
      for (Wave& waiting : waves)
        if (waiting.state == WaveState::at_barrier) {
          waiting.state = WaveState::running;
          released = true;
        }
      if (!released) return;
      continue;
    }
    try {
      if (launch->options.schedule.memory == MemoryOrder::random)
        run_turn<true>(*wave, turns.turn());
      else
        run_turn<false>(*wave, turns.turn());
      if (wave->executed > launch->options.instruction_budget)
        raise_fault(fmt::format("runaway wave: {} instructions executed, the budget is {}", wave->executed,
                                launch->options.instruction_budget));
    } catch (const Fault& fault) {
      throw Fault(context(*this, *wave, fault.what()));
    }
  }
}

} // namespace fmha950::machine
