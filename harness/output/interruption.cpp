#include "harness/output/interruption.hpp"

#include <atomic>
#include <csignal>

namespace fmha950::harness {

namespace {

std::atomic<int> came = 0;
static_assert(std::atomic<int>::is_always_lock_free); // a handler may write it

void remember(int signal) {
  int none = 0;
  came.compare_exchange_strong(none, signal);
}

} // namespace

Interruption::Interruption() {
  came = 0;
  struct sigaction action{};
  action.sa_handler = remember;
  action.sa_flags = SA_RESETHAND; // without SA_RESTART: who waits is woken
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

Interruption::~Interruption() {
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);
}

int interrupting_signal() { return came; }

} // namespace fmha950::harness
