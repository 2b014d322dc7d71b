#pragma once
// Copies of this process that work together. They agree on how much is done, and on where in a range the first failure is.

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace fmha950::harness {

// What they share.
class SharedState {
 public:
  explicit SharedState(size_t end) : first_failure_(end) {}

  size_t first_failure() const { return first_failure_; } // the lowest index at which any worker has failed
  void failed_at(size_t index) {
    for (size_t known = first_failure_;
         index < known && !first_failure_.compare_exchange_weak(known, index);) {
    }
  }
  size_t done() const { return done_; } // items, of all workers
  void did_one() { ++done_; }

 private:
  std::atomic<size_t> first_failure_, done_ = 0;
};

// Runs `work(worker, state)` in `count` copies of this process, which see it as it is now and share nothing
// afterwards but `state`, whose first failure starts at `end`. Returns what each returned. Meanwhile `watch` is called
// about once a second with what is done. Throws std::runtime_error when one did not come to its end.
std::vector<std::string>
run_workers(size_t count, size_t end,
            const std::function<std::string(size_t worker, SharedState& state)>& work,
            const std::function<void(size_t done)>& watch = {});

} // namespace fmha950::harness
