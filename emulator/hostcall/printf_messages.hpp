#pragma once
// Messages of service 2, printf. A lane sends a message in pieces of up to seven words: the first has the flag `begin` and
// gets the message's number in its answer, the last has the flag `end` and makes the host print. The first word behind it
// all is 0 for stdout and 1 for stderr, then come format and arguments.

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace fmha950::hostcall {

// What the host does with text: a launch's output.
struct Output {
  std::function<void(bool to_stderr, const std::string& text)> print;
  std::function<void(const std::string& why)> refuse; // what cannot be printed
};

// The number of bytes printed; -1 and a refusal where format or arguments are malformed.
int64_t print_message(std::span<const uint64_t> words, const Output& output);

class PrintfMessages { // that have begun and not ended
 public:
  // A lane's eight words; the first becomes the answer. Throws machine::Fault for a piece of no message.
  void take(uint64_t* words, const Output& output);

 private:
  static constexpr size_t most_words = 1 << 16, most_messages = 1 << 20;
  std::map<uint64_t, std::vector<uint64_t>> open_; // by number
  uint64_t next_ = 0;
};

} // namespace fmha950::hostcall
