#include "harness/report/demo_table.hpp"

#include "harness/judge/verdict.hpp"
#include "harness/report/record_table.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

constexpr TableColumn demo_columns[] = {
    {"case", 29, 9}, {"judged", 8, 9},    {"quant L2", -8, 6}, {"closest", 14, 8},
    {"rmse", -8, 7}, {"farthest", 14, 5}, {"rmse", -8, 4},     {"of limit", -8, 3},
};

// The value of a key in a case string; "" where it is not there.
std::string value_in(const std::string& case_string, const std::string& key) {
  const size_t place = case_string.find("/" + key + "=");
  if (place == std::string::npos) return "";
  const size_t begin = place + key.size() + 2;
  return case_string.substr(begin, case_string.find('/', begin) - begin);
}

bool has_errors(const Record& record) { return record.accuracy && record.accuracy->verdict.kernel.count > 0; }

double rmse_in(const Record* record) { return record->accuracy->verdict.kernel.rmse; }

double limit_share(const Record* record) {
  return record->accuracy->verdict.limits.empty() ? 0 : largest_share(record->accuracy->verdict.limits);
}

} // namespace

std::string short_name(const std::string& case_string) {
  const std::string trace = value_in(case_string, "trace"), keys = value_in(case_string, "kv");
  std::string name =
      trace.empty() ? case_string.substr(0, case_string.find('/')) : trace.substr(0, trace.find('@'));
  name += ", " + (keys.empty() ? "bf16" : keys);
  for (const char* key : {"quant", "format"})
    if (const std::string value = value_in(case_string, key); !value.empty()) name += ", " + value;
  return name;
}

DemoTable::DemoTable(std::FILE* out) : out_(out), layout_(out, demo_columns) {}

void DemoTable::print(const Record& record) {
  if (!of_case_.empty() && of_case_.front().case_string != record.case_string) print_case();
  of_case_.push_back(record);
}

void DemoTable::print_case() {
  if (of_case_.empty()) return;
  if (!heading_printed_) layout_.print_heading();
  heading_printed_ = true;
  std::vector<const Record*> judged;
  for (const Record& record : of_case_)
    if (has_errors(record)) judged.push_back(&record);
  const auto failed =
      std::ranges::find_if(of_case_, [](const Record& record) { return record.outcome.is_failure(); });
  const auto failures =
      std::ranges::count_if(of_case_, [](const Record& record) { return record.outcome.is_failure(); });
  std::vector<std::string> cells(std::size(demo_columns), "-");
  cells[0] = short_name(of_case_.front().case_string);
  cells[1] = failures == 0 ? fmt::format("{} passed", of_case_.size()) : fmt::format("{} failed", failures);
  if (!judged.empty()) {
    const Record* const closest = std::ranges::min(judged, {}, rmse_in);
    const Record* const farthest = std::ranges::max(judged, {}, rmse_in);
    const auto& quantisation = closest->accuracy->quantisation;
    if (quantisation) cells[2] = figure(quantisation->relative_l2);
    cells[3] = closest->implementation();
    cells[4] = figure(rmse_in(closest));
    cells[5] = farthest->implementation();
    cells[6] = figure(rmse_in(farthest));
    cells[7] = of_limit(std::ranges::max(judged, {}, limit_share)->accuracy->verdict);
  }
  layout_.print(cells, failures == 0 ? OutcomeKind::passed : failed->outcome.kind());
  std::fflush(out_);
  of_case_.clear();
}

} // namespace fmha950::harness
