#pragma once
// The buffer through which waves call the host: packets that go round between a stack of free and a stack of ready ones,
// and a signal that waves ring. Waves find it in the hidden argument hidden_hostcall_buffer. The layout is that of ROCm's
// device library (ockl, __ockl_hostcall_internal) as of ROCm 4 to 7 and of Triton's wheels (docs/device.md).

#include "emulator/hostcall/device_block.hpp"

#include <functional>

namespace fmha950::hostcall {

class PacketBuffer {
 public:
  PacketBuffer(); // throws std::bad_alloc

  uint64_t address() const { return block_.address(); }
  // Answers the packets that are ready, the oldest first. The words of a lane are its request and become its answer.
  using Answer = std::function<void(uint32_t service, uint64_t lanes, uint64_t (*words)[8])>;
  void answer_ready(const Answer& answer);

 private:
  DeviceBlock block_;
};

} // namespace fmha950::hostcall
