#include "harness/commands/case_command.hpp"

#include "harness/device/embedded_device.hpp"
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

// Turns what running threw into the record's outcome; what was measured before it is no result.
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
    clear_fault();
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

std::string CaseCommand::reproduce(const SelectedCase& item, const std::string& folder,
                                   const std::string& requested, const std::string& arguments) const {
  const std::string source =
      folder.empty() ? fmt::format("'{}'", item.text) : fmt::format("--load '{}'", folder);
  return fmt::format("{}./fmha950 {} {} --impl {}{}", environment_prefix(), name_, source, requested,
                     arguments);
}

int CaseCommand::run(const std::string& arguments, const std::function<Body(const PreparedCase&)>& per_case) {
  const std::vector<std::string> names = requested_names(implementation);
  struct Item {
    SelectedCase selected;
    std::string folder;
  };
  std::vector<Item> items;
  for (SelectedCase& selected : selection.select()) items.push_back({std::move(selected), ""});
  for (const std::string& folder : folders) items.push_back({{folder, std::nullopt, std::nullopt}, folder});
  if (items.empty())
    throw InvalidInput(
        "case", "", "nothing selected: give case strings, --list or --load (./fmha950 list shows the lists)");

  Report report(output);
  const Environment here = environment(true);
  Progress progress(items.size() * names.size());
  for (Item& item : items) {
    PreparedCase prepared{item.selected.text, item.folder, {}, {}};
    Record blank;
    blank.command = name_;
    blank.environment = here;
    std::vector<Dispatch> choices;
    Body body;
    Record broken = blank; // takes what goes wrong before an implementation is asked
    guarded(broken, [&] {
      if (!item.folder.empty()) {
        workload::CaseFolder loaded = workload::load_case_folder(item.folder);
        prepared.problem = std::move(loaded.problem);
        prepared.tensors = std::move(loaded.tensors);
        prepared.text = print_case(prepared.problem);
      } else if (item.selected.problem) {
        prepared.problem = *item.selected.problem;
        workload::resolve_trace(prepared.problem);
      } else {
        throw *item.selected.error;
      }
      choices = dispatch(implementation, prepared.problem);
      const bool runs = std::any_of(choices.begin(), choices.end(),
                                    [](const Dispatch& d) { return d.implementation != nullptr; });
      if (runs && item.folder.empty()) prepared.tensors = workload::make_tensors(prepared.problem);
      if (runs) body = per_case(prepared);
    });
    for (size_t i = 0; i < names.size(); ++i) {
      Record record = broken;
      record.case_string = prepared.text;
      record.requested = names[i];
      record.reproduce = reproduce(item.selected, item.folder, names[i], arguments);
      progress.start(fmt::format("{} {}", names[i], record.case_string));
      if (i < choices.size() && choices[i].implementation == nullptr)
        record.outcome = Outcome::failed(OutcomeKind::unsupported, choices[i].why_not);
      else if (body.run)
        guarded(record, [&] { body.run(prepared, *choices[i].implementation, record); });
      progress.clear();
      progress.done();
      report.add(record);
    }
    if (body.finish) body.finish(prepared);
  }
  return report.close();
}

} // namespace fmha950::harness
