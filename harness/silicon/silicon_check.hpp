#pragma once
// What `silicon-check` measures: the run, its result, the JSON file and the report of it (docs/silicon_check.md).

#include "calibration/loop_stamp.hpp"
#include "harness/perf/measured_launch.hpp"
#include "harness/record/environment.hpp"

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fmha950::harness {

inline constexpr int silicon_schema = 2;

// The loop of one launch, from the first wave's begin to the last one's end.
struct LoopRun {
  uint32_t iterations = 0;
  uint64_t clocks = 0, ticks = 0; // of the compute unit; of 100 MHz
};

LoopRun run_of(uint32_t iterations, std::span<const calibration::LoopStamp> stamps);

struct MeasuredQuestion {
  std::string name;
  int steps = 0;             // of an iteration, as the unit sees them
  std::vector<LoopRun> runs; // of few and of many iterations in turn; none: not visible on this device
};
// By the median of runs of each number of iterations; none without runs.
std::optional<double> clocks_of_step(const MeasuredQuestion& question);

struct MeasuredEnergy {
  std::string kernel, memory;        // calibration/energy.hpp; "l2" or "hbm" where it loads, else ""
  uint32_t iterations = 0;           // of a launch
  bool settled = false;              // the clock no longer changed
  std::vector<double> hertz;         // of each launch, the mean of its workgroups
  std::vector<double> chiplet_hertz; // of the last launch
  MeasuredLaunch launch; // what the clock's law is fitted to: group is the kernel, shares are known by counts
};

struct MeasuredWindow {
  std::string name;
  int required = 0;           // wait states
  std::vector<bool> is_right; // with 0, 1, ... of them
  int needed() const;         // from which number on the result is right; 0: always
};

struct MeasuredDifferential {
  std::string name;
  uint32_t digest = 0;     // of all results of the instruction (calibration/differential.hpp)
  bool is_as_here() const; // the embedded device gives the same, by one of its roundings
  std::string
  rounding() const; // "zero" or "nearest" (FMHA950_BYTE_ROUNDING), where the guide leaves that open; else ""
};

struct MeasuredProbe {
  std::string name, verdict, reason;
  double error = 0, limit = 0;
};

struct SiliconCheck {
  Environment environment;
  int driver = 0, compute_units = 0;
  std::string date;   // UTC, ISO 8601
  std::string assume; // planted in a rehearsal: words joined by +
  std::vector<MeasuredQuestion> questions;
  std::vector<MeasuredEnergy> energy;
  std::vector<MeasuredWindow> windows;
  std::vector<MeasuredDifferential> differential;
  std::vector<MeasuredProbe> probes;
};

// The file holds a measurement whole or not at all (write_whole()).
void write_silicon_check(const SiliconCheck& check, const std::filesystem::path& file);
// Throws InvalidInput that names field, value and what would be right.
SiliconCheck read_silicon_check(const std::filesystem::path& file);

// All questions, loops, windows and probes, one after the other. `assume`: what the model of the embedded device is to assume, so that a rehearsal has something to find. Throws InvalidInput
// on a GPU if there is any.
SiliconCheck run_silicon_check(const std::vector<std::string>& assume);

// Words by which the model takes the answers that differ from its own, in the order of the questions.
std::vector<std::string> words_of(const SiliconCheck& check);

// For people: answers beside what the program assumes, windows and probes.
void print_answers(const SiliconCheck& check, std::FILE* out);

} // namespace fmha950::harness
