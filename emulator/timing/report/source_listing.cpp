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

struct Listing {
  std::vector<std::pair<std::string, Line>> lines; // by falling clocks
  Sum all;

  Listing(const KernelRecord& record, const Simulation& run) {
    std::map<std::string, Line> by_source;
    for (size_t i = 0; i < run.ops.size(); ++i) {
      if (run.ops[i].issues == 0) continue;
      Line& line = by_source[record.ops[i].source];
      line.sum.add(run.ops[i]);
      line.ops.push_back(i);
      all.add(run.ops[i]);
    }
    lines.assign(by_source.begin(), by_source.end());
    std::ranges::sort(lines, std::greater{}, [](const auto& line) { return line.second.sum.clocks; });
  }
  double share(const Sum& sum) const {
    return static_cast<double>(sum.clocks) / static_cast<double>(std::max<uint64_t>(1, all.clocks));
  }
};

} // namespace

std::vector<SourceShare> source_shares(const KernelRecord& record, const Simulation& run) {
  const Listing listing(record, run);
  std::vector<SourceShare> shares;
  for (const auto& [source, line] : listing.lines)
    shares.push_back({source, listing.share(line.sum), waits_of(line.sum)});
  return shares;
}

std::string source_listing(const std::string& kernel, const KernelRecord& record, const Simulation& run) {
  Listing listing(record, run);
  std::string text = fmt::format("modelled: where the waves of {} spent {} clocks, by source line\n", kernel,
                                 listing.all.clocks);
  text += fmt::format("{:>8} {:>10} {:>9}  {:<36} {}\n", "share", "clocks", "issues",
                      "waits, of these clocks", "source line or instruction");
  for (auto& [source, line] : listing.lines) {
    text +=
        fmt::format("{:>6.1f} % {:>10} {:>9}  {:<36} {}\n", 100 * listing.share(line.sum), line.sum.clocks,
                    line.sum.issues, waits_of(line.sum), source.empty() ? "(no source line)" : source);
    if (listing.share(line.sum) < shown_share) continue;
    std::ranges::sort(line.ops, {}, [&](size_t i) { return record.ops[i].address; });
    for (const size_t i : line.ops) {
      Sum one;
      one.add(run.ops[i]);
      text += fmt::format("{:>6.1f} % {:>10} {:>9}  {:<36}     {}\n", 100 * listing.share(one), one.clocks,
                          one.issues, waits_of(one), record.ops[i].text);
    }
  }
  return text;
}

} // namespace fmha950::timing
