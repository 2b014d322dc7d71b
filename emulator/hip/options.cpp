#include "emulator/hip/options.hpp"

#include "emulator/hip/breakpoints.hpp"
#include "emulator/hip/cure_at_exit.hpp"
#include "emulator/hip/failures.hpp"
#include "emulator/hip/hazards.hpp"
#include "emulator/hip/launch_log.hpp"
#include "emulator/hip/paths.hpp"
#include "emulator/hip/replay.hpp"
#include "emulator/hip/timings.hpp"
#include "emulator/hip/traces.hpp"
#include "emulator/isa/decode/opcode_table.hpp"
#include "emulator/observe/mutation/mutation.hpp"
#include "emulator/observe/report/hazard.hpp"
#include "emulator/timing/assumed.hpp"

#include <charconv>
#include <cstdlib>
#include <fmt/format.h>

namespace fmha950::hip {
namespace {

constexpr int most_threads = 1024;

// `name` is how the user wrote it: an option's or an environment variable's.
std::string parse(const std::string& name, const std::string& option, const std::string& value,
                  machine::Options& options) {
  std::string expected;
  const auto accepted = [&](std::string error) { // "" when all is well
    expected = std::move(error);
    return expected.empty();
  };
  if (option == "schedule") {
    // What `timed` assumes is for the cycle model to judge.
    constexpr std::string_view timed = "timed:";
    const bool assumes = value.starts_with(timed);
    const std::string words = assumes ? value.substr(timed.size()) : "";
    machine::Schedule schedule;
    if (assumes && !timing::assumed(words)) {
      expected = fmt::format("'{}' is nothing that timed can assume: must be words joined by +, of {}", words,
                             timing::assumption_list());
    } else if (machine::parse_schedule(assumes ? "timed" : value, schedule, expected)) {
      options.schedule = schedule;
      options.assumed = words;
      return {};
    }
  } else if (option == "threads") {
    int threads = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), threads);
    if (error == std::errc() && end == value.data() + value.size() && threads >= 1 &&
        threads <= most_threads) {
      options.threads = threads;
      return {};
    }
    expected = fmt::format("must be a whole number from 1 to {}", most_threads);
  } else if (option == "mfma") {
    if (value == "fma" || value == "fdpa") {
      options.mfma = value == "fma" ? machine::MfmaArithmetic::fma : machine::MfmaArithmetic::fdpa;
      return {};
    }
    expected = "must be fma or fdpa";
  } else if (option == "carry") {
    if (value == "64" || value == "32") {
      options.drops_carry = value == "32";
      return {};
    }
    expected = "must be 64 or 32";
  } else if (option == "byte_rounding") {
    if (value == "zero" || value == "nearest") {
      options.bytes_to_nearest = value == "nearest";
      return {};
    }
    expected = "must be zero or nearest";
  } else if (option == "check") {
    if (observe::parse_checks(value, options.checks, expected)) return {};
  } else if (option == "report") {
    if (accepted(hazards_to_file(value))) return {};
  } else if (option == "suppress") {
    if (accepted(suppress_from_file(value))) return {};
  } else if (option == "baseline") {
    if (accepted(baseline_from_file(value))) return {};
  } else if (option == "accepted") {
    if (value == "left_out" || value == "told") {
      tell_accepted_hazards(value == "told");
      return {};
    }
    expected = "must be left_out or told: findings that a suppression or a baseline accepts";
  } else if (option == "budget") {
    uint64_t budget = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), budget);
    if (error == std::errc() && end == value.data() + value.size() && budget >= 1) {
      options.instruction_budget = budget;
      return {};
    }
    expected = "must be a whole number from 1: instructions a wave may execute";
  } else if (option == "mutant") {
    if (observe::parse_mutant(value, expected)) {
      options.mutant = value;
      return {};
    }
  } else if (option == "doubt") {
    uint32_t first = 0;
    const char* const value_end = value.data() + value.size();
    const auto [end, error] = std::from_chars(value.data(), value_end, first);
    const std::string_view rest(end, static_cast<size_t>(value_end - end));
    if (error == std::errc() && (rest.empty() || rest == ",meetings")) {
      options.first_doubted = first;
      options.doubts_meetings = !rest.empty();
      return {};
    }
    expected =
        "must be a whole number: which change of option mutant is the first that is doubted, 0 for none; "
        "behind it ,meetings doubts those that inserted barriers bring, too";
  } else if (option == "break") {
    if (accepted(break_at(value))) return {};
  } else if (option == "trace") {
    if (accepted(trace_to(value))) return {};
  } else if (option == "launches") {
    if (accepted(log_launches_to(value))) return {};
  } else if (option == "replay") {
    if (accepted(keep_launches_for(value))) return {};
  } else if (option == "timing") {
    if (accepted(time_launches(value))) return {};
  } else if (option == "timing_report") {
    if (accepted(timings_to_file(value))) return {};
  } else if (option == "cure") {
    if (accepted(cure_at_exit(value))) return {};
  } else if (option == "paths") {
    if (accepted(follow_paths(value))) return {};
  } else if (option == "quiet") {
    if (value == "0" || value == "1") {
      be_quiet(value == "1");
      return {};
    }
    expected = "must be 0 or 1";
  } else if (option == "simd") {
    if (isa::select_simd(value, expected)) return {};
  } else {
    return fmt::format(
        "option {} is unknown: the device has schedule, threads, mfma, carry, byte_rounding, simd, check, "
        "report, suppress, "
        "baseline, accepted, mutant, doubt, cure, budget, break, trace, launches, timing, timing_report, "
        "paths, replay "
        "and "
        "quiet",
        name);
  }
  return fmt::format("{} = {}: {}", name, value, expected);
}

} // namespace

std::string parse_option(const std::string& name, const std::string& value, machine::Options& options) {
  return parse(name, name, value, options);
}

std::string options_from_environment(machine::Options& options) {
  constexpr const char* variables[][2] = {
      {"FMHA950_SCHEDULE", "schedule"},
      {"FMHA950_THREADS", "threads"},
      {"FMHA950_MFMA", "mfma"},
      {"FMHA950_CARRY", "carry"},
      {"FMHA950_BYTE_ROUNDING", "byte_rounding"},
      {"FMHA950_SIMD", "simd"},
      {"FMHA950_CHECK", "check"},
      {"FMHA950_SUPPRESS", "suppress"},
      {"FMHA950_BASELINE", "baseline"},
      {"FMHA950_ACCEPTED", "accepted"},
      {"FMHA950_MUTANT", "mutant"},
      {"FMHA950_DOUBT", "doubt"},
      {"FMHA950_BUDGET", "budget"},
      {"FMHA950_BREAK", "break"},
      {"FMHA950_TRACE", "trace"},
      {"FMHA950_LAUNCHES", "launches"},
      {"FMHA950_TIMING", "timing"},
      {"FMHA950_TIMING_REPORT", "timing_report"},
      {"FMHA950_REPLAY", "replay"},
      {"FMHA950_QUIET", "quiet"},
      {"FMHA950_CURE", "cure"},
      {"FMHA950_REPORT", "report"}}; // at last: its file says that all is well
  if (std::string error; !isa::host_runs(error)) return error;
  for (const auto& [variable, option] : variables)
    if (const char* value = std::getenv(variable))
      if (std::string error = parse(variable, option, value, options); !error.empty()) return error;
  if (is_cured_at_exit() && !std::getenv("FMHA950_CHECK"))
    return parse("FMHA950_CHECK", "check", "errors", options);
  return {};
}

} // namespace fmha950::hip
