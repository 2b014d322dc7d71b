#pragma once
// Ctrl-C and `kill` ask a run to end where it can go on later. The second one ends the process at once.

#include <array>
#include <csignal>

namespace fmha950::harness {

// While one lives, SIGINT and SIGTERM are only remembered, once each.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;

 private:
  std::array<struct sigaction, 2> before_{};
};

int interrupting_signal(); // the one that came first; 0: none

// Ends the process by that signal, if one led to this exit code: a script that started it ends, too, and does not go on.
void end_if_interrupted(int exit_code);

} // namespace fmha950::harness
