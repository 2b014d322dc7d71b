#pragma once
// Data of a code object to which code refers by its distance: sections as wholes, as compilers fold offsets into the
// distance, so that it may lead past a variable's ends.

#include "emulator/loader/code_object.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fmha950::assembly {

class ReferredData {
 public:
  explicit ReferredData(const loader::CodeObject& object) : object_(object) {}

  // A label and an offset, of a device address; none, and `why` says why.
  struct Place {
    std::string label;
    uint64_t offset = 0;
  };
  std::optional<Place> refer(uint64_t address, std::string& why);
  // The sections that were referred to, with the variables in them.
  std::string text() const;

 private:
  struct Section {
    uint64_t begin = 0, end = 0; // device addresses
    uint64_t alignment = 1;
    bool writable = false;
    std::span<const uint8_t> contents; // in the file; empty: zeros
  };
  std::vector<Section> sections() const;

  const loader::CodeObject& object_;
  std::map<uint64_t, Section> referred_; // by begin
};

} // namespace fmha950::assembly
