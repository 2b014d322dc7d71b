#include "emulator/hostcall/printf_messages.hpp"

#include "emulator/hostcall/printf_format.hpp"
#include "emulator/memory/fault.hpp"

#include <fmt/format.h>

namespace fmha950::hostcall {
namespace {

// The descriptor that every piece begins with.
constexpr uint64_t begin_flag = 1, end_flag = 2;
constexpr int length_shift = 5, number_shift = 8;
constexpr uint64_t length_mask = 7, flags_mask = (1 << number_shift) - 1;

} // namespace

int64_t print_message(std::span<const uint64_t> words, const Output& output) {
  try {
    if (words.empty()) throw FormatError("the message is empty");
    if (words.front() > 1) throw FormatError(fmt::format("unknown control word {:#x}", words.front()));
    const bool to_stderr = words.front() == 1;
    words = words.subspan(1);
    const std::string form = take_string(words, "the format");
    const std::string text = format(form, words);
    output.print(to_stderr, text);
    return static_cast<int64_t>(text.size());
  } catch (const FormatError& error) {
    output.refuse(error.what());
    return -1;
  }
}

void PrintfMessages::take(uint64_t* words, const Output& output) {
  uint64_t descriptor = words[0];
  if (descriptor & begin_flag) {
    if (open_.size() >= most_messages)
      machine::raise_fault("printf: 2^20 messages have begun and none of them has ended");
    open_[next_];
    descriptor = next_++ << number_shift | (descriptor & flags_mask & ~begin_flag);
  }
  const auto message = open_.find(descriptor >> number_shift);
  if (message == open_.end())
    machine::raise_fault(fmt::format("printf: a piece of message {}, which has not begun or has ended",
                                     descriptor >> number_shift));
  const uint64_t length = descriptor >> length_shift & length_mask;
  if (message->second.size() + length > most_words)
    machine::raise_fault(fmt::format("printf: a message of more than {} bytes", 8 * most_words));
  message->second.insert(message->second.end(), words + 1, words + 1 + length);
  words[0] = descriptor;
  if (!(descriptor & end_flag)) return;
  words[0] = static_cast<uint64_t>(print_message(message->second, output));
  open_.erase(message);
}

} // namespace fmha950::hostcall
