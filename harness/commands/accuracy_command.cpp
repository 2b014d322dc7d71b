#include "harness/commands/case_command.hpp"
#include "harness/commands/commands.hpp"
#include "harness/commands/shared_options.hpp"
#include "harness/report/record_table.hpp"

#include <memory>

namespace fmha950::harness {

int run_accuracy(CaseCommand& cases, const AccuracyOptions& options) {
  require_valid(options.variations);
  cases.runs = variations(options.variations).size();
  return cases.run(options.arguments(), options.digest(), options.use(), [&](const PreparedCase& prepared) {
    auto oracle = std::make_shared<CaseOracle>(prepared.problem, prepared.tensors);
    CaseBody body;
    body.run = [&, oracle](const PreparedCase& item, const Implementation& implementation, Record& record) {
      judge_case(implementation, item.problem, item.tensors, options, *oracle, record);
    };
    return body;
  });
}

void add_accuracy_command(Command program, int& exit_code) {
  struct State {
    CaseCommand cases{"accuracy"};
    AccuracyOptions options;
    bool audit = false;
  };
  auto state = std::make_shared<State>();
  Command command = program.command("accuracy", "Run cases and compare them with the float64 oracle");
  state->cases.add_options(command);
  add_options(command, state->options);
  command.flag("--audit", state->audit,
               "Under each result the parts of its keys that stood out (docs/audit.md)");
  command.option("--kernel-inputs", state->options.kernel_inputs,
                 "A case folder of the same problem, whose tensors the implementation gets in place of those "
                 "that it is judged by: what the judges make of a mistake (docs/audit.md)");
  command.run([state, &exit_code] {
    if (state->audit) state->cases.table = std::make_shared<AuditTable>(stdout);
    exit_code = run_accuracy(state->cases, state->options);
  });
}

} // namespace fmha950::harness
