#include "emulator/hip/extensions.hpp"

#include "emulator/hip/runtime.hpp"
#include "emulator/isa/coverage.hpp"

namespace fmha950::hip {

FMHA950_HIP_API const char* fmha950LastFault() { return Runtime::get().fault_text(); }
FMHA950_HIP_API const char* fmha950LastErrorDetail() { return last_error_detail(); }

FMHA950_HIP_API hipError_t fmha950ClearFault() {
  return call(AfterFault::ignore, [] { Runtime::get().clear_fault(); });
}

FMHA950_HIP_API hipError_t fmha950RestrictNextLaunch(const uint32_t* workgroups, size_t count) {
  return call([&] {
    require(workgroups && count > 0, hipErrorInvalidValue,
            "workgroups is null or count is 0: name at least one");
    next_launch_restriction().emplace(workgroups, workgroups + count);
  });
}

FMHA950_HIP_API hipError_t fmha950SetOption(const char* name, const char* value) {
  return call([&] {
    require(name && value, hipErrorInvalidValue, "name or value is null");
    Runtime::get().set_option(name, value);
  });
}

FMHA950_HIP_API const char* fmha950Coverage() {
  static const std::string& text = *new std::string(isa::coverage());
  return text.c_str();
}

} // namespace fmha950::hip
