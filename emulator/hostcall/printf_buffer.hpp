#pragma once
// Buffered printf (clang's -mprintf-kind=buffered): waves append records to a buffer that the host prints when the launch is
// over. Waves find it in the hidden argument hidden_printf_buffer. A record that no longer fits is lost, and printf returns -1.

#include "emulator/hostcall/device_block.hpp"
#include "emulator/hostcall/printf_messages.hpp"

#include <string>
#include <vector>

namespace fmha950::hostcall {

// Format strings by their hash, from the metadata's amdhsa.printf.
std::map<uint64_t, std::string> formats_of(const std::vector<std::string>& metadata);

// Prints all records; one that is malformed is refused, and with it what is behind it where its size cannot be right.
void print_records(std::span<const std::byte> records, const std::map<uint64_t, std::string>& formats,
                   const Output& output);

class PrintfBuffer {
 public:
  explicit PrintfBuffer(uint32_t bytes);
  uint64_t address() const { return block_.address(); }
  std::span<const std::byte> records() const;

 private:
  uint32_t bytes_;
  DeviceBlock block_;
};

} // namespace fmha950::hostcall
