#include "emulator/timing/report/source_listing.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace fmha950::timing {
namespace {

constexpr double shown_share = 0.01; // of the clocks, for a line's instructions to be listed

struct Sum {
  uint64_t issues = 0, clocks = 0;
  SpentClocks spent{};
  void add(const OpTime& time) {
    issues += time.issues;
    for (size_t i = 0; i < spent.size(); ++i) {
      spent[i] += time.spent[i];
      clocks += time.spent[i];
    }
  }
};

// "vmcnt 62 %, barrier 11 %": what was waited for longest, as shares of all clocks that were spent here.
std::string waits_of(const Sum& sum) {
  std::vector<size_t> order;
  for (size_t i = 1; i < sum.spent.size(); ++i) // all but issue
    if (sum.spent[i] > 0) order.push_back(i);
  std::ranges::sort(order, std::greater{}, [&](size_t i) { return sum.spent[i]; });
  std::string text;
  for (size_t i = 0; i < std::min<size_t>(2, order.size()); ++i)
    text += fmt::format("{}{} {:.0f} %", i ? ", " : "", name_of(static_cast<Spent>(order[i])),
                        100.0 * static_cast<double>(sum.spent[order[i]]) / static_cast<double>(sum.clocks));
  return text;
}

struct Line {
  Sum sum;
  std::vector<size_t> ops; // by address
};

} // namespace

std::string source_listing(const std::string& kernel, const KernelRecord& record, const Simulation& run) {
  std::map<std::string, Line> lines;
  Sum all;
  for (size_t i = 0; i < run.ops.size(); ++i) {
    if (run.ops[i].issues == 0) continue;
    Line& line = lines[record.ops[i].source];
    line.sum.add(run.ops[i]);
    line.ops.push_back(i);
    all.add(run.ops[i]);
  }
  std::vector<std::pair<std::string, Line>> sorted(lines.begin(), lines.end());
  std::ranges::sort(sorted, std::greater{}, [](const auto& line) { return line.second.sum.clocks; });
  const auto share = [&](const Sum& sum) {
    return static_cast<double>(sum.clocks) / static_cast<double>(std::max<uint64_t>(1, all.clocks));
  };
  std::string text =
      fmt::format("modelled: where the waves of {} spent {} clocks, by source line\n", kernel, all.clocks);
  text += fmt::format("{:>8} {:>10} {:>9}  {:<36} {}\n", "share", "clocks", "issues",
                      "waits, of these clocks", "source line or instruction");
  for (auto& [source, line] : sorted) {
    text += fmt::format("{:>6.1f} % {:>10} {:>9}  {:<36} {}\n", 100 * share(line.sum), line.sum.clocks,
                        line.sum.issues, waits_of(line.sum), source.empty() ? "(no source line)" : source);
    if (share(line.sum) < shown_share) continue;
    std::ranges::sort(line.ops, {}, [&](size_t i) { return record.ops[i].address; });
    for (const size_t i : line.ops) {
      Sum one;
      one.add(run.ops[i]);
      text += fmt::format("{:>6.1f} % {:>10} {:>9}  {:<36}     {}\n", 100 * share(one), one.clocks,
                          one.issues, waits_of(one), record.ops[i].text);
    }
  }
  return text;
}

} // namespace fmha950::timing
