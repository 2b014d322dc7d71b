#include "harness/commands/commands.hpp"

#include "harness/commands/shared_options.hpp"
#include "harness/device/embedded_device.hpp"
#include "harness/device/hazards.hpp"
#include "harness/device/variation.hpp"
#include "harness/foreign/code_object_file.hpp"
#include "harness/foreign/foreign_run.hpp"
#include "harness/foreign/outputs.hpp"
#include "harness/perf/foreign_model.hpp"
#include "interface/error.hpp"
#include "interface/outcome.hpp"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace fmha950::harness {

struct DeviceRunOptions {
  std::string file, kernel, grid = "1", block, hazards, trace, save;
  uint32_t lds = 0;
  std::vector<std::string> arguments, schedules, expected;
  double tolerance = 1e-3;
  bool describe = false, perf = false;
  ModelOptions model;
};

namespace {

// Failures in the order in which they were found; the exit code is that of the gravest in the order of the kinds.
class Verdict {
 public:
  void fail(OutcomeKind kind, const std::string& reason) {
    fmt::print("{}: {}\n", to_string(kind), reason);
    worst_ = worst_ == OutcomeKind::passed ? kind : std::min(worst_, kind);
  }
  int close() const {
    if (worst_ == OutcomeKind::passed) fmt::print("passed\n");
    return exit_code(worst_);
  }

 private:
  OutcomeKind worst_ = OutcomeKind::passed;
};

// Under the checks that were asked for, by the option or the device's variable; else for errors, where there are checks.
void choose_checks(const std::string& hazards) {
  if (!hazards.empty())
    set_option("check", hazards);
  else if (hip::runtime().embedded && !std::getenv("FMHA950_CHECK"))
    set_option("check", "errors");
}

std::vector<Array> run_under(const Variation& variation, const DeviceRunOptions& options,
                             const LoadedKernel& kernel, const LaunchShape& shape, const ArgumentBlock& block,
                             Verdict& verdict) {
  apply(variation);
  ForeignRun run(kernel, shape, block);
  run.launch();
  if (!options.trace.empty()) trace_to(""); // of the first run
  std::vector<Array> outputs = run.outputs();
  // After the read of the outputs, which is checked, too. The device has printed them.
  const std::vector<HazardReport> findings = take_findings();
  if (std::ranges::count(findings, std::string("error"), &HazardReport::severity))
    verdict.fail(OutcomeKind::hazard, describe(findings));
  return outputs;
}

void compare(const std::vector<Array>& first, const std::vector<Array>& again, const std::string& schedule,
             const std::vector<Output>& outputs, Verdict& verdict) {
  bool equal = true;
  for (size_t i = 0; i < first.size(); ++i) {
    const BitDifference difference = compare_bits(first[i], again[i]);
    if (difference.count == 0) continue;
    equal = false;
    verdict.fail(
        OutcomeKind::hazard,
        fmt::format("{}: under {} {} of {} elements have other bits, the first is {}: {:.6g}, not {:.6g}",
                    outputs[i].buffer->name, schedule, difference.count, first[i].elements(),
                    difference.first, again[i].value(difference.first), first[i].value(difference.first)));
  }
  if (equal) fmt::print("{}: outputs bit-equal\n", schedule);
}

LaunchShape shape_of(const DeviceRunOptions& options, const ForeignKernel& kernel) {
  if (options.block.empty())
    throw InvalidInput("--block", "",
                       fmt::format("must be given: X,Y,Z of at most {} work-items", kernel.max_block));
  const LaunchShape shape{parse_dimensions("--grid", options.grid),
                          parse_dimensions("--block", options.block), options.lds};
  require_fits(shape, kernel);
  return shape;
}

int run_kernel(const DeviceRunOptions& options) {
  const CodeObjectFile file = read_code_object_file(options.file);
  if (options.describe) {
    for (const ForeignKernel& each : file.kernels)
      if (options.kernel.empty() || &each == &file.kernel(options.kernel))
        fmt::print("{}", describe(file, each));
    return 0;
  }
  const ForeignKernel& kernel = file.kernel(options.kernel);
  const LaunchShape shape = shape_of(options, kernel);
  const ArgumentBlock block = lay_out(kernel, parse_arguments(kernel, options.arguments));
  const std::vector<Output> outputs = outputs_of(kernel, block);
  std::vector<Expectation> expectations;
  for (const std::string& text : options.expected) expectations.push_back(parse_expectation(text, outputs));
  if (!options.save.empty()) parse_place("--save", options.save);
  choose_checks(options.hazards);
  require_valid({.schedules = options.schedules, .threads = {}, .mfma = {}});
  if (!options.trace.empty()) trace_to(options.trace);

  const LoadedKernel loaded(file, kernel);
  fmt::print("{} of {} on {}, grid {} x {} x {}, block {} x {} x {}\n", kernel.name, file.path,
             hip::runtime().device, shape.grid.x, shape.grid.y, shape.grid.z, shape.block.x, shape.block.y,
             shape.block.z);
  Verdict verdict;
  std::vector<Array> results;
  size_t runs = 0;
  for (const Variation& variation : variations({.schedules = options.schedules, .threads = {}, .mfma = {}})) {
    std::vector<Array> again = run_under(variation, options, loaded, shape, block, verdict);
    if (runs++ == 0)
      results = std::move(again);
    else
      compare(results, again, variation.schedule, outputs, verdict);
  }
  for (size_t i = 0; i < results.size(); ++i)
    fmt::print("{}, {}: {}\n", outputs[i].buffer->name, results[i].type(),
               summary(results[i], outputs[i].buffer->poisoned));
  save_outputs(outputs, results, options.save);
  for (const Expectation& each : expectations) {
    const double error = relative_l2("--expect", results[each.output], each.values);
    const std::string text =
        fmt::format("{}: relative L2 to {} is {:.3g}, at most {:.3g} is wanted",
                    outputs[each.output].buffer->name, each.text, error, options.tolerance);
    if (error <= options.tolerance)
      fmt::print("{}\n", text);
    else
      verdict.fail(OutcomeKind::inaccurate, text);
  }
  if (options.perf) fmt::print("{}", describe_foreign(model_foreign(loaded, shape, block, options.model)));
  return verdict.close();
}

} // namespace

