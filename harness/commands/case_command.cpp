#include "harness/commands/case_command.hpp"

#include "harness/report/progress.hpp"
#include "harness/workload/case_folder.hpp"
#include "harness/workload/generate.hpp"
#include "harness/workload/trace.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

// The device's settings come from the environment too, and belong to the line that reproduces a record.
std::string environment_prefix() {
  std::string prefix;
  for (const char* name : {"FMHA950_HIP_LIBRARY", "FMHA950_SCHEDULE", "FMHA950_THREADS", "FMHA950_MFMA",
                           "FMHA950_SIMD", "FMHA950_DATA"})
    if (const char* value = std::getenv(name); value != nullptr)
      prefix += fmt::format("{}='{}' ", name, value);
  return prefix;
}

// Where a case comes from: a case string, or a folder of somebody's tensors.
struct CaseSource {
  std::string text; // canonical case string where there is one
  std::optional<SelectedCase> selected;
  std::string folder;

  PreparedCase load() const { // without tensors, unless they come with it
    if (!folder.empty()) {
      workload::CaseFolder loaded = workload::load_case_folder(folder);
      return {std::move(loaded.problem), std::move(loaded.tensors)};
    }
    if (selected->error) throw InvalidInput(*selected->error);
    PreparedCase prepared{*selected->problem, {}};
    workload::resolve_trace(prepared.problem);
    return prepared;
  }
  std::string argument() const { return folder.empty() ? quoted(text) : "--load " + quoted(folder); }
  static std::string quoted(const std::string& value) { return fmt::format("'{}'", value); }
};

std::vector<CaseSource> sources(const CaseSelection& selection, const std::vector<std::string>& folders) {
  std::vector<CaseSource> all;
  for (SelectedCase& selected : selection.select()) {
    std::string text = selected.text;
    all.push_back({std::move(text), std::move(selected), ""});
  }
  for (const std::string& folder : folders) all.push_back({folder, std::nullopt, folder});
  if (all.empty())
    throw InvalidInput(
        "case", "", "nothing selected: give case strings, --list or --load (./fmha950 list shows the lists)");
  return all;
}

// Runs `body` and turns what it throws into the record's outcome; what was measured before that is no result.
void guarded(Record& record, const std::function<void()>& body) {
  const auto failed = [&](OutcomeKind kind, const std::exception& error) {
    record.accuracy.reset();
    record.outcome = Outcome::failed(kind, error.what());
  };
  try {
    body();
  } catch (const InvalidInput& error) {
    failed(OutcomeKind::invalid_input, error);
  } catch (const DeviceError& error) {
    failed(OutcomeKind::device_error, error);
    // A fault stops the device until it is cleared. On a GPU only a new process helps: the other cases report
    // its error.
    if (hip::api().ClearFault != nullptr) hip::api().ClearFault();
  } catch (const std::exception& error) {
    failed(OutcomeKind::not_run, error);
  }
}

} // namespace

void CaseCommand::add_options(CLI::App& command) {
  selection.add_options(command);
  command.add_option("--impl", implementation, "Implementation: a name, all, or auto")->capture_default_str();
  command.add_option("--load", folders, "Run a case folder (docs/case_folder.md)")->allow_extra_args(false);
  output.add_options(command);
}

int CaseCommand::run(const std::string& arguments,
                     const std::function<CaseBody(const PreparedCase&)>& body_for) {
  const std::vector<std::string> names = requested_names(implementation);
  const std::vector<CaseSource> cases = sources(selection, folders);
  Report report(output);
  Record common;
  common.command = name_;
  common.environment = environment(true);
  Progress progress(cases.size() * names.size());
  for (const CaseSource& source : cases) {
    PreparedCase prepared;
    std::vector<Dispatch> choices; // one per name; empty if the case itself is broken
    CaseBody body;
    Record of_case = common;
    of_case.case_string = source.text;
    guarded(of_case, [&] {
      prepared = source.load();
      if (!source.folder.empty()) of_case.case_string = print_case(prepared.problem);
      choices = dispatch(implementation, prepared.problem);
      const bool runs = std::any_of(choices.begin(), choices.end(),
                                    [](const Dispatch& choice) { return choice.implementation != nullptr; });
      if (!runs) return;
      if (source.folder.empty()) prepared.tensors = workload::make_tensors(prepared.problem);
      body = body_for(prepared);
    });
    for (size_t i = 0; i < names.size(); ++i) {
      Record record = of_case;
      record.requested = names[i];
      record.reproduce = fmt::format("{}./fmha950 {} {} --impl {}{}", environment_prefix(), name_,
                                     source.argument(), names[i], arguments);
      progress.start(fmt::format("{} {}", names[i], record.case_string));
      if (i < choices.size() && choices[i].implementation == nullptr)
        record.outcome = Outcome::failed(OutcomeKind::unsupported, choices[i].why_not);
      else if (body.run)
        guarded(record, [&] { body.run(prepared, *choices[i].implementation, record); });
      progress.clear();
      progress.done();
      report.add(record);
    }
    if (!body.finish) continue;
    bool finished = false;
    Record failure = of_case;
    guarded(failure, [&] {
      body.finish(prepared);
      finished = true;
    });
    if (!finished) report.add(failure);
  }
  return report.close();
}

} // namespace fmha950::harness
