#pragma once
// Launches of a program that the embedded device keeps, so that they can be made again (emulator/hip/replay.hpp): what they write
// is gone behind each time, and the program has gone on with what its own kernels wrote.

#include "interface/temporary_folder.hpp"

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace fmha950::harness::cure {

class KeptLaunch {
 public:
  explicit KeptLaunch(int connection); // reads what the launch is
  ~KeptLaunch();
  KeptLaunch(const KeptLaunch&) = delete;
  const std::string& kernel() const { return kernel_; }
  uint64_t number() const { return number_; }             // of the program's launches, from 0
  const std::string& why_not() const { return why_not_; } // "", or why it cannot be made again

  struct End {
    std::string digest;  // of all device memory
    std::string failure; // "" if it came to its end
  };
  // With these options of the device, "schedule=eager".
  End replay(const std::vector<std::string>& options, int seconds) const;

 private:
  int connection_;
  std::string kernel_, why_not_;
  uint64_t number_ = 0;
};

class KeptLaunches {
 public:
  KeptLaunches(); // throws DeviceError if nobody can listen
  ~KeptLaunches();
  KeptLaunches(const KeptLaunches&) = delete;
  std::string option() const; // of the program whose launches are kept
  void take();                // those of a program that has ended
  std::vector<const KeptLaunch*> of(const std::string& kernel) const;

 private:
  TemporaryFolder folder_;
  int socket_;
  std::deque<KeptLaunch> launches_;
};

} // namespace fmha950::harness::cure
