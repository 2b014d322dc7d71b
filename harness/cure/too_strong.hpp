#pragma once
// The waits, barriers and s_nops that a kernel could do without, or with weaker ones, together.
//
// Each is taken because its absence is proved on all paths (listed_protection.hpp), in the kernel that lacks those taken before: that
// one may go does not say that two may. Of protections that stand in for each other the one goes that saves more modelled clocks.
// What the proofs leave is then executed as one list of changes. Executions never add to the set, they only take from it.

#include "harness/cure/comparison.hpp"
#include "harness/cure/listed_protection.hpp"

#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct TooStrongLimits {
  bool all = false;     // the compiler's, too
  double seconds = 300; // for a kernel; what is open then is counted
};

struct TooStrong {
  ListedProtection protection; // as it was proved
  // Modelled clocks of the kernel's launches on the first problem, with the other members gone; none: not measured.
  std::optional<double> saved;
};
struct Kept {
  ListedProtection protection;
  std::string why;
};

struct TooStrongSet {
  std::string kernel;
  std::string unsound; // "", or why the kernel was not looked at
  size_t looked_at = 0, without_source = 0, not_tried = 0;
  size_t needed = 0; // refuted: on some path something would go wrong
  std::vector<ListedProtection> undecided;
  std::vector<TooStrong> members; // most clocks first
  std::vector<Kept> stand_in;     // could go by themselves, but not with the members
  std::vector<Kept>
      contradicted; // proved, but an execution differs: the proof is wrong, or a promise that it names is broken
  std::string change;               // all members, as option mutant takes it
  std::string judged;               // of the members: what was compared, and by what
  std::vector<std::string> held_on; // problems besides the first
  size_t runs = 0;
  double clocks = 0,
         clocks_without = 0; // modelled, of the kernel's launches on the first problem; 0: not known
};

TooStrongSet find_too_strong(Patient& patient, const std::vector<Condition>& conditions,
                             const TooStrongLimits& limits);

// The part of finding it that executes: members that show a difference go to `contradicted`, with what differs.
void keep_what_holds(Comparison& comparison, TooStrongSet& set);

std::string as_text(const TooStrongSet& set);
std::string
as_json(const TooStrongSet& set); // a line for each member and for each that is kept, then one for the kernel
// "N protections of N kernels may go, N clocks saved; N not decided"
std::string closing_line(const std::vector<TooStrongSet>& sets);

} // namespace fmha950::harness::cure
