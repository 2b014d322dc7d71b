// rows.csv of `device --calibration --external`: what its columns must hold, and what a person is told of them.
#include "harness/perf/external_calibration.hpp"

#include "harness/perf/modelled.hpp"
#include "interface/error.hpp"
#include "workload/csv_table.hpp"

#include <fmt/format.h>
#include <sstream>

namespace fmha950::harness {

namespace {

using workload::CsvTable;

const std::string& present(const CsvTable& table, size_t row, std::string_view column) {
  const std::string& text = table.text(row, column);
  if (text.empty()) throw InvalidInput(table.place(row, column), "", "must not be empty");
  return text;
}

bool is_fit(const CsvTable& table, size_t row) {
  const std::string& use = table.text(row, "use");
  if (use != "fit" && use != "check")
    throw InvalidInput(table.place(row, "use"), use, "must be fit or check");
  return use == "fit";
}

std::optional<int> along(const CsvTable& table, size_t row) {
  if (!table.has("along") || table.text(row, "along").empty()) return {};
  const std::string& text = table.text(row, "along");
  if (text != "x" && text != "y" && text != "z")
    throw InvalidInput(table.place(row, "along"), text, "must be x, y or z, or empty");
  return text[0] - 'x';
}

int64_t copies(const CsvTable& table, size_t row) {
  if (!table.has("copies") || table.text(row, "copies").empty()) return 1;
  return table.integer(row, "copies", 1, 1 << 20);
}

bool is_together(const CsvTable& table, size_t row) {
  if (!table.has("l2") || table.text(row, "l2").empty()) return false;
  const std::string& text = table.text(row, "l2");
  if (text != "shared") throw InvalidInput(table.place(row, "l2"), text, "must be shared or empty");
  return true;
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

} // namespace

std::vector<ExternalRow> read_external_rows(const std::filesystem::path& folder) {
  const CsvTable table(folder / "rows.csv");
  constexpr int64_t most_lds = target.lds_bytes_per_cu, any = INT64_MAX;
  std::vector<ExternalRow> rows;
  for (size_t row = 0; row < table.rows(); ++row)
    rows.push_back({.object = present(table, row, "object"),
                    .kernel = table.text(row, "kernel"),
                    .grid = present(table, row, "grid"),
                    .block = present(table, row, "block"),
                    .lds = static_cast<uint32_t>(table.integer(row, "lds", 0, most_lds)),
                    .arguments = words(table.text(row, "arguments")),
                    .flops = table.positive(row, "flops"),
                    .tflops = table.positive(row, "tflops"),
                    .series = present(table, row, "group"),
                    .length = table.integer(row, "length", 0, any),
                    .fit = is_fit(table, row),
                    .synchronised = table.has("protocol") && is_synchronised(table, row),
                    .copies = copies(table, row),
                    .along = along(table, row),
                    .together = is_together(table, row)});
  for (size_t row = 0; row < rows.size(); ++row) {
    const double launch = launch_seconds(rows[row].synchronised);
    if (rows[row].together && rows[row].along)
      throw InvalidInput(table.place(row, "l2"), "shared",
                         "must be empty where `along` says that workgroups differ");
    if (rows[row].fit && rows[row].flops / (1e12 * rows[row].tflops) <= launch)
      throw InvalidInput(
          table.place(row, "tflops"), table.text(row, "tflops"),
          fmt::format(
              "means {:.3g} us: a row that sets the clock must take longer than its launch, {:.3g} us",
              rows[row].flops / (1e6 * rows[row].tflops), 1e6 * launch));
  }
  if (rows.empty())
    throw InvalidInput("file", (folder / "rows.csv").string(), "has no rows: must have one for each launch");
  return rows;
}

void print_external_format(std::FILE* out) {
  fmt::print(
      out, "{}",
      R"(--external DIR: the cycle model against what was measured of code objects in DIR. DIR/rows.csv has these columns,
with a header line; a field with a comma stands in double quotes:

  object     code object (.co, .hsaco), relative to DIR
  kernel     its name; may be empty if the object has only one
  grid       workgroups, "X,Y,Z"
  block      work-items of a workgroup, "X,Y,Z"
  lds        bytes of dynamic LDS
  arguments  the kernel's, separated by blanks, as --arg of `device run` has them: in:FILE.npy out:bf16[8,64] 1024 0.5
             (docs/device_run.md); files relative to DIR
  flops      of one launch
  tflops     what was measured, in TFLOP/s
  group      rows of one kind, which are left out together: d128-causal
  length     keys, or the size of a GEMM; 0 if there is none
  use        fit (sets the law of the clock) or check (only judged)
  protocol   may be missing or empty; synchronised if the host waited for the GPU, recorded an event, launched and
             recorded another: what the host needs to launch is then in the time, and the model adds it
  copies     may be missing or empty: the measured launch touched so many times the memory that the arguments here hold
             (one batch of 16, for which the grid is): whether it has room in MALL
  along      may be missing or empty: x, y or z, if this coordinate of a workgroup alone decides how much it does. One of
             each is then followed, the first of the others; else some drawn at random
  l2         may be missing or empty: shared if all workgroups do as much and read lines of each other's, as a GEMM's. The
             first round of one chiplet's is then followed with one L2, and stands for all rounds
)");
}

} // namespace fmha950::harness
