#pragma once
// `device run`: any kernel of any code object (docs/device_run.md).

#include "harness/commands/command_line.hpp"

#include <memory>

namespace fmha950::harness {

struct DeviceRunOptions;

class DeviceRunCommand {
 public:
  explicit DeviceRunCommand(Command device); // adds itself below it
  bool named() const { return command_.named(); }
  int run() const; // returns the exit code

 private:
  Command command_;
  std::shared_ptr<DeviceRunOptions> options_;
};

} // namespace fmha950::harness
