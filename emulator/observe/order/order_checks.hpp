#pragma once
// The order checks of one host thread, which follows one workgroup after the other.

#include "emulator/machine/wave.hpp"
#include "emulator/observe/order/lds_order.hpp"
#include "emulator/observe/order/memory_order.hpp"
#include "emulator/program/memory_facts.hpp"

#include <array>
#include <optional>

namespace fmha950::observe {

class OrderChecks { // of one host thread
 public:
  // The host threads and all launches share `shadow`; it is told of each launch (begin_launch).
  OrderChecks(MemoryShadow& shadow, HazardSink& sink)
      : lds_(clocks_, sink), visibility_(clocks_), memory_(shadow, clocks_, visibility_, sink) {}

  void start(const machine::Workgroup& workgroup);
  void memory(const MemoryEvent& event, const Completion& completion) {
    settle(event.wave.index);
    memory_.memory(event, completion); // each, as what orders the one memory may order the other
    lds_.memory(event, completion);
  }
  void waited(int wave, const Completion& completion, uint32_t vmcnt) {
    if (waits_pass_later_)
      waits_[static_cast<size_t>(wave)] = completion;
    else
      acquire(wave, completion);
    visibility_.waited(wave, completion, vmcnt);
  }
  void cache(int wave, isa::CacheControl control, const Completion& completion);
  void arrived(int wave, const Completion& completion) {
    comes_to_barrier(wave, completion);
    clocks_.arrived(wave, completion);
  }
  void ended(int wave, const Completion& completion) {
    comes_to_barrier(wave, completion);
    clocks_.ended(wave, completion);
  }
  void arrived_in_doubt() { clocks_.arrived_in_doubt(); }
  void released() {
    clocks_.released();
    visibility_.released();
    lds_.released();
  }

 private:
  void comes_to_barrier(int wave, const Completion& completion) {
    settle(wave);
    acquire(wave, completion);
    visibility_.arrived(wave);
  }
  // What others have released, where loads and atomics have found it that are complete now.
  void acquire(int wave, const Completion& completion) {
    lds_.waited(wave, completion);
    memory_.waited(wave, completion);
  }
  void settle(int wave) {
    auto& wait = waits_[static_cast<size_t>(wave)];
    if (!wait) [[likely]]
      return;
    acquire(wave, *wait);
    wait.reset();
  }

  // Under `timed` a wave executes its s_waitcnt, then the model lets it pass when what it waits for has taken effect. A flag
  // may be set in between: so what was acquired is asked when the wave goes on.
  bool waits_pass_later_ = false;
  std::array<std::optional<Completion>, VectorClock::max_waves> waits_; // that have not passed yet

  WorkgroupClocks clocks_;
  LdsOrder lds_;
  Visibility visibility_;
  MemoryOrder memory_;
};

} // namespace fmha950::observe
