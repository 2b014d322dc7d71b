#pragma once
// Runs `body` and turns what it throws into the record's outcome: InvalidInput invalid_input, DeviceError
// device_error, anything else not_run. What was measured before that is no result.

#include "harness/record/record.hpp"

#include <functional>

namespace fmha950::harness {

void guarded(Record& record, const std::function<void()>& body);

} // namespace fmha950::harness
