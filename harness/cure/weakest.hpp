#pragma once
// What is left of changes that do when each of them is as weak as it may be: irreducible.

#include "harness/cure/protection.hpp"

#include <functional>
#include <vector>

namespace fmha950::harness::cure {

using Protections = std::vector<Protection>;
using Changes = std::vector<Protections>; // each one place of the source, in all of its copies

Protections joined(const Changes& changes);

// `strongest` works. Of the result no place can go, and no change can be weaker, its copies all alike: counts of waits are the
// largest, wait states the fewest that work.
Changes weakest(const Changes& strongest, const std::function<bool(const Protections&)>& works);

} // namespace fmha950::harness::cure
