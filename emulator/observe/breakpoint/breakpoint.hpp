#pragma once
// A breakpoint: when a wave is about to execute an instruction of a source line for the first time, its
// registers, its counters and a window of LDS are printed. The launch goes on.

#include "emulator/machine/launch.hpp"
#include "emulator/machine/listener.hpp"

#include <atomic>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>

namespace fmha950::observe {

// Written PLACE[,LDS_BEGIN+LDS_BYTES], where PLACE is FILE:LINE (FILE the end of a path) or KERNEL+0xOFFSET.
struct BreakPlace {
  std::string file, kernel; // one of them is empty
  int line = 0;
  uint64_t offset = 0; // from the kernel's entry
  uint32_t lds_begin = 0, lds_bytes = 256;
};
// False, and `error` says what would be right.
bool parse_break(std::string_view text, BreakPlace& place, std::string& error);

// What `wave` looks like. VGPRs and LDS bytes that nobody has written, and SGPRs that are zero, are left out.
std::string state_of(const machine::Wave& wave, const BreakPlace& place);

class Breakpoint final : public machine::Listener {
 public:
  static constexpr int most_waves = 16; // of a launch

  // `print` takes one stop's text, from any host thread.
  Breakpoint(const machine::Launch& launch, BreakPlace place, std::function<void(const std::string&)> print);
  bool somewhere() const { return !addresses_.empty(); } // the kernel's own code has the place
  std::unique_ptr<machine::WorkgroupListener> join() override;

 private:
  class Listener;
  BreakPlace place_;
  std::function<void(const std::string&)> print_;
  std::unordered_set<uint64_t> addresses_;
  std::atomic<int> stops_ = 0;
};

} // namespace fmha950::observe
