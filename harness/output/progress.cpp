#include "harness/output/progress.hpp"

#include <cmath>
#include <cstdio>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

constexpr double seconds_between_lines = 5; // where the line cannot be rewritten

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

} // namespace

std::string format_duration(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

Progress::Progress(size_t total) : total_(total) {}

bool Progress::due() const { return line_.is_there() || seconds_since(printed_) >= seconds_between_lines; }

void Progress::start(const std::string& what) {
  if (due()) print(done_ + 1, what);
}

void Progress::begin(const std::string& what) { print(done_, what); }

void Progress::show(size_t done, const std::string& what) {
  done_ = done;
  if (due()) print(done_, what);
}

void Progress::print(size_t number, const std::string& what) {
  printed_ = Clock::now();
  const double elapsed = seconds_since(begin_);
  std::string left = "?";
  if (done_ > 0)
    left = format_duration(elapsed / static_cast<double>(done_) * static_cast<double>(total_ - done_));
  const std::string line =
      fmt::format("[{}/{}] {} elapsed, {} left: {}", number, total_, format_duration(elapsed), left, what);
  if (line_.is_there()) return line_.show(fmt::format("{:.160}", line));
  fmt::print(stderr, "{}\n", line);
  std::fflush(stderr);
}

} // namespace fmha950::harness
