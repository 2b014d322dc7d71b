#include "harness/cases/case_memory.hpp"

#include "harness/judge/row_sample.hpp"
#include "harness/judge/visible_work.hpp"
#include "interface/audit.hpp"
#include "interface/hip.hpp"
#include "interface/kept_scores.hpp"
#include "interface/operator.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <thread>

namespace fmha950::harness {

namespace {

constexpr double one_gib = 1 << 30;

double rows_of(const Problem& problem) {
  double rows = 0;
  for (const Request& request : problem.requests) rows += request.query_length;
  return rows;
}

// Visible pairs of a row and a key, for one head. 0 if the problem's rows take long to count: then nothing is
// taken for restricted.
double pairs_of(const Problem& problem, const InputBytes& bytes) {
  constexpr double quick = 1e7; // rows
  if (bytes.pairs) return *bytes.pairs;
  if (rows_of(problem) > quick) return 0;
  Problem without_tree = problem; // whose mask has not been made
  without_tree.tree_nodes = 0;
  return static_cast<double>(visible_pairs(without_tree, {}));
}

// Rows that run: a sample of a large problem, at most by these tiles.
double rows_that_run(const Problem& problem, const CaseUse& use, double flops) {
  constexpr double largest_tile = 256; // rows of implementations
  const double rows = rows_of(problem);
  if (!use.judged || !use.embedded) return rows;
  if (use.query_tiles > 0) return std::min(rows, largest_tile * static_cast<double>(use.query_tiles));
  if (flops <= device_budget) return rows;
  const double tiles = std::max<double>(default_query_tiles, static_cast<double>(problem.requests.size()));
  const int of_small_tiles = problem.op->facts().fewest_rows_to_run;
  return std::min<double>(rows, of_small_tiles > 0 ? of_small_tiles : largest_tile * tiles);
}

double rows_that_are_judged(const Problem& problem, const CaseUse& use, double run, double flops) {
  if (use.oracle_rows > 0) return std::min(run, static_cast<double>(use.oracle_rows));
  const double of_row = std::max(1.0, flops / std::max(1.0, rows_of(problem)));
  return std::min(run, std::max<double>(problem.op->facts().fewest_judged_rows, oracle_budget / of_row));
}

// What the audit takes: sums for each key of the judged rows, for the tiles and pages of keys, scores that the oracle
// keeps for it, and the chunks of rows under way.
double audit_bytes(const Problem& problem, const InputBytes& bytes, double judged) {
  constexpr double of_key = 300;
  double of_requests = 0, longest = 0;
  for (const Request& request : problem.requests) {
    of_requests += request.key_length;
    longest = std::max<double>(longest, request.key_length);
  }
  const double sums =
      of_key * problem.kv_heads * std::min(bytes.pairs.value_or(of_requests), judged * longest);
  // For the rows that a thread looks at: six numbers for each row and key, and values that are kept.
  constexpr double of_score = 6 * 4, most_scores = audit_limits::most_scores,
                   fewest_rows = audit_limits::fewest_rows, most_kept = 4.0 * audit_limits::most_kept;
  const double rows = judged * problem.query_heads,
               threads = std::max(1U, std::thread::hardware_concurrency());
  const double of_chunk = of_score * std::min(rows * longest, std::max(most_scores, fewest_rows * longest));
  const double all_scores = rows * (bytes.pairs ? *bytes.pairs / std::max(1.0, rows_of(problem)) : longest);
  const double kept_scores = 4 * std::min<double>(all_scores, KeptScores::most);
  return sums + kept_scores +
         threads * (of_chunk + std::min(most_kept, 4.0 * longest * problem.value_columns()));
}

void add_results(const Problem& problem, const InputBytes& bytes, const CaseUse& use, CaseMemory& memory) {
  const double pairs = pairs_of(problem, bytes), rows = rows_of(problem), heads = problem.query_heads;
  const double flops = flops_of_pairs(problem, pairs);
  const double run = rows_that_run(problem, use, flops), elements = heads * problem.value_columns();
  memory.device += std::max(rows, 1.0) * heads * (problem.value_columns() * 2.0 + (problem.lse ? 4 : 0));
  // Poison, bytes that were brought back and a tensor of them; numbers, and marks of what is untouched.
  constexpr double of_element = 2 + 2 + 2 + 8 + 1;
  memory.results = run * (elements * of_element + heads * 24);
  if (!use.judged) return;
  // Exact on both inputs, plain, got in both forms of MFMA arithmetic, and a copy under way.
  constexpr double numbers = 6, of_noise = 40;
  const double judged = rows_that_are_judged(problem, use, run, flops);
  memory.oracle += judged * (elements + heads) * 8 * numbers + judged * heads * of_noise +
                   audit_bytes(problem, bytes, judged);
}

// The cache before a call, after it and as it must be; a call's rows.
void add_calls(const Problem& problem, double pools, double inputs, CaseMemory& memory) {
  if (!problem.op->facts().appends) return;
  memory.oracle += problem.calls == 1 ? pools : 3 * pools + (inputs - pools);
}

} // namespace

double CaseMemory::total() const { return inputs + std::max(making, device + workspace + results + oracle); }

std::string CaseMemory::text() const {
  return fmt::format("{:.1f} GiB (inputs {:.1f}, their making {:.1f}, device {:.1f}, workspace {:.1f}, "
                     "results {:.1f}, oracle {:.1f})",
                     total() / one_gib, inputs / one_gib, making / one_gib, device / one_gib,
                     workspace / one_gib, results / one_gib, oracle / one_gib);
}

CaseMemory memory_of(const Problem& problem, const CaseUse& use) {
  const InputBytes bytes = problem.op->bytes(problem);
  CaseMemory memory{.inputs = bytes.kept + bytes.original, .making = bytes.making};
  memory.device = bytes.kept + (problem.strided ? bytes.pools : 0); // gaps between pages
  memory.workspace = bytes.copied;
  add_results(problem, bytes, use, memory);
  add_calls(problem, bytes.pools, bytes.kept, memory);
  if (!use.embedded) memory.device = memory.workspace = 0;
  return memory;
}

CaseMemory memory_of_loaded(const Problem& problem, double bytes, const CaseUse& use) {
  const InputBytes named = problem.op->bytes(problem);
  CaseMemory memory{.inputs = bytes, .device = (problem.strided ? 2 : 1) * bytes, .workspace = named.copied};
  add_results(problem, named, use, memory);
  add_calls(problem, bytes, bytes, memory);
  if (!use.embedded) memory.device = memory.workspace = 0;
  return memory;
}

namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double total_memory(const std::filesystem::path& root) {
  std::ifstream file(root / "proc/meminfo");
  double kib = 0;
  for (std::string name; file >> name;) {
    if (name == "MemTotal:" && file >> kib) return 1024 * kib;
    std::getline(file, name);
  }
  return infinite;
}

// A file that holds a number of bytes; "max", or no such file, is no limit.
double limit_in(const std::filesystem::path& file) {
  double bytes = 0;
  return std::ifstream(file) >> bytes ? bytes : infinite;
}

// The group's limit and those above it. In a container the path may be the host's, whose groups are not to be
// seen: then the container's own stands at the top.
double limit_of_group(const std::filesystem::path& top, std::filesystem::path group, const char* file) {
  double least = limit_in(top / file);
  for (group = group.relative_path(); !group.empty(); group = group.parent_path())
    least = std::min(least, limit_in(top / group / file));
  return least;
}

} // namespace

