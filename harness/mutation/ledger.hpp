#pragma once
// The ledger: every mutant, what became of it, and what killed it under which schedule.

#include "harness/mutation/isa_mutants.hpp"

#include <string>
#include <vector>

namespace fmha950::harness {

struct LedgerEntry {
  size_t number = 0;   // place in the list
  std::string subject; // code object and kernel, or implementation
  std::string mutant;  // id of an ISA mutant, or name of a source mutant
  std::string source;  // "attention.hip:120: s_barrier", or what breaks without the protection
  Judgement judgement;
};

// What the unmutated code shows where mutants were judged: nothing, or the run proves nothing.
struct Control {
  std::string subject;
  size_t schedules = 0, problems = 0; // each schedule on each problem
  std::string failure;                // "": no report, the same bits, accurate
  bool operator==(const Control&) const = default;
};

struct Ledger {
  std::vector<LedgerEntry> entries;
  std::vector<Control> controls;
  size_t count(MutantVerdict verdict) const;
  bool sound() const;               // no survivor, and every control passed
  std::string closing_line() const; // "N killed, N equivalent, N survived"
};

std::string as_table(const Ledger& ledger);    // for a terminal
std::string as_markdown(const Ledger& ledger); // tables of every mutant, by subject
std::string summary(const Ledger& ledger);     // closing line and a table of counts by subject
std::string controls_as_markdown(const Ledger& ledger);
// Writes docs/mutants.md and docs/mutants/ of the source tree. Throws std::runtime_error when it cannot.
void save_ledger(const Ledger& ledger);

// One line of JSON.
std::string to_line(const LedgerEntry& entry);
std::string to_line(const Control& control);
// Adds what the line holds, a control only once: several workers may have run the same.
void add_line(Ledger& ledger, const std::string& line);

} // namespace fmha950::harness
