#pragma once
// The ledger of a whole run on disk: a line that says of which cases it is, then one for each defect, written
// as soon as it is known.

#include "harness/output/line_file.hpp"
#include "harness/sabotage/sabotage_ledger.hpp"

namespace fmha950::harness {

class LedgerFile {
 public:
  // Goes on with what stands in `path`, or begins anew; a torn last line is dropped with a word
  // (output/line_file.hpp). `cases` may have grown since. Throws InvalidInput for a ledger of another list or
  // with an entry of a case that the list no longer holds, unless it is to be overwritten, and for a path that
  // cannot be written.
  LedgerFile(const std::filesystem::path& path, const std::string& list,
             const std::vector<std::string>& cases, bool overwrite);
  const SabotageLedger& earlier() const { return earlier_; } // what stood there
  void add(const SabotageEntry& entry) { file_.add(to_line(entry)); }

 private:
  LineFile file_;
  SabotageLedger earlier_;
};

} // namespace fmha950::harness
