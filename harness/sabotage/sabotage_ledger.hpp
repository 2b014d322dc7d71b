#pragma once
// What became of every defect: a line of JSON each, in data/sabotage when the whole is run.

#include "harness/output/line_file.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace fmha950::harness {

enum class SabotageVerdict : uint8_t {
  caught,
  missed,            // certain to be noticed, and was not
  below_sensitivity, // of the judges, by the noise that right kernels have
  without_effect,    // the reference's judged rows stay the same
};
std::string_view name_of(SabotageVerdict verdict); // "below sensitivity"

struct SabotageEntry {
  std::string case_string, implementation, kind, place;
  SabotageVerdict verdict = SabotageVerdict::missed;
  double z = 0;         // expected (expected_z.hpp)
  std::string seen_by;  // the judge that should see it best
  std::string reason;   // what the verdict on the kernel said, or why there is no effect
  bool noticed = false; // whether the kernel failed; also of what is below sensitivity
  std::string key() const { return case_string + " " + implementation + " " + kind + " " + place; }
};

struct SabotageLedger {
  std::vector<SabotageEntry> entries;
  int64_t count(SabotageVerdict verdict) const;
  // "N caught, N missed, N below sensitivity, N without effect"
  std::string closing_line() const;
  // "kind (how many)" of those with fewer of an expected z that is certain.
  std::vector<std::string> kinds_with_fewer(int64_t certain) const;
  // "kind (keys)" of those that no case of about as many keys has caught, if the ledger has a case of that size, of an
  // operator that has the kind.
  std::vector<std::string> kinds_never_caught() const;
};

std::string to_line(const SabotageEntry& entry);
SabotageEntry entry_from(const std::string& line); // throws what nlohmann::json throws

// A row per kind: how many were caught, missed, below (and noticed all the same) and without effect, and the
// least z that was caught.
std::string as_table(const SabotageLedger& ledger);

// The ledger of a whole run on disk: a line that names its cases, then one for each defect, written
// as soon as it is known.
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
