#include "emulator/hostcall/printf_format.hpp"

#include <bit>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <optional>

namespace fmha950::hostcall {
namespace {

constexpr int most_width = 1 << 16; // also of a precision: a kernel must not fill the host's memory

enum class Length { none, hh, h, l, ll, L };

// A conversion as C11 7.21.6.1 has it. A `*` has been replaced by its argument.
struct Conversion {
  std::string flags;
  int width = 0;
  std::optional<int> precision;
  Length length = Length::none;
  char kind = 0;

  // For the host's own printf, with the length that `modifier` says.
  std::string spec(const char* modifier) const {
    std::string text = "%" + flags;
    if (width > 0) text += std::to_string(width);
    if (precision) text += "." + std::to_string(*precision);
    return text + modifier + kind;
  }
};

template <class Value> std::string printed(const std::string& spec, const Conversion& by, Value value) {
  std::string text(static_cast<size_t>(by.width + by.precision.value_or(0)) + 512,
                   '\0'); // 1e308 has 309 digits
  const int count = std::snprintf(text.data(), text.size(), spec.c_str(), value);
  text.resize(static_cast<size_t>(count));
  return text;
}

class Formatter {
 public:
  Formatter(const std::string& format, std::span<const uint64_t> arguments)
      : format_(format), arguments_(arguments) {}

  std::string text() {
    while (place_ < format_.size()) {
      const char c = format_[place_++];
      if (c != '%') {
        text_ += c;
      } else if (peek() == '%') {
        text_ += '%';
        ++place_;
      } else {
        begin_ = place_ - 1;
        convert(conversion());
      }
    }
    return std::move(text_);
  }

 private:
  char peek() const { return place_ < format_.size() ? format_[place_] : '\0'; }
  [[noreturn]] void fail(const char* why) const {
    throw FormatError(fmt::format("{} in %{} at byte {} of the format", why,
                                  format_.substr(begin_ + 1, std::min<size_t>(place_ - begin_, 16)), begin_));
  }
  uint64_t argument() {
    if (arguments_.empty()) fail("no argument is left");
    const uint64_t word = arguments_.front();
    arguments_ = arguments_.subspan(1);
    return word;
  }
  int bounded(int64_t number) const {
    if (number > most_width) fail("a width or precision is larger than 65536");
    return static_cast<int>(number);
  }
  // Digits, or an argument in their place.
  int64_t number() {
    if (peek() == '*') {
      ++place_;
      return static_cast<int32_t>(argument());
    }
    int64_t value = 0;
    for (; peek() >= '0' && peek() <= '9'; ++place_) value = bounded(value * 10 + (peek() - '0'));
    return value;
  }
  Length length() {
    const auto doubled = [&](Length one, Length two) {
      const char letter = format_[place_++];
      if (peek() != letter) return one;
      ++place_;
      return two;
    };
    switch (peek()) {
    case 'h': return doubled(Length::h, Length::hh);
    case 'l': return doubled(Length::l, Length::ll);
    case 'L': return ++place_, Length::L;
    case 'j':
    case 'z':
    case 't': return ++place_, Length::l;
    default: return Length::none;
    }
  }
  Conversion conversion() {
    Conversion read;
    for (; peek() && std::strchr("-+ #0", peek()); ++place_)
      if (read.flags.find(peek()) == std::string::npos) read.flags += peek();
    int64_t width = number();
    if (width < 0) { // only an argument is negative, and asks for the left
      read.flags += '-';
      width = -width;
    }
    read.width = bounded(width);
    if (peek() == '.') {
      ++place_;
      const int64_t precision = number();
      if (precision >= 0) read.precision = bounded(precision); // a negative one counts as none
    }
    read.length = length();
    if (place_ == format_.size()) fail("the conversion has no end");
    read.kind = format_[place_++];
    return read;
  }

  void convert(const Conversion& by) {
    switch (by.kind) {
    case 'd':
    case 'i': text_ += printed(by.spec("ll"), by, signed_value(by.length)); return;
    case 'o':
    case 'u':
    case 'x':
    case 'X': text_ += printed(by.spec("ll"), by, unsigned_value(by.length)); return;
    case 'c':
      if (by.length != Length::none) fail("wide characters are not supported");
      text_ += printed(by.spec(""), by, static_cast<int>(static_cast<unsigned char>(argument())));
      return;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A': text_ += printed(by.spec(""), by, std::bit_cast<double>(argument())); return;
    case 'p': text_ += printed(by.spec(""), by, reinterpret_cast<void*>(argument())); return;
    case 's': {
      if (by.length != Length::none) fail("wide strings are not supported");
      if (arguments_.empty()) fail("no argument is left");
      std::string string = take_string(arguments_, "a string argument");
      if (by.precision && string.size() > static_cast<size_t>(*by.precision))
        string.resize(static_cast<size_t>(*by.precision));
      const auto width = static_cast<size_t>(by.width);
      const std::string space(width > string.size() ? width - string.size() : 0, ' ');
      text_ += by.flags.find('-') != std::string::npos ? string + space : space + string;
      return;
    }
    case 'n': fail("%n is refused: it would write to the host's memory");
    case 'v': fail("vectors are OpenCL's, not HIP's");
    default: fail("there is no such conversion");
    }
  }
  long long signed_value(Length length) {
    const uint64_t word = argument();
    switch (length) {
    case Length::hh: return static_cast<int8_t>(word);
    case Length::h: return static_cast<int16_t>(word);
    case Length::none: return static_cast<int32_t>(word);
    default: return static_cast<int64_t>(word);
    }
  }
  unsigned long long unsigned_value(Length length) {
    const uint64_t word = argument();
    switch (length) {
    case Length::hh: return static_cast<uint8_t>(word);
    case Length::h: return static_cast<uint16_t>(word);
    case Length::none: return static_cast<uint32_t>(word);
    default: return word;
    }
  }

  const std::string& format_;
  std::span<const uint64_t> arguments_;
  std::string text_;
  size_t place_ = 0, begin_ = 0; // in the format: read so far, and where the conversion begins
};

} // namespace

std::string take_string(std::span<const uint64_t>& words, const char* what) {
  const auto* bytes = reinterpret_cast<const char*>(words.data());
  const size_t length = strnlen(bytes, words.size_bytes());
  if (length == words.size_bytes()) throw FormatError(fmt::format("{} has no end", what));
  words = words.subspan(length / 8 + 1);
  return {bytes, length};
}

std::string format(const std::string& format, std::span<const uint64_t> arguments) {
  return Formatter(format, arguments).text();
}

} // namespace fmha950::hostcall
