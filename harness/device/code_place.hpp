#pragma once
// A place in the code that a kernel's launches execute: an instruction of the kernel, or of a function that it calls.

#include <compare>
#include <cstdint>
#include <string>

namespace fmha950::harness {

struct CodePlace {
  static constexpr const char* nowhere = "nowhere"; // the function of a side that a report has not
  std::string function;                             // its symbol; "" the kernel's own code
  uint64_t offset = 0; // from the kernel's entry, or from where the function begins
  auto operator<=>(const CodePlace&) const = default;

  std::string text() const;     // for people: "+0x10", "function+0x10"
  std::string argument() const; // as the device takes it: "0x10", "function+0x10"
  std::string
  id(const std::string& kernel) const; // as changes name it: "kernel+0x10", "kernel/function+0x10"
};

CodePlace parse_place(const std::string& argument);
// Of a change, "kernel/function+0x10:vmcnt-drop".
CodePlace place_of_change(const std::string& id);

} // namespace fmha950::harness
