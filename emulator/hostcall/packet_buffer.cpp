#include "emulator/hostcall/packet_buffer.hpp"

#include "emulator/memory/fault.hpp"

#include <atomic>
#include <fmt/format.h>
#include <vector>

namespace fmha950::hostcall {
namespace {

// Every wave that runs may hold one packet: 1,024 host threads at most, each with a workgroup of 16 waves.
constexpr uint64_t packets = 1024 * 16;
// The bits above count how often a packet went round, so that no pointer comes twice while a wave still compares with it.
constexpr uint64_t index_mask = packets - 1;

struct Head {
  uint64_t headers, payloads, doorbell, free_stack, ready_stack, index_mask;
};
struct Header {
  uint64_t next, lanes;
  uint32_t service, control;
};
constexpr uint32_t ready_flag = 1; // of control: the host has not answered yet
struct Payload {
  uint64_t words[64][8];
};
// hsa's amd_signal_t, as far as a wave uses it: adds to the value, and with a mailbox sends an interrupt.
struct Signal {
  int64_t kind, value;
  uint64_t mailbox;
  uint32_t event;
};
static_assert(sizeof(Head) == 48 && sizeof(Header) == 24 && sizeof(Payload) == 4096);

constexpr size_t align(size_t bytes) { return (bytes + 63) / 64 * 64; }
constexpr size_t signal_at = align(sizeof(Head)), mailbox_at = signal_at + align(sizeof(Signal)),
                 headers_at = mailbox_at + 64, payloads_at = headers_at + align(packets * sizeof(Header)),
                 all_bytes = payloads_at + packets * sizeof(Payload);

} // namespace

PacketBuffer::PacketBuffer() : block_(all_bytes) {
  *block_.at<Signal>(signal_at) = {
      .kind = 1, .value = 0, .mailbox = address() + mailbox_at, .event = 1}; // 1: a user signal
  auto* const headers = block_.at<Header>(headers_at);
  for (uint64_t i = 1; i < packets; ++i) headers[i].next = i - 1;
  headers[1].next = packets; // packet 0, because 0 itself ends a stack
  *block_.at<Head>(0) = {.headers = address() + headers_at,
                         .payloads = address() + payloads_at,
                         .doorbell = address() + signal_at,
                         .free_stack = packets - 1,
                         .ready_stack = 0,
                         .index_mask = index_mask};
}

void PacketBuffer::answer_ready(const Answer& answer) {
  std::atomic_ref ready(block_.at<Head>(0)->ready_stack);
  if (ready.load(std::memory_order_relaxed) == 0) return;
  std::vector<uint64_t> taken;
  auto* const headers = block_.at<Header>(headers_at);
  for (uint64_t top = ready.exchange(0); top; top = headers[top & index_mask].next) {
    if (taken.size() == packets) machine::raise_fault("hostcall: the stack of ready packets has no end");
    taken.push_back(top & index_mask);
  }
  for (auto packet = taken.rbegin(); packet != taken.rend(); ++packet) {
    Header& header = headers[*packet];
    answer(header.service, header.lanes, block_.at<Payload>(payloads_at)[*packet].words);
    std::atomic_ref(header.control).fetch_and(~ready_flag);
  }
}

} // namespace fmha950::hostcall
