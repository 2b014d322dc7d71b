#include "emulator/hip/runtime.hpp"

#include "emulator/hip/breakpoints.hpp"
#include "emulator/hip/failures.hpp"
#include "emulator/hip/hazards.hpp"
#include "emulator/hip/options.hpp"
#include "emulator/hip/paths.hpp"
#include "emulator/hip/timings.hpp"
#include "emulator/hip/traces.hpp"
#include "emulator/loader/code_object.hpp"
#include "emulator/memory/address_space.hpp"
#include "emulator/memory/fault.hpp"
#include "emulator/observe/engine.hpp"
#include "emulator/observe/listeners.hpp"
#include "emulator/observe/mutation/mutation.hpp"
#include "emulator/static_check/proved_absent.hpp"
#include "emulator/timing/assumed.hpp"
#include "emulator/timing/online/cu_pacer.hpp"

#include <mutex>
#include <new>
#include <optional>

namespace fmha950::hip {
namespace {

thread_local hipError_t thread_error = hipSuccess;
thread_local std::string thread_detail;

// What the launch executes instead of its functions' own code; null when no mutant of it is asked for.
const isa::Program::Copies* mutated_code(const machine::Launch& launch) {
  if (launch.options.mutant.empty()) return nullptr;
  try {
    return observe::mutant_code(*launch.kernel, launch.options.mutant, launch.options.first_doubted);
  } catch (const observe::NoSuchMutant& error) {
    throw CallError(hipErrorInvalidValue, error.what());
  }
}

void say_how_to_be_faster(const loader::Kernel& kernel) {
  static std::once_flag said;
  std::call_once(said, [&] {
    say_note(
        "a launch of " + kernel.name +
        " takes more than 10 s. The cycle model orders what its waves do: FMHA950_SCHEDULE=eager is several "
        "times faster, and right for code without races. A kernel that waits for what nobody writes never "
        "ends.");
  });
}

} // namespace

// Never destroyed: programs make HIP calls from their own static destructors.
Runtime& Runtime::get() {
  static Runtime& runtime = *new Runtime;
  return runtime;
}

// Programs that nobody here wrote may rely on latency: by default the cycle model orders what they do.
Runtime::Runtime() {
  options_.schedule.memory = machine::MemoryOrder::timed;
  environment_error_ = options_from_environment(options_);
  if (!environment_error_.empty()) say(environment_error_);
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

void Runtime::prepare(machine::Launch& launch) {
  {
    const std::lock_guard lock(mutex_);
    launch.options = options_;
    launch.number = launches_++;
  }
  launch.stop = &stopped_;
  launch.code = mutated_code(launch);
  if (launch.options.checks && !launch.code)
    launch.options.checks &= ~static_check::proved_absent(*launch.kernel, launch.block);
}

void Runtime::execute(machine::Launch& launch) {
  const auto checks = observe::HazardEngine::get().begin_launch(launch, launch.options.checks);
  const auto breakpoint = breakpoint_of(launch);
  const auto trace = trace_of(launch);
  const auto recorder = recorder_of(launch);
  const auto paths = paths_of(launch);
  observe::Listeners listeners;
  if (breakpoint) listeners.add(*breakpoint);
  if (trace) listeners.add(*trace);
  if (recorder) listeners.add(*recorder);
  if (paths) listeners.add(*paths);
  if (checks) listeners.add(*checks);
  launch.listener = listeners.get();
  std::optional<timing::CuPacers> pacers;
  if (launch.options.schedule.memory == machine::MemoryOrder::timed)
    launch.pacer =
        &pacers.emplace(launch, timing::assumed(launch.options.assumed).value_or(timing::Assumptions()),
                        [&] { say_how_to_be_faster(*launch.kernel); });
  try {
    machine::run(launch);
    if (trace) write_trace(*trace);
    if (recorder) model(*recorder, launch);
    if (paths) keep_paths(*paths);
    if (checks) publish_hazards();
  } catch (const machine::Fault&) {
    if (checks) publish_hazards();
    throw;
  }
}

void Runtime::perform(const std::function<void()>& work) {
  if (stopped_) return;
  const machine::AddressSpace::Use use;
  try {
    work();
  } catch (const std::exception& error) {
    fail(error.what());
  }
}

// The first is the device's fault. What ends because the others were stopped is none.
void Runtime::fail(const std::string& text) {
  const std::lock_guard lock(mutex_);
  if (stopped_) return;
  fault_ = &faults_.emplace_back(text);
  stopped_ = true;
  say(text);
}

void Runtime::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
}

void Runtime::require_healthy() {
  const std::lock_guard lock(mutex_);
  if (!environment_error_.empty()) throw CallError(hipErrorInvalidValue, environment_error_);
  if (fault_)
    throw CallError(hipErrorLaunchFailure,
                    "the device has faulted, call hipDeviceReset to use it again: " + *fault_);
}

bool Runtime::has_faulted() {
  const std::lock_guard lock(mutex_);
  return fault_;
}

const char* Runtime::fault_text() {
  const std::lock_guard lock(mutex_);
  return fault_ ? fault_->c_str() : "";
}

void Runtime::clear_fault() {
  const std::lock_guard lock(mutex_);
  fault_ = nullptr;
  stopped_ = false;
}

hipError_t finish_call(hipError_t code, const std::string& detail) {
  thread_error = code;
  thread_detail = detail;
  Runtime::get(); // calls that release something may come before any that reads the environment
  say_failure(code, detail);
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

// The address space is a static object; made while the library is loaded, it outlives the program's own ones.
[[gnu::constructor]] void create_device() { machine::AddressSpace::device(); }

FMHA950_HIP_API hipError_t hipGetLastError() { return last_error(true); }
FMHA950_HIP_API hipError_t hipPeekAtLastError() { return last_error(false); }
FMHA950_HIP_API hipError_t hipExtGetLastError() { return last_error(true); }

} // namespace fmha950::hip
