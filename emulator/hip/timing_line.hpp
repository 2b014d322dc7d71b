#pragma once
// A modelled launch as a line of JSON (docs/timing.md#the-devices-option).

#include "emulator/hip/timing_request.hpp"
#include "emulator/machine/launch.hpp"
#include "emulator/timing/model/mall.hpp"

#include <optional>
#include <string>

namespace fmha950::hip {

// What MALL has under any assumptions: all lines of a launch are sorted for it, so once for each of the two.
class Malls {
 public:
  Malls(const timing::KernelRecord& record, const TimingRequest& request)
      : record_(record), request_(request) {}

  const timing::Mall& under(const timing::Assumptions& assumptions);

 private:
  const timing::KernelRecord& record_;
  const TimingRequest& request_;
  std::optional<timing::Mall> warm_, cold_;
};

// `stream`: number_of_queue() of the launch.
std::string timing_line(const TimingRequest& request, const timing::KernelTime& time,
                        const timing::KernelRecord& record, Malls& malls, const machine::Launch& launch,
                        uint64_t stream);

} // namespace fmha950::hip
