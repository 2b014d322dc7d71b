#pragma once
// printf's text from a format and the 64-bit words that a kernel sends as arguments. A number or a pointer is one word; a
// string is its bytes with the 0 behind them, filled up to whole words.

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>

namespace fmha950::hostcall {

class FormatError : public std::runtime_error { // says what is wrong with format or arguments
 public:
  using std::runtime_error::runtime_error;
};

// The string in front of `words`, which are moved behind it. `what` is its name in errors.
std::string take_string(std::span<const uint64_t>& words, const char* what);

std::string format(const std::string& format, std::span<const uint64_t> arguments);

} // namespace fmha950::hostcall
