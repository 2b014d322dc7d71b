#pragma once
// The records of a file that a run goes on with (--resume).
//
// Two records are the same if all of these are equal:
//   schema       of the record's keys
//   case, probe  what was computed; of a case folder `asked` also has a digest of its files' sizes and times
//   requested    the implementation asked for: `auto` is not the one that it found
//   asked        the command with the options that say how it runs (--schedules, --threads, --mfma, --check,
//                --oracle-rows, --samples ...), and the environment variables that the device, the kernels or
//                the values depend on
//   environment  version, kernels, build, compiler, host, device and library: records of two of them are not comparable
// Options that only choose what is run (--list, --filter, --shard, the names of --impl) or how it is shown
// are no part of it, nor is the outcome: a record of a failure is a result, too. A time-out is none.

#include "harness/record/record.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace fmha950::harness {

class KeptRecords {
 public:
  KeptRecords() = default;
  // Throws InvalidInput, of `field` and `file`, for a line that is no record.
  KeptRecords(const std::string& field, const std::string& file, const std::vector<std::string>& lines);

  // Finds the kept record that matches `to_make` in case, probe, requested, asked and
  // environment; null if none.
  const nlohmann::ordered_json* find(const Record& to_make) const;
  size_t count() const { return records_.size(); }

 private:
  // By identity; the first of several. Pointers, because <nlohmann/json.hpp> would take every command a second
  // to compile.
  std::map<std::string, std::shared_ptr<const nlohmann::ordered_json>> records_;
};

Outcome outcome_of(const nlohmann::ordered_json& record); // of one that KeptRecords has taken

// What a kept record remembers of the files that it was made from: a digest of their names, sizes and times.
// It changes with every file that is written anew.
std::string digest_of_folder(const std::filesystem::path& folder);

} // namespace fmha950::harness
