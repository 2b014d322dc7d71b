#include "harness/probe/permutation_table.hpp"

#include <algorithm>
#include <fmt/ranges.h>

namespace fmha950::harness {

namespace {

// page_permutation/KIND/PAGES/V
std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts(1);
  for (const char c : name) {
    if (c == '/')
      parts.emplace_back();
    else
      parts.back() += c;
  }
  return parts;
}

std::string figure(const std::optional<double>& value, const char* form) {
  return value ? fmt::format(fmt::runtime(form), *value) : "-";
}

template <class Field>
std::string field(const std::optional<ProbeResult>& result, Field of, const char* form) {
  return figure(result ? of(*result) : std::nullopt, form);
}

} // namespace

PermutationTable::Row& PermutationTable::row_of(const std::string& implementation, const std::string& kind,
                                                const std::string& pages) {
  std::vector<Row>& rows = rows_[implementation];
  const auto same = [&](const Row& row) { return row.kind == kind && row.pages == pages; };
  const auto place = std::ranges::find_if(rows, same);
  return place != rows.end() ? *place : rows.emplace_back(Row{kind, pages, {}, {}, {}});
}

void PermutationTable::add(const std::string& implementation, const Probe& probe, const ProbeResult* result,
                           const Outcome& outcome) {
  const std::vector<std::string> parts = parts_of(probe.name);
  if (parts[0] != "page_permutation") return;
  Row& row = row_of(implementation, parts[1], parts[2]);
  if (result != nullptr) (parts[3] == "random_v" ? row.random_v : row.constant_v) = *result;
  if (outcome.kind() != OutcomeKind::passed)
    row.verdicts.push_back(fmt::format("{} {}", parts[3], to_string(outcome.kind())));
}

void PermutationTable::print(std::FILE* out) const {
  for (const auto& [implementation, rows] : rows_) {
    fmt::print(out,
               "page permutations, {}: max abs error with random and constant V; kernel/plain rmse of the "
               "row, of the worst of its pages alone, and their ratio (random V)\n",
               implementation);
    fmt::print(out, "{:<11} {:<16} {:>9} {:>9} {:>9} {:>9} {:>7}  {}\n", "kind", "pages", "random",
               "constant", "row", "alone", "ratio", "verdict");
    for (const Row& row : rows) {
      const auto max_abs = [](const ProbeResult& r) { return std::optional(r.max_abs); };
      const auto ratio = [](const ProbeResult& r) { return std::optional(r.ratio); };
      const auto alone = [](const ProbeResult& r) { return r.worst_alone; };
      const auto growth = [](const ProbeResult& r) {
        return r.worst_alone ? std::optional(r.ratio / *r.worst_alone) : std::nullopt;
      };
      fmt::print(out, "{:<11} {:<16} {:>9} {:>9} {:>9} {:>9} {:>7}  {}\n", row.kind, row.pages,
                 field(row.random_v, max_abs, "{:.2e}"), field(row.constant_v, max_abs, "{:.2e}"),
                 field(row.random_v, ratio, "{:.3f}"), field(row.random_v, alone, "{:.3f}"),
                 field(row.random_v, growth, "{:.3f}"),
                 row.verdicts.empty() ? "passed" : fmt::format("{}", fmt::join(row.verdicts, ", ")));
    }
  }
}

} // namespace fmha950::harness
