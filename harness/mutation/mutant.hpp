#pragma once
// An ISA mutant: a kernel with one protection removed by the device (emulator/observe/mutation/mutation.hpp),
// and which reports count against it.

#include "harness/device/hazards.hpp"
#include "interface/hip.hpp"

#include <string>
#include <utility>
#include <vector>

namespace fmha950::harness {

// Offsets of instructions from the kernel's entry, as ranges with their ends included.
using Places = std::vector<std::pair<uint64_t, uint64_t>>;
bool contains(const Places& places, uint64_t offset);

struct Mutant {
  std::string id, source, instruction;
  uint64_t offset = 0;  // of the instruction, from the kernel's entry
  std::string change;   // vmcnt+1, ... num_records
  Places before, after; // from where execution may come there, and where it may go; the place itself in both
  bool proved = false;  // equivalent, by the kernel's code alone
  std::string proof;    // how, or what is missing

  std::string kernel() const { return id.substr(0, id.rfind("+0x")); }
  std::string trap() const { return id.substr(0, id.rfind(':')) + ":trap"; } // faults where it is executed
};
std::vector<Mutant> mutants_of(const hip::Kernel& kernel);

// Whether a report shows what the protection guarded. It is of the mutant's kernel and of a hazard that such
// a protection prevents (of any, where num_records is mutated), both parties have source lines, and the
// mutated place lies between the two in the code: on a path from one to the other, which in a loop may lead
// around it. Between waves, which have no program order, either may be the one before. What only_staggers()
// convicts nobody.
bool convicts(const HazardReport& report, const Mutant& mutant);

// A note that groups of waves are a barrier apart at the end: the hardware goes on, and nothing computed is another.
bool only_staggers(const HazardReport& report);

// "lds_order: what; tile.hip:32: ds_write_b32 v1, v0; tile.hip:34: ds_read_b32 v2, v1"
std::string text_of(const HazardReport& report);

} // namespace fmha950::harness
