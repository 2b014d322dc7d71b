#pragma once
// What of the ledger stands: judgements of the same code, on problems that are still listed. A kill stands. What
// nothing noticed has to be run on problems that were added since, and its proof is asked for again.

#include "harness/mutation/ledger_pages.hpp"
#include "harness/mutation/subject.hpp"

#include <map>
#include <optional>
#include <string>

namespace fmha950::harness {

// A digest of the subject's first `count` problems.
std::string problems_digest(const Subject& subject, size_t count);

class Standing {
 public:
  Standing() = default; // nothing stands
  Standing(const PageCodes& codes, const LedgerFolders& folders);
  Standing(Standing&&) = default; // what points into the pages still does
  Standing& operator=(Standing&&) = default;

  // How many of the subject's problems, the first ones, the ledger's judgements are of; 0: none of them stands.
  size_t problems_judged(const Subject& subject) const;
  // The control, if it is of all of the subject's problems.
  std::optional<Control> control(const Subject& subject) const;
  // Null: not in the ledger, or of other code.
  const Judgement* of_isa_mutant(const std::string& subject, const std::string& mutant) const;
  const LedgerEntry* of_source_mutant(const std::string& implementation, const std::string& mutant,
                                      const std::string& code_object) const;
  // Of an implementation's source mutants.
  std::vector<Control> controls(const std::string& implementation) const;

 private:
  std::map<std::string, Ledger> pages_; // of the same code
  std::map<std::string, const LedgerEntry*> entries_;
  std::map<std::string, const Control*> controls_; // by subject
};

} // namespace fmha950::harness
