#pragma once
// The order checks of one host thread, which follows one workgroup after the other.

#include "emulator/observe/order/lds_order.hpp"
#include "emulator/observe/order/memory_order.hpp"

namespace fmha950::observe {

class OrderChecks { // of one host thread
 public:
  // `shadow` is shared by the host threads, and by all launches, each of which it is told (begin_launch).
  OrderChecks(MemoryShadow& shadow, HazardSink& sink) : lds_(clocks_, sink), memory_(shadow, clocks_, sink) {}

  void start(const machine::Workgroup& workgroup);
  void memory(const MemoryEvent& event, const Completion& completion) {
    memory_.memory(event, completion); // each, as what orders the one memory may order the other
    lds_.memory(event, completion);
  }
  void waited(int wave, const Completion& completion) { lds_.waited(wave, completion); }
  void arrived(int wave, const Completion& completion) {
    lds_.waited(wave, completion);
    memory_.arrived(wave, completion);
    clocks_.arrived(wave, completion);
  }
  void released() {
    clocks_.released();
    lds_.released();
  }

 private:
  WorkgroupClocks clocks_;
  LdsOrder lds_;
  MemoryOrder memory_;
};

} // namespace fmha950::observe
