#pragma once
// The entries of a work list of one case.

#include "harness/external/manifest.hpp"

#include <span>
#include <vector>

namespace fmha950::harness::external {

inline constexpr size_t most_entries = size_t{1} << 24; // of a list, and workgroups of a launch

struct ListLimits {
  size_t turns = most_entries; // of its loops
  size_t bytes = size_t{1} << 30;
};

struct MadeList {
  std::vector<std::byte> bytes;
  size_t length = 0; // entries
  // What the further expressions are in each entry, [length][expressions].
  std::vector<Value> further;
};

// `further`: expressions of others that are evaluated where the entries are. Throws InvalidInput.
MadeList make_list(const WorkList& list, const Scope& scope, std::span<const Expression* const> further,
                   const ListLimits& limits = {});

// Evaluates each in turn; those behind see those before.
void define(const Definitions& definitions, Scope& scope);

} // namespace fmha950::harness::external
