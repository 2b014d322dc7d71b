#include "harness/commands/commands.hpp"
#include "harness/output/interruption.hpp"
#include "interface/error.hpp"
#include "interface/outcome.hpp"

#include <fmt/format.h>
#include <malloc.h>

namespace {

// The oracle makes and drops matrices of tens of megabytes. Given back to the kernel each time, they cost more in page
// faults than in sums: of 131,072 keys the oracle took 2.4 times as long.
void keep_freed_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20); // as large as glibc allows
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
}

} // namespace

int main(int argc, char** argv) {
  using namespace fmha950;
  keep_freed_memory();
  int code = 0; // of the command that runs
  harness::CommandLine line("fmha950", "fmha950: a testbed for FP8 paged attention on AMD's gfx950",
                            FMHA950_VERSION);
  harness::add_list_command(line.program(), code);
  harness::add_run_command(line.program(), code);
  harness::add_accuracy_command(line.program(), code);
  harness::add_compare_command(line.program(), code);
  harness::add_perf_command(line.program(), code);
  harness::add_probe_command(line.program(), code);
  harness::add_trace_command(line.program(), code);
  harness::add_device_command(line.program(), code);
  harness::add_bench_command(line.program(), code);
  harness::add_demo_command(line.program(), code);
  harness::add_silicon_check_command(line.program(), code);
  harness::add_external_command(line.program(), code);
  harness::add_cure_command(line.program(), code);
  line.program()
      .command("reference", "Print all commands and options as one page (docs/reference.md)")
      .run([&line] { fmt::print("{}", line.reference()); });
  try {
    const int result = line.run(argc, argv).value_or(code);
    harness::end_if_interrupted(result);
    return result;
  } catch (const InvalidInput& error) {
    fmt::print(stderr, "fmha950: {}\n", error.what());
    return exit_code(OutcomeKind::invalid_input);
  } catch (const DeviceError& error) {
    fmt::print(stderr, "fmha950: {}\n", error.what());
    return exit_code(OutcomeKind::device_error);
  } catch (const std::exception& error) {
    fmt::print(stderr, "fmha950: {}\n", error.what());
    return exit_code(OutcomeKind::not_run);
  }
}
