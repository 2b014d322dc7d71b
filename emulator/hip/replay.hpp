#pragma once
// Option replay: launches of a program that can be made again, any number of times, after it has gone on. A process that is forked
// in front of a launch keeps the memory as it was, and forks another one for each time that the launch is asked for: what that
// writes is gone with it. Who asks listens at a Unix socket, the option's value; each launch that is kept is a connection:
//
//   to who asks    kept TAB KERNEL TAB NUMBER TAB WHY       number: as option launches has it; why: "", or why it cannot be replayed
//   from who asks  SECONDS TAB OPTION=VALUE TAB ...         for so long at most, with options on top of the program's
//   to who asks    ended TAB DIGEST  or  failed TAB TEXT    digest: of all device memory behind the launch
//
// Each is a line. The end of the connection ends the process. Findings, clocks and the like go where the options say.

#include "emulator/machine/launch.hpp"

#include <shared_mutex>
#include <string>

namespace fmha950::hip {

constexpr size_t most_kept_launches = 3; // of each kernel
constexpr size_t most_kept_in_all = 256; // each is a process, and a connection that nobody has taken yet

// "" ends it. Returns "" or what would be right.
std::string keep_launches_for(const std::string& socket);

// Before it is executed, on the thread that will. `why_not`: "", or why it cannot be made again.
void keep_launch(const machine::Launch& launch, uint64_t number, const std::string& why_not);

// As long as it is executed. A fork waits a while for the launches of other threads: what they have locked stays so in it.
class LaunchUnderWay {
 public:
  LaunchUnderWay();

 private:
  std::shared_lock<std::shared_timed_mutex> lock_;
};

} // namespace fmha950::hip
