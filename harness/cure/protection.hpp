#pragma once
// A change that protects: a wait, a barrier or wait states at one place of a kernel's code, or of a function's that it calls.

#include "harness/device/code_place.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct Protection {
  CodePlace at; // the instruction that it stands before, or the s_waitcnt that waits for more
  bool tightens = false;
  std::optional<uint64_t>
      from; // it stands on the way from that offset of the function alone, not on every way
  std::optional<int> vmcnt, lgkmcnt; // at most so many in flight; none: not waited for
  bool barrier = false;
  int states = 0;                   // of s_nop
  std::optional<CodePlace> copy_of; // the first of the copies of its place (copies.hpp) that the change has
  int loop_depth = 0, branches = 0; // of the place (ways.hpp)
  std::string source, instruction;  // likewise

  bool waits() const { return vmcnt || lgkmcnt; }
  std::string text() const;                        // "s_waitcnt vmcnt(0);s_barrier"
  std::string id(const std::string& kernel) const; // changes of option mutant, commas between them
  bool operator==(const Protection& other) const;
};

// As people count them: copies of one source line, or of one unrolled body without line information, are one.
size_t changes_in(const std::vector<Protection>& protections);

// "kernel+0x10:vmcnt-drop,kernel+0x20:before:s_waitcnt vmcnt(0)": `base` may be "".
std::string changes(const std::string& kernel, const std::string& base,
                    const std::vector<Protection>& protections);

} // namespace fmha950::harness::cure
