#pragma once
// How few wait states an instruction may keep from one that it depends on, tried out: the pairs of wait_windows.hip.

#include "calibration/wait_window_arguments.hpp"
#include "interface/hip.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace fmha950::calibration {

struct WaitWindow {
  std::string_view name; // window_NAME in the code object calibration_wait_windows
  std::string_view pair;
  int required; // wait states (machine_gfx950.md section 2)
};
std::span<const WaitWindow> wait_windows();

class WindowRun {
 public:
  explicit WindowRun(const WaitWindow& window);
  // What each lane comes to with so many states between the two. Throws InvalidInput for more than window_states.
  std::vector<uint32_t> lanes(uint32_t states) const;

 private:
  hip::Kernel function_;
  hip::Buffer output_;
};

} // namespace fmha950::calibration
