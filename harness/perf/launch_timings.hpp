#pragma once
// What FMHA950_TIMING_REPORT holds of a program's launches (docs/timing.md#programs-that-nobody-edits), at the clock that each
// launch's work allows. The one reader of its lines (data/schemas/timing_report.json): whoever else wants them asks
// `device timings --json`, but for do_bench of Python, which takes clocks alone.

#include "harness/perf/modelled_time.hpp"

#include <array>
#include <cstdint>
#include <cstdio>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace fmha950::harness {

struct LaunchTiming {
  Modelled modelled;   // the one launch; flops are those of its matrix instructions, all of the grid's
  std::string file;    // that it was read from
  uint64_t number = 0; // of the call among those of its process that launch
  uint64_t stream = 0; // 0: the null stream; others as they were made, from 1
  std::array<uint64_t, 3> grid{}, block{}; // workgroups, work-items
  uint64_t vgprs = 0, lds_bytes = 0;
  bool all_executed = true; // else only those that were followed: what it wrote is not whole
  struct Stall {
    std::string source, waits; // empty without line information; "vmcnt 62 %, barrier 11 %"
    double share = 0;          // of the clocks of all waves
  };
  std::vector<Stall> stalls; // of the longest workgroup that was followed, the most first

  const ModelledLaunch& launch() const { return modelled.launches.front(); }
};

struct LaunchTimings {
  std::vector<LaunchTiming> timed;
  size_t untimed = 0; // launches of which the model saw nothing: `chiplet` without a workgroup of chiplet 0
  bool cut = false;   // the last line does not end, and is left out
};
// Throws InvalidInput: a file that cannot be read, or a line that is none of such a report, by its number.
LaunchTimings read_launch_timings(const std::string& path);

// Of several files, in their order; on stderr what they do not tell. Throws InvalidInput also if there is no launch with a time.
std::vector<LaunchTiming> read_launch_timings(const std::vector<std::string>& files);

// Launches of one kernel and shape in a row of a table, those that take the most first.
void print_launch_timings(const std::vector<LaunchTiming>& timings, std::FILE* file);
nlohmann::ordered_json to_json(const LaunchTiming& timing); // data/schemas/launch_timing.json

} // namespace fmha950::harness
