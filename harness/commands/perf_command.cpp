#include "harness/commands/perf_command.hpp"

#include "harness/commands/commands.hpp"
#include "harness/commands/shared_options.hpp"
#include "harness/report/speed_table.hpp"
#include "interface/error.hpp"

#include <memory>

namespace fmha950::harness {

namespace {

// What the device in use could only ignore is refused.
void require_options_of_device(const PerfOptions& options) {
  const std::string other = hip::runtime().embedded ? options.measure.arguments() : options.model.arguments();
  if (other.empty()) return;
  throw InvalidInput("options", other.substr(1),
                     hip::runtime().embedded
                         ? "are of measurements on a GPU; this is the embedded device, which is modelled"
                         : "are of the embedded device's cycle model; this is a GPU, which is measured");
}

} // namespace

void add_options(Command command, PerfOptions& options) {
  add_options(command, options.accuracy);
  add_options(command, options.model);
  add_options(command, options.measure);
}

std::string PerfOptions::arguments() const {
  return accuracy.arguments() + model.arguments() + measure.arguments();
}

int run_perf(CaseCommand& cases, const PerfOptions& options, const std::string& flag) {
  require_options_of_device(options);
  require_valid(options.accuracy.variations);
  cases.runs = variations(options.accuracy.variations).size() + 1; // one is recorded
  if (hip::runtime().embedded)
    cases.table = std::make_shared<PerformanceTable>(stdout, options.model.explain);
  else
    cases.table = std::make_shared<MeasuredTable>(stdout);
  return cases.run(
      flag + options.arguments(), options.accuracy.digest(), options.accuracy.use(),
      [&](const PreparedCase& prepared) {
        auto oracle = std::make_shared<CaseOracle>(prepared.problem, prepared.tensors);
        CaseBody body;
        body.run = [&, oracle](const PreparedCase& item, const Implementation& implementation,
                               Record& record) {
          judge_case(implementation, item.problem, item.tensors, options.accuracy, *oracle, record);
          if (record.outcome.kind() != OutcomeKind::passed) return;
          if (hip::runtime().embedded)
            record.modelled = model_case(implementation, item.problem, item.tensors, options.model);
          else
            record.measured = measure_case(implementation, item.problem, item.tensors, options.measure);
        };
        return body;
      });
}

void add_perf_command(Command program, int& exit_code) {
  struct State {
    CaseCommand cases{"perf"};
    PerfOptions options;
  };
  auto state = std::make_shared<State>();
  Command command = program.command(
      "perf", "Performance of cases that pass accuracy: modelled on the embedded device, measured on a GPU");
  state->cases.add_options(command);
  add_options(command, state->options);
  command.run([state, &exit_code] { exit_code = run_perf(state->cases, state->options); });
}

} // namespace fmha950::harness
