#pragma once
// The ways through a kernel's code from one side of a report to the other (emulator/static_check/ways_between.hpp).

#include "interface/hip.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct Place {                    // an instruction to which execution may come from the earlier side
  uint64_t offset = 0;            // from the kernel's entry
  size_t from_earlier = 0;        // instructions, by the shortest way
  std::optional<size_t> to_later; // likewise; none: the later side is not reached from here
  bool on_every_way = false;      // what stands before it is passed on every way to the later side
  std::string kind;               // "barrier", "wait", "condition", "branch", else "-"
  int loop_depth = 0;
  std::string source, text;
};

// In the order of the code. Throws DeviceError for an offset that is no instruction's.
std::vector<Place> ways_between(const hip::Kernel& kernel, uint64_t earlier, uint64_t later);

} // namespace fmha950::harness::cure
