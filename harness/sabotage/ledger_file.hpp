#pragma once
// The ledger of a whole run on disk: a line that says of which cases it is, then one for each defect, written
// as soon as it is known.

#include "harness/sabotage/sabotage_ledger.hpp"

#include <cstdio>
#include <filesystem>
#include <memory>

namespace fmha950::harness {

class LedgerFile {
 public:
  // Goes on with what stands in `path`, or begins anew. A line that is none, of a run that was interrupted,
  // is dropped. Throws InvalidInput for a ledger with another header, unless it is to be overwritten, and for
  // a path that cannot be written.
  LedgerFile(const std::filesystem::path& path, const std::string& header, bool overwrite);
  const SabotageLedger& earlier() const { return earlier_; } // what stood there
  void add(const SabotageEntry& entry);

 private:
  void write_line(const std::string& line);

  SabotageLedger earlier_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_;
};

} // namespace fmha950::harness
