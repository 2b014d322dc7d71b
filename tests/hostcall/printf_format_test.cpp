// Formats against the host's own printf, and what is refused.
#include "emulator/hostcall/printf_buffer.hpp"
#include "emulator/hostcall/printf_format.hpp"
#include "emulator/hostcall/printf_messages.hpp"
#include "emulator/memory/fault.hpp"

#include "tests/support/catch.hpp"
#include <bit>
#include <cstdio>
#include <cstring>

using namespace fmha950;
using hostcall::format;

namespace {

using Words = std::vector<uint64_t>;

template <class... Values> std::string host_printf(const char* form, Values... values) {
  char text[512];
  std::snprintf(text, sizeof text, form, values...);
  return text;
}

// As a kernel sends it: bytes, a 0, and zeros up to a whole word.
void append(Words& words, const std::string& text) {
  const size_t before = words.size();
  words.resize(before + text.size() / 8 + 1);
  std::memcpy(words.data() + before, text.data(), text.size());
}

uint64_t word(double value) { return std::bit_cast<uint64_t>(value); }

struct Printed {
  std::string out, err;
  std::vector<std::string> refused;
  hostcall::Output output() {
    return {.print = [this](bool to_stderr, const std::string& text) { (to_stderr ? err : out) += text; },
            .refuse = [this](const std::string& why) { refused.push_back(why); }};
  }
};

} // namespace

TEST_CASE("printf: integers in every length are those of the host") {
  const uint64_t bits = 0xFEDC'BA98'8765'4381;
  for (const char* flags : {"", "-", "+", " ", "#", "0", "-#", "+0"})
    for (const char* width : {"", "30", "7.3", ".0", ".25"})
      for (const char* kind : {"d", "i", "o", "u", "x", "X"}) {
        const auto form = [&](const char* length) {
          return std::string("<%") + flags + width + length + kind + ">";
        };
        INFO(form(""));
        const bool is_signed = *kind == 'd' || *kind == 'i';
        CHECK(format(form("hh"), Words{bits}) ==
              (is_signed ? host_printf(form("").c_str(), -127) : host_printf(form("").c_str(), 0x81)));
        CHECK(format(form("h"), Words{bits}) ==
              (is_signed ? host_printf(form("").c_str(), 0x4381) : host_printf(form("").c_str(), 0x4381)));
        CHECK(format(form(""), Words{bits}) == host_printf(form("").c_str(), static_cast<int>(0x87654381)));
        for (const char* length : {"l", "ll", "j", "z", "t"})
          CHECK(format(form(length), Words{bits}) == host_printf(form("ll").c_str(), bits));
      }
}

TEST_CASE("printf: numbers with a point, characters, pointers, strings") {
  for (const char* form :
       {"%f", "%F", "%e", "%E", "%g", "%G", "%a", "%A", "%+10.3f", "%-12.0e|", "%#g", "%lf"})
    for (const double value : {0.0, -1.5, 3.14159265, 1e300, 5e-324, double(INFINITY)}) {
      INFO(form << " " << value);
      CHECK(format(form, Words{word(value)}) == host_printf(form, value));
    }
  CHECK(format("%Lf", Words{word(2.5)}) == "2.500000"); // a device has no longer double
  CHECK(format("%c%3c%-3c|", Words{'a', 'b', 'c'}) == "a  bc  |");
  CHECK(format("%p", Words{0x1234}) == "0x1234");
  CHECK(format("100%%, %*d, %-*d|, %.*f", Words{5, 7, 4, 8, 2, word(1.0)}) == "100%,     7, 8   |, 1.00");
  CHECK(format("%*d|", Words{static_cast<uint32_t>(-4), 7}) == "7   |");
  CHECK(format("%.*d", Words{static_cast<uint32_t>(-4), 7}) == "7");
  Words words;
  append(words, "exactly8");
  append(words, "");
  append(words, "third");
  CHECK(format("%s,%s,%8.3s,%-7s|", [&] {
          Words all = words;
          append(all, "left");
          return all;
        }()) == "exactly8,,     thi,left   |");
}

