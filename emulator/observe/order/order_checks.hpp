#pragma once
// The order checks of one host thread, which follows one workgroup after the other.

#include "emulator/observe/order/lds_order.hpp"
#include "emulator/observe/order/memory_order.hpp"

namespace fmha950::observe {

class OrderChecks { // of one host thread
 public:
  // `shadow` is shared by the host threads, and by all launches, each of which it is told (begin_launch).
  OrderChecks(MemoryShadow& shadow, HazardSink& sink, uint32_t checks = all_checks)
      : checks_(checks), lds_(clocks_, sink), memory_(shadow, clocks_, sink) {}

  void start(const machine::Workgroup& workgroup);
  void memory(const MemoryEvent& event, const Completion& completion) {
    if (includes(checks_, HazardClass::memory_order)) memory_.memory(event, completion);
    if (includes(checks_, HazardClass::lds_order)) lds_.memory(event, completion);
  }
  void arrived(int wave, const Completion& completion) {
    memory_.arrived(wave, completion);
    clocks_.arrived(wave, completion);
  }
  void released() {
    clocks_.released();
    lds_.released();
  }

 private:
  uint32_t checks_;
  WorkgroupClocks clocks_;
  LdsOrder lds_;
  MemoryOrder memory_;
};

} // namespace fmha950::observe
