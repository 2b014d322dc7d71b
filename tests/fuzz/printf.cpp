// Messages of printf as a kernel may send them: pieces of messages, and records of the buffer. Whatever comes, the text is
// bounded, and what is not printed is refused with a reason or is a fault.
#include "emulator/hostcall/printf_buffer.hpp"
#include "emulator/memory/fault.hpp"
#include "tests/fuzz/target.hpp"

#include <cstring>

namespace fmha950::fuzz {
namespace {

void printf_messages(Bytes input) {
  size_t printed = 0;
  const hostcall::Output output{
      .print = [&](bool, const std::string& text) { printed += text.size(); },
      .refuse = [](const std::string& why) { ensure(!why.empty(), "a refusal has a reason"); }};
  hostcall::print_records(std::as_bytes(input), {{1, "%d %s\n"}}, output);
  hostcall::PrintfMessages messages;
  for (Bytes rest = input; rest.size() >= 8; rest = rest.subspan(std::min<size_t>(rest.size(), 64))) {
    uint64_t words[8] = {};
    std::memcpy(words, rest.data(), std::min<size_t>(rest.size(), sizeof words));
    try {
      messages.take(words, output);
    } catch (const machine::Fault&) {
    }
  }
  std::vector<uint64_t> message(input.size() / 8);
  if (!message.empty()) std::memcpy(message.data(), input.data(), message.size() * 8);
  const int64_t count = hostcall::print_message(message, output);
  ensure(count >= -1, "printf returns what it printed, or -1");
  // Each conversion takes two bytes and prints at most a width and a precision of 65536 each.
  ensure(printed <= (input.size() + 64) * (2 << 16), "what is printed is bounded");
}

const Registration registration("printf", printf_messages);

} // namespace
} // namespace fmha950::fuzz
