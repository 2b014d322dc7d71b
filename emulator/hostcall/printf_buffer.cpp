#include "emulator/hostcall/printf_buffer.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <fmt/format.h>

namespace fmha950::hostcall {
namespace {

struct PrintfHead {
  uint32_t used, bytes; // of the records behind it
};

// The first dword of a record.
constexpr uint32_t to_stderr = 1, format_by_hash = 2;
constexpr int size_shift = 2; // of the whole record, in bytes

template <class T> T take(std::span<const std::byte>& bytes) {
  T value;
  std::memcpy(&value, bytes.data(), sizeof value);
  bytes = bytes.subspan(sizeof value);
  return value;
}

void append(std::vector<uint64_t>& words, const void* bytes, size_t count) {
  const size_t before = words.size();
  words.resize(before + (count + 7) / 8);
  if (count) std::memcpy(words.data() + before, bytes, count);
}

} // namespace

// "0:0:HASH,FORMAT": code object metadata of LLVM keeps two fields in front that buffered printf does not use.
std::map<uint64_t, std::string> formats_of(const std::vector<std::string>& metadata) {
  std::map<uint64_t, std::string> formats;
  for (const std::string& entry : metadata) {
    const size_t comma = entry.find(',');
    if (comma == std::string::npos) continue;
    const size_t colon = entry.rfind(':', comma);
    const size_t begin = colon == std::string::npos ? 0 : colon + 1;
    uint64_t hash = 0;
    const auto read = std::from_chars(entry.data() + begin, entry.data() + comma, hash, 16);
    if (read.ec == std::errc{} && read.ptr == entry.data() + comma) formats[hash] = entry.substr(comma + 1);
  }
  return formats;
}

void print_records(std::span<const std::byte> records, const std::map<uint64_t, std::string>& formats,
                   const Output& output) {
  while (!records.empty()) {
    uint32_t control = 0;
    std::memcpy(&control, records.data(), std::min(records.size(), sizeof control));
    const uint32_t size = control >> size_shift, least = control & format_by_hash ? 12 : 4;
    if (size < least || size > records.size())
      return output.refuse(fmt::format("a record of {} bytes where {} are left", size, records.size()));
    auto rest = records.subspan(4, size - 4);
    records = records.subspan(size);
    std::vector<uint64_t> words = {control & to_stderr};
    if (control & format_by_hash) {
      const auto hash = take<uint64_t>(rest);
      const auto found = formats.find(hash);
      if (found == formats.end()) {
        output.refuse(fmt::format("the code object has no format {:x}", hash));
        continue;
      }
      append(words, found->second.c_str(), found->second.size() + 1);
    }
    append(words, rest.data(), rest.size());
    print_message(words, output);
  }
}

PrintfBuffer::PrintfBuffer(uint32_t bytes) : bytes_(bytes), block_(sizeof(PrintfHead) + bytes) {
  *block_.at<PrintfHead>(0) = {.used = 0, .bytes = bytes};
}

std::span<const std::byte> PrintfBuffer::records() const {
  return {block_.at<const std::byte>(sizeof(PrintfHead)), std::min(block_.at<PrintfHead>(0)->used, bytes_)};
}

} // namespace fmha950::hostcall
