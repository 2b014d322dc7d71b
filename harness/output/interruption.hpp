#pragma once
// Ctrl-C and `kill` ask a run to end where it can go on later. The second one ends the process at once.

namespace fmha950::harness {

// While one lives, SIGINT and SIGTERM are only remembered, once each.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
};

int interrupting_signal(); // the one that came first; 0: none

} // namespace fmha950::harness
