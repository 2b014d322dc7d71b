#pragma once
// A case as a folder of .npy files with a manifest: everything that went into a run and what came out, or a
// user's own tensors from a serving engine. docs/case_folder.md documents the form.

#include "interface/problem.hpp"
#include "interface/tensors.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace fmha950::workload {

struct SavedResult {
  std::string implementation, variant;
  Tensor output;           // [total_q, Hq, D]
  Tensor lse;              // fp32 [total_q, Hq], or empty
  Tensor k_cache, v_cache; // of append_prefill: the pools after the last call, else empty
};

struct CaseFolder {
  Problem problem; // its lengths are spelled out, never a trace
  Tensors tensors;
  std::vector<SavedResult> results;
  std::string made_from; // the case string that the tensors were generated from, "" for foreign ones
};

// Writes all tensors that are not empty. `problem` may still name a trace; its lengths are then written out.
// Creates the folder; throws InvalidInput when it already holds a manifest or cannot be written.
void save_case_folder(const std::filesystem::path& folder, const Problem& problem, const Tensors& tensors,
                      const std::vector<SavedResult>& results);

// What the manifest says before an array is read: the problem, and the bytes of all files that would be.
struct CaseFolderHead {
  Problem problem;
  double bytes = 0;
};
CaseFolderHead read_case_folder_head(const std::filesystem::path& folder); // throws as load_case_folder()

// Throws InvalidInput naming the manifest's entry, its value and what would be right. Shapes and ranges
// against the problem are checked by validate_tensors(), as for every other input.
CaseFolder load_case_folder(const std::filesystem::path& folder);

} // namespace fmha950::workload
