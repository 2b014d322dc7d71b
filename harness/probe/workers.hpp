#pragma once
// Copies of this process that search one range together and agree on where the first failure is.

#include <atomic>
#include <functional>
#include <string>
#include <vector>

namespace fmha950::harness {

// The lowest index at which any worker has failed, in memory that they share.
class FirstFailure {
 public:
  explicit FirstFailure(std::atomic<size_t>& lowest) : lowest_(lowest) {}
  size_t index() const { return lowest_.load(); }
  void lower_to(size_t index) const {
    for (size_t known = lowest_; index < known && !lowest_.compare_exchange_weak(known, index);) {
    }
  }

 private:
  std::atomic<size_t>& lowest_;
};

// Runs `work(worker, first)` in `count` copies of this process, which see it as it is now and share nothing
// afterwards but `first`, which starts at `end`. Returns what each returned. Throws std::runtime_error when
// one did not come to its end.
std::vector<std::string>
run_workers(size_t count, size_t end,
            const std::function<std::string(size_t worker, const FirstFailure& first)>& work);

} // namespace fmha950::harness
