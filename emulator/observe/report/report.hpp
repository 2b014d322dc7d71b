#pragma once
// A report: a hazard at one pair of code locations, resolved to text and numbers, so that it outlives kernel and module.

#include "emulator/loader/source_frame.hpp"
#include "emulator/observe/report/hazard.hpp"

#include <memory>
#include <string>
#include <vector>

namespace fmha950::observe {

// One side of a report: "+0x1a4 ds_read_b128 v[4:7], v0", "attention.hip:120".
struct ReportedParty {
  bool present = false;
  std::string instruction, source;
  uint16_t inserted = 0; // as Party
  std::string symbol;    // the kernel, or the function it called
  uint64_t offset = 0;   // from there
  uint64_t workgroup = 0;
  int wave = -1, lane = -1;
  std::vector<loader::SourceFrame> frames; // the innermost first; empty without line information
  std::string
      loop; // "loop 2", the innermost one that holds it, numbered in the order of the code; "" in none
  std::string phase; // "loop 2 from +0x40, between the barriers at +0x38 and +0x90"
  // Memory, barriers and branches of the loop, or of the code in none, as opcodes: what copies by unrolling have in common,
  // whatever the compiler did about addresses and waits. Then how many of them stand before the instruction.
  std::shared_ptr<const std::vector<uint32_t>> skeleton;
  size_t position = 0;
};

struct CodeRange { // places before instructions, by their offsets; both included
  uint64_t first = 0, last = 0;
  bool operator==(const CodeRange&) const = default;
};

struct Report {
  HazardClass type = HazardClass::register_in_flight;
  Severity severity = Severity::error;
  std::string kernel;
  uint64_t code = 0; // tells kernels of one name apart
  ReportedParty earlier, later;
  std::string what, missing, usually;
  uint64_t begin = 0, end = 0;
  uint64_t count = 0; // how often this pair of locations was found
  // Where one instruction would order the pair (ordering_places.hpp), in the order in which a wave gets there.
  std::vector<CodeRange> between;
  uint64_t stretch =
      0; // where the last instruction before the end of `between` that is memory, wait or barrier stands
};

} // namespace fmha950::observe
