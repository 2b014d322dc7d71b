#pragma once
// A program that uses HIP, run on the embedded device as often as wanted.

#include "harness/cure/patient.hpp"
#include "harness/external/child_program.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace fmha950::harness::cure {

struct ProgramRun {
  Ran seen; // outputs: what it wrote to stdout, if that is the same each time, and its exit code
  external::ProgramEnd end;
};

std::string text_of_file(const std::filesystem::path& file);
// Every pair of the findings in a report file. Which instructions they are, the kernel's code says (with_instructions).
std::vector<HazardReport> reports_in(const std::filesystem::path& file);

class Program {
 public:
  Program(std::vector<std::string> command, int seconds_of_run)
      : command_(std::move(command)), seconds_(seconds_of_run) {}
  ProgramRun run(const std::vector<std::string>& environment) const;
  // Finds out whether two runs write the same. Throws InvalidInput for a program that cannot be run again and again.
  void compare_two_runs(const std::string& schedule);
  // Modelled, of all launches of the kernel, in all processes that the program starts; 0: not known.
  double clocks(const std::string& kernel, const std::string& changes) const;
  bool is_repeated() const { return is_repeated_; }
  int seconds_of_run() const { return seconds_; }
  std::string name() const;

 private:
  std::vector<std::string> command_;
  int seconds_;
  bool is_repeated_ = true;
};

} // namespace fmha950::harness::cure
