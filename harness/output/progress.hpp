#pragma once
// Progress with the expected time left, on stderr: one line that is rewritten on a terminal, one line every
// few seconds elsewhere.

#include "harness/output/terminal_line.hpp"

#include <chrono>
#include <cstddef>
#include <string>

namespace fmha950::harness {

class Progress {
 public:
  explicit Progress(size_t total);

  void start(const std::string& what);             // item `what` begins
  void begin(const std::string& what);             // of all; for those who count elsewhere, with show()
  void show(size_t done, const std::string& what); // so many are done
  void clear() { line_.clear(); }                  // before something else is printed
  void done() { ++done_; }
  size_t total() const { return total_; }
  size_t left() const { return total_ - done_; }

 private:
  using Clock = std::chrono::steady_clock;
  bool due() const;
  void print(size_t number, const std::string& what);
  size_t total_, done_ = 0;
  TerminalLine line_;
  Clock::time_point begin_ = Clock::now(), printed_ = begin_;
};

std::string format_duration(double seconds); // "42 s", "3 min 05 s", "2 h 10 min"

} // namespace fmha950::harness
