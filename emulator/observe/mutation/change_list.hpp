#pragma once
// The text of changes to one kernel: ids with commas between them, each KERNEL+0xOFFSET:CHANGE, or KERNEL/FUNCTION+0xOFFSET:CHANGE
// of a function that it calls, whose symbol that is: launches of other kernels execute that as it is. CHANGE is one of a mutant
// (mutation.hpp), or one that protects:
//   vmcnt=N, lgkmcnt=N                the s_waitcnt there waits until at most N are in flight, fewer than by itself
//   before:INSTRUCTIONS               these come before the instruction there, on every way to it
//   after:INSTRUCTIONS                behind it, if execution goes on there
//   edge(0xFROM):INSTRUCTIONS         before it, on the way from the instruction at FROM alone
// INSTRUCTIONS are s_waitcnt, s_barrier and s_nop, with semicolons between them (internal_instruction.hpp). Offsets are those
// of the unchanged code, from the kernel's entry or the function's beginning.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::observe {

struct ListedChange {
  std::string id, kernel;
  std::string function; // that the kernel calls; "" its own code
  uint64_t offset = 0;
  std::string change;
};

struct Insertion {
  enum class Where : uint8_t { before, after, edge };
  Where where = Where::before;
  uint64_t from = 0; // of an edge: the offset that it comes from
  std::string instructions;
};
std::optional<Insertion> insertion_in(std::string_view change);

struct Tightened {
  bool is_vmcnt = true;
  int count = 0;
};
std::optional<Tightened> tightened_in(std::string_view change);

// Of one kernel, and at least one. Empty, and `error` says what would be right.
std::vector<ListedChange> parse_changes(std::string_view text, std::string& error);

} // namespace fmha950::observe
