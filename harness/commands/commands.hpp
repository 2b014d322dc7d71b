#pragma once
// One function per command of the harness: adds it to the program. When it runs, it sets the process's exit code.

#include "harness/commands/command_line.hpp"

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

} // namespace fmha950::harness
