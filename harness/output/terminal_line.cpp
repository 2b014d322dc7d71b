#include "harness/output/terminal_line.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace fmha950::harness {

TerminalLine::TerminalLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

void TerminalLine::show(std::string_view text) {
  if (!terminal_) return;
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
  visible_ = true;
}

void TerminalLine::clear() {
  if (!visible_) return;
  show("");
  visible_ = false;
}

} // namespace fmha950::harness
