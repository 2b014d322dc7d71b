#pragma once
#include <stdexcept>
#include <string>

namespace fmha950 {

// Bad input: names the field, its value and what would be right. Nothing has been launched.
class InvalidInput : public std::runtime_error {
 public:
  InvalidInput(std::string field, std::string value, std::string expected)
      : std::runtime_error(field + " = " + value + ": " + expected), field(std::move(field)),
        value(std::move(value)), expected(std::move(expected)) {}
  std::string field, value, expected;
};

// A HIP call or a kernel failed;
// the text holds the runtime's error name and, on the embedded device, the fault.
class DeviceError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

} // namespace fmha950
