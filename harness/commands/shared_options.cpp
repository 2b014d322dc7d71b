#include "harness/commands/shared_options.hpp"

#include "emulator/timing/assumption_words.hpp"
#include "harness/cases/dispatch.hpp"
#include "harness/device/embedded_device.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fmt/format.h>

namespace fmha950::harness {

void add_options(Command command, CaseSelection& selection) {
  command.option("case", selection.cases,
                 "Case strings, for instance batch_prefill/h=6:1/sq=128/sk=1024/kv=fp8/quant=tensor");
  command.option("--list", selection.lists, "Named case list: data/cases/NAME (may be repeated)")
      .one_value_each();
  command
      .option(
          "--axis", selection.axes,
          "KEY=VALUE,VALUE...: each case with each of the values, for instance seed=1,2,3 (may be repeated)")
      .one_value_each();
  command.option("--filter", selection.filter,
                 "Keep the cases in whose string this regular expression is found");
  command.option("--shard", selection.shard, "i/n: every n-th case of what is selected, from the i-th");
}

void add_options(Command command, MemoryLimit& limit) {
  const auto complaint = [](const std::string& text) -> std::string {
    char* end = nullptr;
    const auto value = static_cast<double>(std::strtold(text.c_str(), &end));
    const bool number = !text.empty() && end == text.c_str() + text.size();
    return number && value > 0 && std::isfinite(value) ? "" : text + " must be a number of GiB above 0";
  };
  command
      .option("--memory", limit.gib,
              "GiB of memory that a case may take; one that needs more is not run (default: three "
              "quarters of the machine's)")
      .check(complaint, "GIB");
}

Option add_file_option(Command command, const char* name, std::string& file, const std::string& help) {
  const auto complaint = [name](const std::string& text) {
    return text.empty() ? fmt::format("'' is no file: {} must name one", name) : "";
  };
  return command.option(name, file, help).check(complaint, "FILE");
}

void add_options(Command command, OutputOptions& output) {
  Option csv = command.flag("--csv", output.csv, "CSV on stdout, one line per result");
  Option json = command.flag("--json", output.json, "JSON lines on stdout (docs/results.md)");
  const Option markdown = command.flag("--markdown", output.markdown, "A Markdown table on stdout");
  csv.excludes(json).excludes(markdown);
  json.excludes(markdown);
  command.flag("--verbose", output.verbose,
               "Lines for what is not supported, too: a table only counts it else");
  const auto is_database = [](const std::string& file) -> std::string {
    return file.ends_with(".sqlite") ? file + ": must be called by ./fmha950, which makes the database" : "";
  };
  add_file_option(command, "--output", output.file,
                  "Also write JSON lines to this file; one that is not empty needs --resume or --overwrite. "
                  "FILE.sqlite: a database of them, too, beside FILE.jsonl")
      .check(is_database, "");
  const Option resume = command.flag(
      "--resume", output.resume, "Keep the records in the file of --output, and run only what is missing");
  command.flag("--overwrite", output.overwrite, "Begin the file of --output anew").excludes(resume);
}

void add_options(Command command, AccuracyOptions& accuracy) {
  command
      .option("--schedules", accuracy.variations.schedules,
              "Schedules of the embedded device, comma-separated; '+' joins memory and waves: "
              "eager,lazy,random:1,lazy+starve:3")
      .comma_separated();
  command.option("--threads", accuracy.variations.threads, "Numbers of host threads, comma-separated")
      .comma_separated();
  command.option("--mfma", accuracy.variations.mfma, "Forms of MFMA arithmetic, comma-separated: fma,fdpa")
      .comma_separated();
  command
      .option("--oracle-rows", accuracy.oracle_rows,
              "Query rows judged by the oracle, a deterministic sample (default: by cost)")
      .positive();
  command
      .option("--query-tiles", accuracy.query_tiles,
              "Query tiles run on the embedded device (default: all of a small problem, 4 of a large one)")
      .positive();
}

void add_options(Command command, ModelOptions& model) {
  command
      .option("--samples", model.samples,
              "Workgroups of each launch that the cycle model follows (default: 5, and 17 or 65 where fewer "
              "leave more than 5 % uncertain)")
      .range(1, 1 << 20);
  add_assume_option(command, model.assumptions);
  command.flag(
      "--explain", model.explain,
      "Below each line, which law of the clock and which assumption moves its time most, and where its "
      "time goes: nanoseconds of a tile by what costs energy");
  command.flag(
      "--no-interval", model.no_interval,
      "Without replays under what sources leave open: ends of the law and sampling alone, in less time");
}

void ExternalOption::add(Command command) {
  command
      .option("--external", folders_,
              "A folder with manifests of your kernels, each of which is an implementation external:NAME "
              "(docs/your_kernel.md); also FMHA950_EXTERNAL=FOLDER:FOLDER")
      .one_value_each();
}

void ExternalOption::use(const std::string& implementations, const char* check) const {
  use();
  if (std::ranges::none_of(requested_names(implementations), is_external) || !hip::runtime().embedded) return;
  const auto choose = [](const char* variable, const char* option, const char* value) {
    if (std::getenv(variable) != nullptr) return;
    setenv(variable, value, 0); // so that the line that reproduces a record has it
    set_option(option, value);
  };
  choose("FMHA950_SCHEDULE", "schedule", "timed");
  choose("FMHA950_CHECK", "check", check);
}

Option add_assume_option(Command command, std::vector<std::string>& assumptions) {
  std::vector<std::string> words;
  for (const timing::AssumptionWord& each : timing::assumption_words) words.emplace_back(each.word);
  return command
      .option("--assume", assumptions,
              "Of the model, where public sources disagree, comma-separated (docs/timing.md)")
      .comma_separated()
      .one_value_each() // the word behind it is a case
      .one_of(words);
}

void add_options(Command command, MeasureOptions& measure) {
  const char* const group = "On a GPU";
  command
      .option("--noise", measure.limits.noise,
              "Relative standard deviation below which a measurement may end")
      .positive()
      .show_default()
      .group(group);
  command.option("--min-time", measure.limits.least_seconds, "Seconds of samples before it may end")
      .not_negative()
      .show_default()
      .group(group);
  command.option("--timeout", measure.limits.timeout, "Seconds after which it ends in any case")
      .positive()
      .show_default()
      .group(group);
  command
      .option("--throttle", measure.throttle,
              "Share of the nominal clock below which a sample is discarded; 0: none is")
      .range(0.0, 1.0)
      .show_default()
      .group(group);
}

} // namespace fmha950::harness
