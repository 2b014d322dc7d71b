#pragma once
// The ledger: every mutant, what became of it, and what killed it under which schedule.

#include "harness/mutation/isa_mutants.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace fmha950::harness {

struct LedgerEntry {
  size_t number = 0;   // place in the list
  std::string subject; // code object and kernel, or implementation
  std::string mutant;  // id of an ISA mutant, or name of a source mutant
  std::string source;  // "attention.hip:120: s_barrier", or what breaks without the protection
  Judgement judgement;
  bool stands = false; // was judged in a run before (standing.hpp)
};

// In place of a mutant's name: the code itself. Then schedule and problem are counts, and source is the problems' digest.
inline constexpr const char* unmutated = "unmutated";

// What the unmutated code shows where mutants were judged: nothing, or the run proves nothing.
struct Control {
  std::string subject;
  size_t schedules = 0, problems = 0; // each schedule on each problem
  std::string failure;                // "": no report, the same bits, accurate
  std::string problems_digest = {};   // of their names; "" for probes of source mutants
  bool stands = false;                // as of an entry
  std::string result() const;
  bool operator==(const Control&) const = default;
};

struct Ledger {
  std::vector<LedgerEntry> entries;
  std::vector<Control> controls;
  size_t count(MutantVerdict verdict) const;
  bool sound() const;               // no survivor, and every control passed
  std::string closing_line() const; // "N killed, N equivalent, N undecided, N survived"
};

std::string as_table(const Ledger& ledger); // for a terminal: what this run judged
// What fits a line of a table: texts of faults have several, and those of many reports are long.
std::string first_line(const std::string& text);

// One line of JSON.
std::string to_line(const LedgerEntry& entry);
std::string to_line(const Control& control);
// Adds what the line holds, a control only once: several workers may have run the same.
void add_line(Ledger& ledger, const std::string& line);

// The mutants of one code object or implementation as a file, data/mutants/ledger/NAME.csv: a line for every
// mutant and for every unmutated kernel. Only the first line of a text is kept (first_line).
// Throws std::runtime_error when it cannot be written.
void write_ledger(const std::filesystem::path& file, const Ledger& ledger);
// Throws InvalidInput, which names file, line and field, for what write_ledger does not write.
Ledger read_ledger(const std::filesystem::path& file);

} // namespace fmha950::harness
