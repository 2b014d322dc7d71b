// `silicon-check`: measures on a GPU what no source settles, into one file; on the embedded device a rehearsal.
#include "harness/commands/commands.hpp"
#include "harness/commands/shared_options.hpp"
#include "harness/output/whole_file.hpp"
#include "harness/silicon/energy.hpp"
#include "harness/silicon/silicon_check.hpp"
#include "interface/hip.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <memory>

namespace fmha950::harness {

void add_silicon_check_command(Command program, int& exit_code) {
  struct State {
    std::string output;
    bool overwrite = false;
    std::vector<std::string> assume;
  };
  auto state = std::make_shared<State>();
  Command command = program.command(
      "silicon-check",
      "Measures on a MI355X, in under ten minutes, what no source settles: rates and latencies, energy "
      "by kind of instruction, wait states, probes of instructions (docs/silicon_check.md)");
  add_file_option(command, "--output", state->output, "Where all of it is written, as JSON").required();
  command.flag("--overwrite", state->overwrite, "Replace the file of --output");
  add_assume_option(command, state->assume);
  command.run([state, &exit_code] {
    require_writable("--output", state->output, state->overwrite);
    const SiliconCheck check = run_silicon_check(state->assume);
    write_silicon_check(check, state->output);
    print_answers(check, stdout);
    print_energy(check, stdout);
    fmt::print(stderr, "results: {}\n", state->output);
    exit_code = std::ranges::all_of(check.probes,
                                    [](const MeasuredProbe& probe) { return probe.verdict == "passed"; })
                    ? 0
                    : 1;
  });
}

} // namespace fmha950::harness
