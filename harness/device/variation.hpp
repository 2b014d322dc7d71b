#pragma once
// The ways one case is run on the embedded device. A correct kernel gives the same bits under every schedule
// and any number of threads; the two forms of MFMA arithmetic may differ, and each is judged (DESIGN.md
// section 4).

#include <string>
#include <vector>

namespace fmha950::harness {

struct Variation {
  std::string schedule; // MEMORY[,WAVES] (emulator/machine/schedule.hpp): lazy,starve:3
  std::string threads;
  std::string mfma;         // fma | fdpa
  std::string check = {};   // hazard checks: all | none | names separated by commas
  std::string text() const; // "schedule=lazy threads=2 mfma=fma", without what is left to the device
};

// Items of a list are separated by commas, so there a schedule's own comma is written '+': lazy+starve:3.
std::string schedule_of_item(std::string item);
std::string item_of_schedule(std::string schedule);

struct VariationOptions {
  // Items of lists. Empty: the device's own setting, which on a GPU is the only one.
  std::vector<std::string> schedules, threads, mfma;
};

// Per MFMA form: the first schedule with the first thread count, every other schedule with that count, and
// every other count with the first schedule. A sum, not a product: schedules and threads act on different
// parts of the device.
std::vector<Variation> variations(const VariationOptions& options);

// Sets the device's options; what is empty is left alone. Throws InvalidInput on a real GPU, which has none.
void apply(const Variation& variation);

// Throws InvalidInput for what the device refuses of them, and for an empty item: before the first case, not
// in each. Leaves the device's options as the last run under them would.
void require_valid(const VariationOptions& options);

// Where waves print their state: option break (docs/device.md). "" leaves it alone. Throws likewise.
void break_at(const std::string& place);
constexpr const char* break_help = "FILE:LINE or KERNEL+0xOFFSET[,BEGIN+BYTES]: print registers and a window "
                                   "of LDS of waves there, on stderr";

// FILE[,WORKGROUP]: where launches append what a workgroup executed: option trace (docs/device.md).
// "" ends that.
void trace_to(const std::string& place);

} // namespace fmha950::harness