DeviceRunCommand::DeviceRunCommand(Command device)
    : command_(device.command(
          "run", "FILE: a kernel of any code object, on the device in use (docs/device_run.md)")),
      options_(std::make_shared<DeviceRunOptions>()) {
  DeviceRunOptions& options = *options_;
  command_
      .option("file", options.file, "gfx950 code object (.hsaco, .co), an ELF file or uncompressed bundle")
      .required();
  command_.option("--kernel", options.kernel, "Its name; may be left out if the file has only one");
  command_.flag("--describe", options.describe,
                "Print kernels, their arguments and a command line for each, and run nothing");
  command_.option("--grid", options.grid, "X,Y,Z: workgroups").show_default();
  command_.option("--block", options.block, "X,Y,Z: work-items of a workgroup");
  command_.option("--lds", options.lds, "Bytes of dynamic LDS").show_default();
  command_
      .option("--arg", options.arguments,
              "An argument, in the kernel's order: in:FILE, inout:FILE[=FILE], out:TYPE[EXTENTS][=FILE], "
              "zero:TYPE[EXTENTS][=FILE], "
              "a number, TYPE:NUMBER, null or struct:TYPES=VALUES; files are .npy or .safetensors[#TENSOR]")
      .one_value_each();
  command_.option("--save", options.save,
                  "File for the outputs that name none: .npy for one, .safetensors for several");
  command_
      .option("--expect", options.expected,
              "[OUTPUT=]FILE: what an output must hold (exit code 1 if it does not)")
      .one_value_each();
  command_.option("--tolerance", options.tolerance, "With --expect: relative L2 error that is accepted")
      .not_negative()
      .show_default();
  command_.option("--hazards", options.hazards,
                  "Hazard checks: errors (default), all, none, or names (docs/hazards.md)");
  command_
      .option("--schedules", options.schedules,
              "Schedules of the embedded device, comma-separated, as accuracy has them; each runs on fresh "
              "inputs, and all "
              "must give the same bits")
      .comma_separated();
  command_.option("--trace", options.trace,
                  "FILE[,WORKGROUP]: append what its waves execute between barriers");
  command_.flag("--perf", options.perf, "What the cycle model says of the launch (docs/timing.md)");
  add_options(command_, options.model);
}

int DeviceRunCommand::run() const { return run_kernel(*options_); }

} // namespace fmha950::harness
