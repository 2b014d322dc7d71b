#pragma once
// One function per command of the harness: adds it to the program. When it runs, it sets the process's exit code.

#include "harness/commands/command_line.hpp"

#include <memory>
#include <string>

namespace CLI {
class App;
}

namespace fmha950::harness {

void add_list_command(Command program, int& exit_code);
void add_run_command(Command program, int& exit_code);
void add_accuracy_command(Command program, int& exit_code);
void add_compare_command(Command program, int& exit_code);
void add_perf_command(Command program, int& exit_code);
void add_probe_command(Command program, int& exit_code);
void add_trace_command(Command program, int& exit_code);
void add_device_command(Command program, int& exit_code);
void add_bench_command(Command program, int& exit_code);
void add_demo_command(Command program, int& exit_code);
void add_silicon_check_command(Command program, int& exit_code);
void add_external_command(Command program, int& exit_code);
void add_cure_command(Command program, int& exit_code);

// `device run`: any kernel of any code object (docs/device_run.md).
struct DeviceRunOptions;

class DeviceRunCommand {
 public:
  explicit DeviceRunCommand(Command device); // adds itself below it
  bool named() const { return command_.named(); }
  int run() const; // returns the exit code

 private:
  Command command_;
  std::shared_ptr<DeviceRunOptions> options_;
};

// `device timings`: what programs left in files of FMHA950_TIMING_REPORT (docs/timing.md#programs-that-nobody-edits).
struct DeviceTimingsOptions;

class DeviceTimingsCommand {
 public:
  explicit DeviceTimingsCommand(Command device); // adds itself below it
  bool named() const { return command_.named(); }
  void run() const;

 private:
  Command command_;
  std::shared_ptr<DeviceTimingsOptions> options_;
};

// docs/reference.md: all commands and options in Markdown, as the program itself has them. An option with the same words in
// several commands is explained once.
std::string reference_page(const CLI::App& program);

} // namespace fmha950::harness
