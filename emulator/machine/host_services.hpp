#pragma once
// What the host does for waves while their launch runs: printf, malloc, assert (emulator/hostcall).

#include <string>

namespace fmha950::machine {

struct Wave;

class HostServices { // of one launch; its host threads share it
 public:
  virtual ~HostServices() = default;
  // A wave has sent the host an interrupt, or sleeps because it waits. Throws Fault.
  virtual void serve() = 0;
  // What a wave that traps has said on stderr before, such as the text of an assertion; "" if nothing.
  virtual std::string last_words(const Wave&) = 0;
};

} // namespace fmha950::machine
