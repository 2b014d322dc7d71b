// LDS DMA of each width, from a buffer and from addresses: all of LDS afterwards against machine_gfx950.md,
// section 3.2.
#include "harness/instruction/instruction_probe.hpp"
#include "harness/instruction/kernel_arguments.hpp"
#include "interface/hip.hpp"

#include <algorithm>
#include <cstring>

namespace fmha950::instruction {

namespace {

constexpr uint32_t source_bytes = 2048;
// As the buffer says: ends within the 16 bytes of one lane, and before those of some others.
constexpr uint32_t buffer_bytes = 1896;

// Each lane's 32 bytes are elsewhere, and narrow requests elsewhere within them.
uint32_t offset_of(uint32_t lane, uint32_t bytes) {
  return lane * 41 % lanes * 32 + lane % (16 / bytes) * bytes;
}

struct Request {
  uint32_t bytes; // of each lane
  bool buffer;
  std::string kernel() const { return fmt::format("lds_dma_{}_{}", buffer ? "buffer" : "global", bytes); }
};

std::vector<uint8_t> make_source() {
  std::vector<uint8_t> source(source_bytes);
  for (uint32_t i = 0; i < source_bytes; ++i) source[i] = static_cast<uint8_t>(i * 167 + i / 256 * 13 + 1);
  return source;
}

// Words of up to 4 bytes, widened by zeros. What the buffer does not hold is zero, word by word. The slots of
// wide requests are 16 bytes apart, those of others 4; inactive lanes' slots stay as they were.
std::vector<uint32_t> expected_lds(const Request& request, const std::vector<uint8_t>& source,
                                   uint64_t active) {
  std::vector<uint32_t> lds(lds_words);
  for (uint32_t i = 0; i < lds.size(); ++i) lds[i] = lds_before + i;
  const uint32_t slot_words = request.bytes > 4 ? 4 : 1, piece = std::min(request.bytes, 4u);
  for (uint32_t lane = 0; lane < lanes; ++lane)
    for (uint32_t done = 0; (active >> lane & 1) != 0 && done < request.bytes; done += piece) {
      const uint32_t from = offset_of(lane, request.bytes) + done;
      uint32_t& word = lds[lds_guard + lane * slot_words + done / 4];
      word = 0;
      if (!request.buffer || from + piece <= buffer_bytes) std::memcpy(&word, &source[from], piece);
    }
  return lds;
}

std::vector<uint32_t> lds_after(const Request& request, const std::vector<uint8_t>& source, uint64_t active) {
  std::vector<uint32_t> offsets, lds(lds_words);
  for (uint32_t lane = 0; lane < lanes; ++lane) offsets.push_back(offset_of(lane, request.bytes));
  const hip::Buffer device_source = hip::uploaded(source), device_offsets = hip::uploaded(offsets),
                    device_lds = hip::uploaded(lds);
  const LdsDmaArguments arguments{device_source.as<uint8_t>(), device_offsets.as<uint32_t>(),
                                  device_lds.as<uint32_t>(), active, buffer_bytes};
  hip::launch(hip::load_kernel("probe_lds_dma", request.kernel()), {1, 1, 1}, {lanes, 1, 1}, &arguments,
              sizeof arguments, nullptr);
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  device_lds.download(lds.data(), device_lds.bytes());
  return lds;
}

Measurement measure(const Request& request) {
  const std::vector<uint8_t> source = make_source();
  Measurement measurement;
  for (const uint64_t active : {~uint64_t{0}, uint64_t{0x7000'0FF0'A5A5'0005}}) {
    const std::vector<uint32_t> want = expected_lds(request, source, active),
                                got = lds_after(request, source, active);
    for (int byte = 0; byte < 4 * lds_words; ++byte) {
      const auto byte_of = [byte](const std::vector<uint32_t>& words) {
        return words[byte / 4] >> 8 * (byte % 4) & 255;
      };
      if (byte_of(got) == byte_of(want)) continue;
      if (measurement.error++ == 0)
        measurement.worst =
            fmt::format("first at byte {} behind the destination: {:#04x} instead of {:#04x}, lanes {:#x}",
                        byte - 4 * lds_guard, byte_of(got), byte_of(want), active);
    }
  }
  return measurement;
}

} // namespace

std::vector<InstructionProbe> lds_dma_widths() {
  std::vector<InstructionProbe> probes;
  for (const bool buffer : {true, false})
    for (const uint32_t bytes : {1, 2, 4, 12, 16}) {
      const Request request{bytes, buffer};
      probes.push_back(
          {fmt::format("lds_dma/{}/bytes={}", buffer ? "buffer" : "global", bytes),
           fmt::format("where {} bytes of each lane land in LDS, and that nothing else is touched{}", bytes,
                       buffer ? "; zeros from beyond the buffer" : ""),
           0, [request] { return measure(request); }});
    }
  return probes;
}

} // namespace fmha950::instruction
