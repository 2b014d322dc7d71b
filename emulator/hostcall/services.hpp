#pragma once
// The services that a wave may ask for by a packet: 1 calls a function of the host, 2 prints, 3 allocates and frees device
// memory. Another number is a Fault.

#include "emulator/hostcall/packet_buffer.hpp"
#include "emulator/hostcall/printf_messages.hpp"
#include "emulator/machine/host_services.hpp"

#include <mutex>

namespace fmha950::hostcall {

struct DeviceMemory {
  std::function<uint64_t(uint64_t bytes)> allocate; // 0: there is not so much
  std::function<bool(uint64_t address)> release;    // false: nothing was allocated there
};

class Services final : public machine::HostServices { // of one launch
 public:
  Services(Output output, DeviceMemory memory);
  uint64_t buffer() const { return packets_.address(); }
  void serve() override;
  std::string last_words(const machine::Wave& wave) override;

 private:
  void answer(uint32_t service, uint64_t* words);
  void manage_memory(uint64_t* words);

  Output output_;
  DeviceMemory memory_;
  std::mutex mutex_; // of everything below
  PacketBuffer packets_;
  PrintfMessages messages_;
  uint64_t lanes_ = 0; // of the packet that is being answered
  // What was last printed on stderr, by the lanes of its packet. Packets do not say whose they are: of two waves whose
  // same lanes have printed there, a wave may be given the other's text.
  std::map<uint64_t, std::string> last_words_;
};

} // namespace fmha950::hostcall
