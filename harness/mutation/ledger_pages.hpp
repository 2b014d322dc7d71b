#pragma once
// The whole ledger, kept as data: data/mutants/ledger/ has a file for every code object or implementation
// (its page), data/mutants/ledger.csv a row for each, and docs/mutants.md shows these rows. A row names the
// code that was judged, so that after a change what is of the same code stands (standing.hpp).

#include "harness/mutation/ledger.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fmha950::harness {

using PageCodes = std::map<std::string, std::string>; // page -> digest of its code

// The page of a subject: the code object of an ISA mutant's kernel, or the implementation.
std::string page_of(const std::string& subject);
// All pages that this binary and its folder of mutants have.
std::set<std::string> page_names();
// Those of the kernels and source mutants of an implementation.
std::set<std::string> pages_of_implementation(const std::string& name);
PageCodes page_codes(const std::set<std::string>& pages);
std::string
page_code(const std::string& page); // of one. Throws InvalidInput where its source mutants are not built

struct LedgerRow {
  std::string page;
  size_t killed = 0, equivalent = 0, undecided = 0, survived = 0;
  std::string code, judged; // digest, date
  bool operator==(const LedgerRow&) const = default;
};

struct LedgerFolders {
  std::filesystem::path data, docs;
};
LedgerFolders ledger_folders(); // of the source tree

// Those of the ledger in `folders`, none where there is no ledger.
std::vector<LedgerRow> ledger_rows(const LedgerFolders& folders);
std::string ledger_document(const std::vector<LedgerRow>& rows); // docs/mutants.md
// Throws InvalidInput, which names the pages that there are, for another.
Ledger ledger_page(const std::string& page, const LedgerFolders& folders);
// "", or that the page is of other code than this binary has: then nothing of it was judged here. `code`: of this binary.
std::string not_judged(const std::string& page, const std::string& code, const LedgerFolders& folders);
// The same of this binary's code; "" as well if the page's source mutants have not been built: there is nothing to compare.
std::string why_not_judged(const std::string& page, const LedgerFolders& folders);
std::string as_markdown(const Ledger& page); // tables of every mutant, by subject, and of the unmutated code
// Writes a page for every one that `ledger` has; rows of other pages of `codes` stay. Throws
// std::runtime_error when it cannot.
void save_ledger(const Ledger& ledger, const PageCodes& codes, const LedgerFolders& folders);

} // namespace fmha950::harness
