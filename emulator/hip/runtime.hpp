#pragma once
// State of the one embedded device, and the frame of every HIP call: checks the device's state, runs the
// body, turns exceptions into error codes with a text.

#include "emulator/hip/hip_abi.hpp"
#include "emulator/machine/launch.hpp"

#include <atomic>
#include <deque>
#include <fmt/format.h>
#include <functional>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace fmha950::hip {

// Ends a HIP call with `code`; the text goes to fmha950LastErrorDetail().
class CallError : public std::runtime_error {
 public:
  CallError(hipError_t code, const std::string& detail) : std::runtime_error(detail), code(code) {}
  const hipError_t code;
};

inline void require(bool condition, hipError_t code, const char* detail) {
  if (!condition) throw CallError(code, detail);
}

class Runtime {
 public:
  static Runtime& get();

  machine::Options options();
  void set_option(const std::string& name, const std::string& value); // throws CallError

  // At the call that launches: options, number, what is executed; throws CallError. Then the launch to its end, on any
  // thread and beside others; throws machine::Fault.
  void prepare(machine::Launch& launch);
  static void execute(machine::Launch& launch);

  // Work of a stream: nothing after a fault or stop(). What it throws becomes the device's fault, and stops all others.
  void perform(const std::function<void()>& work);
  void stop();

  void require_healthy(); // throws CallError: malformed environment, or a fault before
  bool has_faulted();
  const char* fault_text(); // lives as long as the process
  void clear_fault();       // and takes work again; nothing may be under way

 private:
  Runtime();
  void fail(const std::string& text);
  std::atomic<bool> stopped_ = false;
  std::mutex mutex_; // of everything below
  machine::Options options_;
  std::string environment_error_;
  uint64_t launches_ = 0;
  std::deque<std::string> faults_;     // all there were: callers keep the text
  const std::string* fault_ = nullptr; // the one that stopped the device
};

// What the calling thread has of its own: the last error.
hipError_t finish_call(hipError_t code, const std::string& detail);
hipError_t finish_with_current_exception();
hipError_t last_error(bool reset);
const char* last_error_detail();

enum class AfterFault {
  refuse,  // the call fails at once
  release, // resources are released all the same, then the call fails
  ignore,  // the call has nothing to do with the device's state
};

template <class Body> hipError_t call(AfterFault policy, Body body) {
  try {
    if (policy == AfterFault::refuse) Runtime::get().require_healthy();
    body();
    if (policy == AfterFault::release) Runtime::get().require_healthy();
    return hipSuccess;
  } catch (...) {
    return finish_with_current_exception();
  }
}
template <class Body> hipError_t call(Body body) { return call(AfterFault::refuse, body); }

} // namespace fmha950::hip
