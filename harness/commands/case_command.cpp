#include "harness/commands/case_command.hpp"

#include "harness/commands/shared_options.hpp"
#include "harness/record/kept_records.hpp"
#include "interface/error.hpp"
#include "workload/case_folder.hpp"
#include "workload/generate.hpp"
#include "workload/trace.hpp"

#include <filesystem>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

CaseItem item_of(const SelectedCase& selected) {
  const auto problem = [selected] {
    if (selected.error) throw InvalidInput(*selected.error);
    Problem resolved = *selected.problem;
    workload::resolve_trace(resolved);
    return resolved;
  };
  return {selected.text, fmt::format("'{}'", selected.text), "", problem,
          [](const Problem& resolved) { return workload::make_tensors(resolved); }};
}

CaseItem item_of(const std::string& folder) {
  const auto head = [folder] { return workload::read_case_folder_head(folder); };
  const auto tensors = [folder](const Problem&) { return workload::load_case_folder(folder).tensors; };
  const auto problem = [head] { return head().problem; };
  const auto memory = [head](const Problem& of, const CaseUse& use) {
    return memory_of_loaded(of, head().bytes, use);
  };
  return {folder, fmt::format("--load '{}'", folder), "", problem, tensors, memory, digest_of_folder(folder)};
}

} // namespace

void CaseCommand::add_options(Command command) {
  harness::add_options(command, selection);
  command.option("--impl", implementation, "Implementations: names separated by commas, all, or auto")
      .show_default();
  external.add(command);
  command.option("--load", folders, "Run a case folder (docs/case_folder.md)").one_value_each();
  harness::add_options(command, memory_limit);
  const Option isolate = command.flag(
      "--isolate", isolate_,
      "Each case in a process of its own: a crash is the outcome of one case (default with --list)");
  command.flag("--no-isolate", together_, "All cases in this process").excludes(isolate);
  command
      .option("--case-timeout", case_seconds_,
              "Seconds that an isolated case may take for each result (default: by its size)")
      .positive();
  harness::add_options(command, output);
}

std::vector<CaseItem> CaseCommand::items() const {
  std::vector<CaseItem> all;
  for (const SelectedCase& selected : selection.select()) all.push_back(item_of(selected));
  for (const std::string& folder : folders) all.push_back(item_of(folder));
  if (all.empty())
    throw InvalidInput(
        "case", "", "nothing selected: give case strings, --list or --load (./fmha950 list shows the lists)");
  return all;
}

Isolation CaseCommand::isolation() const {
  const bool embedded = hip::runtime().embedded;
  if (isolate_ && !embedded)
    throw InvalidInput("--isolate", "",
                       "is for the embedded device: a GPU's runtime does not survive a fork");
  Isolation result;
  result.on = isolate_ || (embedded && !together_ && !selection.lists.empty());
  if (case_seconds_ > 0 && !result.on)
    throw InvalidInput("--case-timeout", fmt::format("{}", case_seconds_),
                       "is for cases in processes of their own: add --isolate");
  result.seconds = case_seconds_;
  result.runs = runs;
  return result;
}

void CaseCommand::keep_together(const std::string& reason) {
  if (isolate_) throw InvalidInput("--isolate", "", reason);
  together_ = true;
}

int CaseCommand::run(const std::string& arguments, const std::string& digest, const CaseUse& use,
                     const std::function<CaseBody(const PreparedCase&)>& body_for) {
  external.use(implementation, "errors");
  const CaseLoop loop{.command = name_,
                      .implementation = implementation,
                      .arguments = arguments,
                      .digest = digest,
                      .output = output,
                      .memory_limit = memory_limit,
                      .isolation = isolation(),
                      .use = use,
                      .table = table};
  return loop.run(items(), [&](size_t, const PreparedCase& prepared) { return body_for(prepared); });
}

} // namespace fmha950::harness
