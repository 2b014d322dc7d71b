#pragma once
// The ways from one side of a report to the other, through a kernel's code and that of the functions it calls
// (emulator/static_check/ways_between.hpp).

#include "harness/device/code_place.hpp"
#include "interface/hip.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct Place { // an instruction to which execution may come from the earlier side
  CodePlace at;
  size_t from_earlier = 0;        // instructions, by the shortest way
  std::optional<size_t> to_later; // likewise; none: the later side is not reached from here
  bool on_every_way = false;      // what stands before it is passed on every way to the later side
  std::string kind;               // "barrier", "wait", "condition", "branch", else "-"
  int loop_depth = 0;
  int branches = 0; // that lead past it: 0 where every wave comes to it
  // Operations of vector memory, and of LDS, that were begun behind the earlier side: at least, by any way.
  int vector_memory = 0, lds = 0;
  std::string source, text;
};

// In the order of the code. Throws DeviceError for a place that is no instruction's, or in a function that is not followed.
std::vector<Place> ways_between(const hip::Kernel& kernel, const CodePlace& earlier, const CodePlace& later);
// From the kernel's entry to all that may be executed.
std::vector<Place> all_places(const hip::Kernel& kernel);
// "", or why ways to a place are not known: it is in a function to which no call leads whose target the code says.
std::string why_not_followed(const hip::Kernel& kernel, const CodePlace& place);

} // namespace fmha950::harness::cure
