#pragma once
// What a manifest says (docs/your_kernel.md, data/schemas/external_manifest.json): how kernels that somebody else built
// compute a case. Read and checked whole before anything runs; expressions are evaluated when a case is planned.

#include "harness/external/argument_form.hpp"
#include "harness/external/conversion.hpp"
#include "harness/foreign/code_object_file.hpp"
#include "interface/implementation.hpp"

#include <array>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fmha950::harness::external {

inline constexpr int manifest_schema = 1;
inline constexpr uint64_t most_object_bytes = uint64_t{256} << 20;
inline constexpr uint64_t most_manifest_bytes = uint64_t{4} << 20;
inline constexpr size_t weight_columns = 7; // of PartialsForm::table

using Definitions = std::vector<std::pair<std::string, Expression>>; // each may use those before it

// One of the ways to count: `r in requests`, `t in first .. end`, `h in kv_heads`.
struct Loop {
  std::string place, name; // "FILE: lists.work.for[1]"
  bool over_requests = false;
  Expression first, end; // `first` empty: 0
};

// A list made for the kernel: an entry for each turn of the loops, the last of them the fastest.
struct WorkList {
  std::string place, name; // "FILE: lists.work"
  std::vector<Loop> loops;
  Definitions define; // in an entry
  Expression where;   // empty: all
  Expression order;   // ascending; those of one value stay as they are; empty: as they come
  ArgumentLayout entry;
  size_t stride = 0; // bytes
};

struct KernelForm {
  Expression when; // empty: always
  std::string object, symbol;
  const ForeignKernel* kernel = nullptr;
  std::string variant; // by which hip::load_kernel() knows the object
  ArgumentLayout arguments;
};

// Which rows a workgroup computes: queries [first, first + count) of a request, of every head or of heads [head, head + heads).
struct RowsForm {
  enum class Of : uint8_t { all, list, grid, planner };
  Of of = Of::all;
  std::string list; // name of a work list whose entry n is workgroup n's, or of the planner's table of rows
  Expression request, first, count;
  Expression head, heads; // empty: every head; one
  // Those that there are, in the order in which the entries of a list are asked for them.
  std::vector<const Expression*> all() const;
};

struct LaunchForm {
  std::string place; // "FILE: launches[0]"
  Expression when;
  std::vector<KernelForm> kernels; // the first whose `when` holds
  std::array<Expression, 3> grid, block;
  Expression lds;
  RowsForm rows;
  Expression cost; // of a workgroup, relative; empty: not known
};

struct WorkspaceForm {
  std::string name;
  Expression bytes;
  bool zero = false;
};

// The weights by which parts of a row's keys are joined, for the saboteur (Plan::partial_weights).
struct PartialsForm {
  size_t read_by = 0;   // index of the launch that joins them; an earlier one writes them
  Expression lse;       // the floats
  bool natural = false; // logarithms to the base of e instead of 2
  std::string table;    // of the planner, or a list: index, request, query, head, tile, first key, last key
};

struct Judged {
  std::string p = "bf16"; // a word of ProbabilityRounding, or "kv": that of the cache
  Expression shift;       // empty: 0
  bool sum_rounded = false;
  Expression weighted; // empty: no
  Expression tile_rows, tile_keys;
};

struct Manifest {
  std::filesystem::path file;
  std::string name, description; // "external:NAME"
  std::vector<Expression> needs; // terms
  Definitions define;
  std::vector<WorkList> lists;
  std::vector<WorkspaceForm> workspace;
  std::vector<ConversionForm> prepare, finish;
  std::vector<LaunchForm> launches;
  std::vector<std::string> planner;                         // program and arguments; empty: none
  std::vector<std::string> planned_tables, planned_scalars; // names of what it makes
  std::optional<PartialsForm> partials;
  Judged judged;
  bool deterministic = true;
  std::vector<MutantProblems> mutants;
  std::map<std::string, std::shared_ptr<const CodeObjectFile>> objects; // by file
  std::string digest; // of the manifest, the objects and the planner's files

  // Whether the manifest uses this name anywhere: what it does not name, it does not have.
  bool names(std::string_view name) const;
  std::vector<std::string> used_names; // ascending
};

// The folder that a manifest's file lies in.
std::filesystem::path folder_of(const std::filesystem::path& manifest);

// Throws InvalidInput that names file, key and column.
Manifest read_manifest(const std::filesystem::path& file);

} // namespace fmha950::harness::external
