#pragma once
// The protections that a kernel has, as the check without running lists them (emulator/static_check/protections.hpp), and who put
// them there.

#include "harness/cure/source_statement.hpp"
#include "interface/hip.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct ListedProtection {
  enum class Author : uint8_t {
    hand,
    compiler,
    unknown // there is no source line, or its file is not here
  };
  uint64_t offset = 0;             // from the kernel's entry
  std::string field;               // "vmcnt", "lgkmcnt", "barrier", "nop": an s_waitcnt may be two
  std::string source, instruction; // "waits.hpp:29", "" where there is no line
  std::string calls;               // where that is inlined, the innermost first: "tile.hpp:80,kernel.hip:12"
  int loop_depth = 0;
  std::string what;    // "vmcnt(0)"
  std::string enough;  // of what is proved: "vmcnt(4)"; "" it may go
  std::string change;  // of what is proved: as option mutant takes it
  std::string verdict; // "proved", "refuted": needed on some path, "undecided"
  std::string reason;  // of the verdict
  Author author = Author::unknown;

  bool is_proved() const { return verdict == "proved"; }
  bool is_same_as(const ListedProtection& other) const {
    return offset == other.offset && field == other.field;
  }
};

// In code order, of the kernel with these changes in force ("" none). `only`: at that offset alone.
std::vector<ListedProtection> listed_protections(const hip::Kernel& kernel, const std::string& changes,
                                                 Sources& sources, std::optional<uint64_t> only = {});

} // namespace fmha950::harness::cure
