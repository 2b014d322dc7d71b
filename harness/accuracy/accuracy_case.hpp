#pragma once
// One case, judged: runs an implementation under every variation that is asked for, compares the runs with
// each other bit for bit and one of each MFMA form with the oracle.

#include "harness/accuracy/case_oracle.hpp"
#include "harness/cases/case_memory.hpp"
#include "harness/device/device_cache.hpp"
#include "harness/device/variation.hpp"
#include "harness/record/record.hpp"
#include "interface/implementation.hpp"

namespace fmha950::harness {

struct AccuracyOptions {
  VariationOptions variations;
  int64_t oracle_rows = 0; // query rows that the oracle judges; 0: as many as take it a second or two
  int64_t query_tiles = 0; // query tiles that are run; 0: all of a problem the device runs in seconds, else 4
  // A case folder whose tensors the implementation gets in place of those that it is judged by ("" for none):
  // what the judges make of a mistake.
  std::string kernel_inputs;
  std::string arguments() const; // what of it differs from the defaults, as on the command line
  std::string digest() const;    // of the files of --kernel-inputs
  CaseUse use() const { return {.oracle_rows = oracle_rows, .query_tiles = query_tiles}; }
};

// Fills resolved, variant, outcome, accuracy and variations of `record`. Never throws for what the case does
// wrong. Returns the output that the record's accuracy is about: the oracle's rows, [rows, Hq, D]. With several
// calls (judged_calls.cpp) the record is about the first that failed, or the one nearest to its limits. Then
// `oracle` only gives the cache after the last call; the rows come from an oracle of each call.
std::vector<double> judge_case(const Implementation& implementation, const Problem& problem,
                               const Tensors& tensors, const AccuracyOptions& options, CaseOracle& oracle,
                               Record& record);

// The same of a problem of one call, over the cache that the calls before it have left.
std::vector<double> judge_call(const Implementation& implementation, const Problem& problem,
                               const Tensors& tensors, const AccuracyOptions& options, CaseOracle& oracle,
                               Record& record, std::shared_ptr<DeviceCache> cache = nullptr);

} // namespace fmha950::harness