double machine_memory(const std::filesystem::path& root) {
  double least = total_memory(root);
  const std::filesystem::path groups = root / "sys/fs/cgroup";
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) { // number:controllers:path
    std::istringstream fields(line);
    std::string number, controllers, path;
    std::getline(std::getline(std::getline(fields, number, ':'), controllers, ':'), path);
    if (controllers.empty()) least = std::min(least, limit_of_group(groups, path, "memory.max"));
    if (controllers == "memory")
      least = std::min(least, limit_of_group(groups / "memory", path, "memory.limit_in_bytes"));
  }
  return least;
}

std::string MemoryLimit::argument() const { return gib > 0 ? fmt::format(" --memory {}", gib) : ""; }

double MemoryLimit::bytes() const { return gib > 0 ? gib * one_gib : 0.75 * machine_memory(); }

namespace {

// What plans have beside their case, whose workspace is theirs.
struct {
  MemoryLimit limit;
  double of_case = 0;
} for_plans;

std::string limit_text(const MemoryLimit& limit) {
  return fmt::format("more than the {:.1f} GiB that it may take{}", limit.bytes() / one_gib,
                     limit.gib > 0 ? "" : " (three quarters of the machine's)");
}

} // namespace

void require_plan_memory(const std::string& what, double bytes) {
  const double all = for_plans.of_case + bytes;
  if (!hip::runtime().embedded || all <= for_plans.limit.bytes()) return;
  throw NotEnoughMemory(
      fmt::format("memory: {}: with it the plan takes {:.1f} GiB and the case about {:.1f}, {}; "
                  "--memory {} allows it",
                  what, bytes / one_gib, for_plans.of_case / one_gib, limit_text(for_plans.limit),
                  std::ceil(all / one_gib)));
}

void MemoryLimit::require(const CaseMemory& memory) const {
  CaseMemory without_plan = memory;
  without_plan.workspace = 0;
  for_plans = {*this, without_plan.total()};
  if (memory.total() <= bytes()) return;
  throw NotEnoughMemory(fmt::format("memory: the case takes about {}, {}; --memory {} allows it",
                                    memory.text(), limit_text(*this), std::ceil(memory.total() / one_gib)));
}

} // namespace fmha950::harness
