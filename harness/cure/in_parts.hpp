#pragma once
// Tables that are made line by line: lines of a run before stand where they are of the same code, the others are judged in
// parts by copies of this process, so that what is done is kept.

#include "harness/mutation/device_workers.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <string>
#include <vector>

namespace fmha950::harness::cure {

// `judge(some, share)`: the lines of a worker's share of `some`. `read`: a line as it is written. `done` is told of each that is new.
template <class Line, class Judge, class Read>
std::vector<Line> judged_in_parts(const std::vector<Line>& all, const std::vector<Line>& known,
                                  const std::string& what, Judge judge, Read read,
                                  const std::function<void(const Line&)>& done) {
  std::vector<Line> open, lines;
  for (const Line& each : all) {
    const auto found = std::ranges::find_if(known, [&](const Line& other) { return other.is_of(each); });
    found != known.end() ? lines.push_back(*found) : open.push_back(each);
  }
  constexpr size_t part = 200;
  for (size_t begin = 0; begin < open.size(); begin += part) {
    const size_t end = std::min(begin + part, open.size());
    const std::vector<Line> some(open.begin() + static_cast<std::ptrdiff_t>(begin),
                                 open.begin() + static_cast<std::ptrdiff_t>(end));
    const std::string part_of = fmt::format("{} {} to {} of {}", what, begin + 1, end, open.size());
    for (const std::string& line : lines_of_workers(
             some.size(), part_of, [&](const WorkerShare& share) { return judge(some, share); })) {
      lines.push_back(read(line));
      if (done) done(lines.back());
    }
  }
  return lines;
}

} // namespace fmha950::harness::cure
