#pragma once
// A probe: a problem, with its tensors, built so that one kind of mistake cannot hide (DESIGN.md section 6).
// docs/probes.md describes the families and how to add one.

#include "harness/cases/case_selection.hpp"
#include "interface/error.hpp"
#include "interface/implementation.hpp"
#include "interface/problem.hpp"
#include "interface/query_row.hpp"
#include "operators/paged/generate.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fmha950::harness {

struct Probe {
  std::string name;   // family/details: the key of --filter
  std::string reason; // one line: which mistake shows here
  Problem problem;
  // One of these makes the tensors when the probe runs: for problems with pages, for others.
  std::function<operators::Choices()> choices = {};
  std::function<Tensors()> make = {};

  // Where V is constant over a page: column c is some constant in page page_of_column[c] and 0 in all others,
  // so that an output shows the weight of each page. Empty: V is random. In sparse_prefill a row takes
  // the place of a page; the chunk's rows are numbered behind the pool's.
  std::vector<int32_t> page_of_column = {};
  // The probe's pages alone. Where there are any, its kernel/plain RMSE ratio must be at most 1.25 times the worst of
  // theirs. The factor is a choice: with right descales rows have 0.96 to 1.00, with a neighbour's 5 and more.
  std::vector<std::shared_ptr<const Probe>> alone = {};
  // Whether each request must have the same bits in every batch (batch_bits.hpp).
  bool in_batches = false;
  // Where the pools begin, and whether the bits must be the same if the device drops the carry of a buffer's address
  // (carry_bits.hpp).
  std::optional<PoolPlace> pool_place = {};
};

Tensors make_tensors(const Probe& probe);

// The probe without an LSE, if an LSE is what keeps all of these implementations from it; else the probe.
Probe asked_of(std::span<const Implementation* const> implementations, Probe probe);
inline Probe asked_of(const Implementation& implementation, Probe probe) {
  const Implementation* const only[] = {&implementation};
  return asked_of(only, std::move(probe));
}

// What a probe with constant V shows about a wrong output: the weights with which the most wrong query row and head saw each
// page, and those with which it should have. `expected` and `got` are [rows, Hq, D]. Empty if the outputs
// show nothing of the kind.
std::string seen_pages(const Probe& probe, const std::vector<QueryRow>& rows,
                       std::span<const double> expected, std::span<const double> got);

// The probes, of whatever kind, in whose name the regular expression is found, in order. Throws InvalidInput
// for a malformed expression and for one that no probe matches.
template <class AnyProbe>
std::vector<AnyProbe> select_probes(std::vector<AnyProbe> probes, const std::string& filter) {
  const NameFilter wanted(filter);
  std::erase_if(probes, [&](const AnyProbe& probe) { return !wanted.finds(probe.name); });
  if (probes.empty()) throw InvalidInput("filter", filter, "matches no probe (--list-probes prints them)");
  return probes;
}

} // namespace fmha950::harness
