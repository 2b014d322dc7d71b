#pragma once
// A program that runs to its end, or to a limit of time, without a shell.

#include <filesystem>
#include <string>
#include <vector>

namespace fmha950::harness::external {

struct ProgramEnd {
  bool started = false, in_time = false;
  int exit_code = 0;      // 128 + signal for one that was killed
  std::string last_words; // the last lines of what it wrote to stderr, as one: "a | b"
};

// In `folder`; what it writes to stdout goes to a file. When the time is over, it and its children are killed.
ProgramEnd run_program(const std::vector<std::string>& words, const std::filesystem::path& folder,
                       int seconds, const std::string& output = "/dev/null");

} // namespace fmha950::harness::external
