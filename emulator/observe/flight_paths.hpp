#pragma once
// Which ways waves went while which memory operations were in flight: what the search for problems that kill
// mutants is guided by. A mutant of a wait shows only where an operation that the wait completes is still in
// flight on the way to the instruction that needs it, so a problem with a new pair of way and operation may show
// what no problem before it did.

#include "emulator/machine/launch.hpp"
#include "emulator/machine/listener.hpp"

#include <mutex>
#include <set>
#include <string>

namespace fmha950::observe {

struct FlightPath {
  uint64_t from = 0, to = 0; // a branch, and what was executed after it
  uint64_t operation = 0;    // that no wait had guaranteed to be complete by then
  auto operator<=>(const FlightPath&) const = default;
};

class FlightPaths final : public machine::Listener { // of one launch
 public:
  explicit FlightPaths(const machine::Launch& launch) : launch_(launch) {}
  std::unique_ptr<machine::WorkgroupListener> join() override;
  // One for each, "KERNEL\t0xFROM-0xTO\t0xOPERATION", offsets from the kernel's entry. A kernel that was launched and had
  // none has a line without offsets.
  std::string lines() const;

 private:
  class Waves;
  const machine::Launch& launch_;
  mutable std::mutex mutex_; // of what follows
  std::set<FlightPath> paths_;
};

} // namespace fmha950::observe
