#pragma once
// What option timing asks for, parsed from its words (docs/timing.md#the-devices-option).

#include "emulator/timing/kernel_time.hpp"
#include "emulator/timing/model/assumptions.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fmha950::hip {

struct TimingRequest {
  timing::Placement placement = timing::Placement::samples;
  timing::Assumptions assumptions;
  bool timeline = false;
  // Under each of these the longest of the workgroups is replayed as well; its words as they were asked for.
  std::vector<std::pair<std::string, timing::Assumptions>> also;
  uint64_t copies = 1;      // of the memory that a launch touches, in the one that is meant
  std::optional<int> along; // dimension of the grid by which workgroups' work differs
  uint64_t most = 0;        // workgroups of a launch that are recorded; 0: all that are executed
  bool alone = false;       // only those are executed
  std::string kernel = "*"; // names of kernels that are timed, with * and ? as in a shell
  uint64_t stalls = 0;      // source lines of a launch that are told, those first where most was waited for
};

// Words separated by commas; else nothing, and `error` says what would be right.
std::optional<TimingRequest> parse_timing(const std::string& text, std::string& error);

} // namespace fmha950::hip
