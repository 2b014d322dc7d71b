#pragma once
// Looks for the smallest change that cures a fault: one place, else two.

#include "harness/cure/all_paths.hpp"
#include "harness/cure/price.hpp"
#include "harness/cure/proof.hpp"

#include <functional>
#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct SoFar {
  size_t executions = 0, most_executions = 0, ordered = 0,
         pairs = 0; // pairs that the best change orders, of all
  double seconds = 0;
};
std::string as_text(const SoFar& so_far); // a line

struct SearchLimits {
  size_t executions = 200;
  double seconds = 300;
  size_t findings =
      1; // that these executions are for: what has a cure looks for a cheaper one within its share
  Price price = {};
  std::function<bool(const SoFar&)> go_on =
      {}; // is asked before each try; if not, the best so far is the result
};

struct Cure {
  enum class Verdict : uint8_t {
    cured,     // proven (proof.hpp); no place of it can go, or be weaker
    partly,    // some of the pairs are ordered, with no new report
    not_cured, // nothing was found within the limits, or at all
    no_order   // no wait, barrier or wait state could order it
  };
  Verdict verdict = Verdict::not_cured;
  std::vector<Protection> protections;
  AllPaths paths;                // of a cure
  std::string counts;            // of a cure: which way of the code allows no larger count; "" none
  Proof proof;                   // of the protections; of what is not cured the last objection
  size_t pairs = 0, ordered = 0; // of the fault, and those that the change orders
  size_t executions = 0;
  double seconds = 0, clocks = 0,
         clocks_cured = 0;  // modelled, of the kernel's launches on the first problem that shows it
  bool limited = false;     // the search ended by its limits
  bool interrupted = false; // or because it was not to go on
};
const char* name_of(Cure::Verdict verdict);

Cure find_cure(Patient& patient, const Fault& fault, const SearchLimits& limits);

} // namespace fmha950::harness::cure
