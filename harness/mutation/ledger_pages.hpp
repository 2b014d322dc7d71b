#pragma once
// The ledger as pages of the documentation: docs/mutants.md with a row for every subject, and docs/mutants/
// with a page for every code object or implementation. A row names the code that was judged, so that after a
// change only the pages of other code have to be made anew.

#include "harness/mutation/ledger.hpp"

#include <filesystem>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace fmha950::harness {

using PageCodes = std::map<std::string, std::string>; // page -> digest of its code and problems

// The page of a subject: the code object of an ISA mutant's kernel, or the implementation.
std::string page_of(const std::string& subject);
// Of what is loaded of it: the same wherever it was built. Throws as hip::loaded_segments() does.
std::string code_digest(std::string_view variant, std::span<const std::byte> code_object);
// Of all subjects of this binary (and its folder of mutants).
PageCodes page_codes();

struct LedgerRow {
  std::string page, kernel; // "source" for mutants of the sources
  size_t killed = 0, equivalent = 0, survived = 0;
  std::string code, judged; // digest, date
  bool operator==(const LedgerRow&) const = default;
};

std::vector<LedgerRow> rows_of(const Ledger& ledger, const PageCodes& codes, const std::string& date);
std::string summary(const std::vector<LedgerRow>& rows); // closing line and table
std::vector<LedgerRow> read_rows(const std::string& markdown);
std::string as_markdown(const Ledger& page); // tables of every mutant, by subject, and of the unmutated code

std::filesystem::path ledger_folder(); // docs of the source tree
// Pages whose code is not that of the rows in `docs`/mutants.md.
std::set<std::string> changed_pages(const PageCodes& codes, const std::filesystem::path& docs);
// Writes a page for every one that `ledger` has, and `docs`/mutants.md, where rows of other pages of `codes`
// stay. Throws std::runtime_error when it cannot.
void save_ledger(const Ledger& ledger, const PageCodes& codes, const std::filesystem::path& docs);

} // namespace fmha950::harness