TEST_CASE("printf: what is malformed is refused with a reason") {
  const auto reason = [](const std::string& form, const Words& words) -> std::string {
    try {
      return "accepted: " + format(form, words);
    } catch (const hostcall::FormatError& error) {
      return error.what();
    }
  };
  const Words two = {1, 2};
  CHECK(reason("a %d", two) == "accepted: a 1");
  CHECK(reason("a %d %d %d", two) == "no argument is left in %d at byte 8 of the format");
  CHECK(reason("%n", two) ==
        "%n is refused: it would write to the host's memory in %n at byte 0 of the format");
  CHECK_THAT(reason("%v4f", two), Catch::StartsWith("vectors are OpenCL's"));
  CHECK_THAT(reason("%y", two), Catch::StartsWith("there is no such conversion"));
  CHECK_THAT(reason("%", two), Catch::StartsWith("the conversion has no end"));
  CHECK_THAT(reason("%5.", two), Catch::StartsWith("the conversion has no end"));
  CHECK_THAT(reason("%ls", two), Catch::StartsWith("wide strings"));
  CHECK_THAT(reason("%lc", two), Catch::StartsWith("wide characters"));
  CHECK_THAT(reason("%65537d", two), Catch::StartsWith("a width or precision is larger"));
  CHECK_THAT(reason("%*d", {1u << 30, 1}), Catch::StartsWith("a width or precision is larger"));
  CHECK(reason("%s", {~0ull}) == "a string argument has no end");
}

TEST_CASE("printf: messages come in pieces, and those of several lanes at a time") {
  Printed printed;
  const auto output = printed.output();
  hostcall::PrintfMessages messages;
  const auto send = [&](uint64_t descriptor, const Words& data) {
    uint64_t words[8] = {descriptor};
    std::copy(data.begin(), data.end(), words + 1);
    words[0] |= data.size() << 5;
    messages.take(words, output);
    return words[0] & ~uint64_t{0xE2};
  };
  Words form;
  append(form, "lane %d\n");
  const uint64_t first = send(1, {0}), second = send(1, {1});
  CHECK(first != second);
  send(first, form);
  send(second, form);
  uint64_t last[8] = {second | 2 | 1 << 5, 9};
  messages.take(last, output);
  CHECK(last[0] == 7);
  send(first | 2, {3});
  CHECK(printed.out == "lane 3\n");
  CHECK(printed.err == "lane 9\n");
  CHECK(printed.refused.empty());
  CHECK_THROWS_AS(send(first, {1}), machine::Fault); // it has ended
  CHECK_THROWS_AS(send(uint64_t{1} << 60, {1}), machine::Fault);
  const uint64_t bad = send(1, {4});
  CHECK(send(bad | 2, form) == (~uint64_t{0} & ~uint64_t{0xE2})); // printf's -1
  CHECK(printed.refused == std::vector<std::string>{"unknown control word 0x4"});
}

TEST_CASE("printf: records of the buffer, with formats by hash and in place") {
  const auto formats =
      hostcall::formats_of({"0:0:9b9b930f9403be23,value %d: 1,2\n", "no hash", "0:0:zz,bad"});
  REQUIRE(formats.size() == 1);
  std::vector<std::byte> bytes;
  const auto put = [&](const auto& value) {
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), from, from + sizeof value);
  };
  put(uint32_t{20 << 2 | 2});
  put(uint64_t{0x9b9b930f9403be23});
  put(uint64_t{42});
  Words in_place;
  append(in_place, "%x");
  put(uint32_t{20 << 2 | 1});
  put(in_place[0]);
  put(uint64_t{0xAB});
  Printed printed;
  hostcall::print_records(bytes, formats, printed.output());
  CHECK(printed.out == "value 42: 1,2\n");
  CHECK(printed.err == "ab");
  CHECK(printed.refused.empty());
  bytes.resize(bytes.size() - 4); // the last record is cut
  hostcall::print_records(bytes, {}, printed.output());
  CHECK(printed.refused == std::vector<std::string>{"the code object has no format 9b9b930f9403be23",
                                                    "a record of 20 bytes where 16 are left"});
}
