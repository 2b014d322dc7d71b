#pragma once
// How many branches an instruction stands behind that lead past it: where none does, every wave comes to it.

#include "emulator/static_check/launch_code.hpp"

namespace fmha950::static_check {

class BranchDepths {
 public:
  explicit BranchDepths(const LaunchCode& code);
  // Each decides whether execution comes to the next one, the last whether it comes to the instruction; with those around a call
  // of its function. A way past an instruction in a loop leads to the loop's next turn: whether a loop turns once more, or is
  // left, is no such branch. Else it leads to the end of the function.
  int of(size_t part, size_t index) const;

 private:
  const LaunchCode& code_;
  std::vector<std::vector<int>> of_blocks_; // by part; 0 for code to which execution does not come
  std::vector<int> of_calls_;               // by part
};

} // namespace fmha950::static_check
