#include "harness/output/interruption.hpp"

#include <array>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace fmha950::harness {

namespace {

constexpr std::array signals = {SIGINT, SIGTERM};
std::atomic<int> came = 0;
static_assert(std::atomic<int>::is_always_lock_free); // a handler may write it

constexpr char text[] = "\nfmha950: interrupted: ends behind the result that runs; once more: at once\n";

void remember(int signal) {
  int none = 0;
  if (!came.compare_exchange_strong(none, signal)) return;
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, sizeof text - 1);
}

} // namespace

Interruption::Interruption() {
  came = 0;
  struct sigaction action = {};
  action.sa_handler = remember;
  // What is being written is written whole; poll() is woken all the same.
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  for (size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &action, &before_[i]);
}

Interruption::~Interruption() {
  for (size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
}

void end_if_interrupted(int exit_code) {
  const int signal = came;
  if (signal == 0 || exit_code != 128 + signal) return;
  std::fflush(nullptr);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

int interrupting_signal() { return came; }

} // namespace fmha950::harness
