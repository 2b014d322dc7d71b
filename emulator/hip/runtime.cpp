#include "emulator/hip/runtime.hpp"

#include "emulator/hip/breakpoints.hpp"
#include "emulator/hip/hazards.hpp"
#include "emulator/hip/options.hpp"
#include "emulator/hip/timings.hpp"
#include "emulator/hip/traces.hpp"
#include "emulator/loader/code_object.hpp"
#include "emulator/memory/address_space.hpp"
#include "emulator/memory/fault.hpp"
#include "emulator/observe/engine.hpp"
#include "emulator/observe/listeners.hpp"
#include "emulator/observe/mutation/mutation.hpp"

#include <cstdio>
#include <new>

namespace fmha950::hip {
namespace {

thread_local hipError_t thread_error = hipSuccess;
thread_local std::string thread_detail;

// What the launch executes instead of its kernel's own code; null when no mutant of it is asked for.
const isa::Program::Block* mutated_code(const machine::Launch& launch) {
  if (launch.options.mutant.empty()) return nullptr;
  try {
    return observe::mutant_code(*launch.kernel, launch.options.mutant);
  } catch (const observe::NoSuchMutant& error) {
    throw CallError(hipErrorInvalidValue, error.what());
  }
}

} // namespace

// Never destroyed: programs make HIP calls from their own static destructors.
Runtime& Runtime::get() {
  static Runtime& runtime = *new Runtime;
  return runtime;
}

Runtime::Runtime() : environment_error_(options_from_environment(options_)) {
  if (!environment_error_.empty()) std::fprintf(stderr, "%s\n", environment_error_.c_str());
}

machine::Options Runtime::options() {
  const std::lock_guard lock(mutex_);
  return options_;
}

void Runtime::set_option(const std::string& name, const std::string& value) {
  const std::lock_guard lock(mutex_);
  const std::string error = parse_option(name, value, options_);
  if (!error.empty()) throw CallError(hipErrorInvalidValue, error);
}

void Runtime::execute(machine::Launch& launch) {
  const std::lock_guard running(launch_mutex_);
  require_healthy(); // a launch before this one may have failed while it waited
  {
    const std::lock_guard lock(mutex_);
    launch.options = options_;
    launch.number = launches_++;
  }
  launch.code = mutated_code(launch);
  auto& engine = observe::HazardEngine::get();
  engine.begin_launch(launch, launch.options.checks);
  const auto breakpoint = breakpoint_of(launch);
  const auto trace = trace_of(launch);
  const auto recorder = recorder_of(launch);
  observe::Listeners listeners;
  if (breakpoint) listeners.add(*breakpoint);
  if (trace) listeners.add(*trace);
  if (recorder) listeners.add(*recorder);
  if (launch.options.checks) listeners.add(engine);
  launch.listener = listeners.get();
  try {
    machine::run(launch);
    if (trace) write_trace(*trace);
    if (recorder) model(*recorder, launch);
    if (launch.options.checks) publish_hazards();
  } catch (const machine::Fault& fault) {
    if (launch.options.checks) publish_hazards();
    std::fprintf(stderr, "%s\n", fault.what());
    const std::lock_guard lock(mutex_);
    fault_ = &faults_.emplace_back(fault.what());
    throw CallError(hipErrorLaunchFailure, fault.what());
  }
}

void Runtime::require_healthy() {
  const std::lock_guard lock(mutex_);
  if (!environment_error_.empty()) throw CallError(hipErrorInvalidValue, environment_error_);
  if (fault_)
    throw CallError(hipErrorLaunchFailure,
                    "the device has faulted, call hipDeviceReset to use it again: " + *fault_);
}

const char* Runtime::fault_text() {
  const std::lock_guard lock(mutex_);
  return fault_ ? fault_->c_str() : "";
}

void Runtime::clear_fault() {
  const std::lock_guard lock(mutex_);
  fault_ = nullptr;
}

hipError_t finish_call(hipError_t code, const std::string& detail) {
  thread_error = code;
  thread_detail = detail;
  return code;
}

hipError_t finish_with_current_exception() {
  try {
    throw;
  } catch (const CallError& error) {
    return finish_call(error.code, error.what());
  } catch (const loader::WrongTarget& error) {
    return finish_call(hipErrorNoBinaryForGpu, error.what());
  } catch (const loader::OutOfDeviceMemory& error) {
    return finish_call(hipErrorOutOfMemory, error.what());
  } catch (const loader::LoadError& error) {
    return finish_call(hipErrorInvalidImage, error.what());
  } catch (const std::bad_alloc&) {
    return finish_call(hipErrorOutOfMemory, "out of host memory");
  } catch (const std::exception& error) {
    return finish_call(hipErrorUnknown, error.what());
  }
}

hipError_t last_error(bool reset) {
  const hipError_t error = thread_error;
  if (reset) thread_error = hipSuccess;
  return error;
}

const char* last_error_detail() { return thread_detail.c_str(); }

std::optional<std::vector<uint32_t>>& next_launch_restriction() {
  thread_local std::optional<std::vector<uint32_t>> workgroups;
  return workgroups;
}

// The address space is a static object; made while the library is loaded, it outlives the program's own ones.
[[gnu::constructor]] void create_device() { machine::AddressSpace::device(); }

FMHA950_HIP_API hipError_t hipGetLastError() { return last_error(true); }
FMHA950_HIP_API hipError_t hipPeekAtLastError() { return last_error(false); }
FMHA950_HIP_API hipError_t hipExtGetLastError() { return last_error(true); }

} // namespace fmha950::hip
