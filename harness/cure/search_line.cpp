#include "harness/cure/search_line.hpp"

#include <cstdio>
#include <fmt/format.h>
#include <unistd.h>

namespace fmha950::harness::cure {

std::string as_text(const SoFar& so_far) {
  return fmt::format("tried {} of {}, best orders {} of {} pairs, {:.0f} s", so_far.executions,
                     so_far.most_executions, so_far.ordered, so_far.pairs, so_far.seconds);
}

SearchLine::SearchLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

void SearchLine::show(const SoFar& so_far) {
  if (!terminal_) return;
  fmt::print(stderr, "\r\x1b[K{}", as_text(so_far));
  std::fflush(stderr);
  visible_ = true;
}

void SearchLine::clear() {
  if (!visible_) return;
  fmt::print(stderr, "\r\x1b[K");
  std::fflush(stderr);
  visible_ = false;
}

} // namespace fmha950::harness::cure
