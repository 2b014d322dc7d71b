#include "harness/device/embedded_device.hpp"

#include "interface/error.hpp"
#include "interface/hip.hpp"

#include <cstdlib>
#include <fmt/format.h>

namespace fmha950::harness {

std::filesystem::path embedded_device_folder() {
  // The same places as interface/hip_runtime.cpp looks in.
  constexpr const char* library = "libamdhip64.so";
  if (const char* chosen = std::getenv("FMHA950_DEVICE_DIR")) {
    if (std::filesystem::exists(std::filesystem::path(chosen) / library)) return chosen;
    throw InvalidInput("FMHA950_DEVICE_DIR", chosen,
                       "must be a folder that holds the embedded device's libamdhip64.so");
  }
  const std::filesystem::path folder =
      std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path() / "lib" / "device";
  if (!std::filesystem::exists(folder / library))
    throw DeviceError("no embedded device in " + folder.string() +
                      ": libamdhip64.so is missing (is it built?)");
  return folder;
}

void set_option(const char* name, const std::string& value) {
  if (hip::api().SetOption == nullptr)
    throw InvalidInput(name, value,
                       "can be chosen on the embedded device only; " + hip::runtime().device +
                           " has no such setting");
  if (hip::api().SetOption(name, value.c_str()) == 0) return;
  std::string reason = hip::api().LastErrorDetail();
  const std::string field = fmt::format("{} = {}: ", name, value); // which the exception says itself
  if (reason.starts_with(field)) reason.erase(0, field.size());
  throw InvalidInput(name, value, reason);
}

void set_judging_options(const std::string& budget) {
  set_option("check", "all");
  set_option("report", "/dev/null");
  set_option("suppress", "");
  set_option("baseline", "");
  set_option("threads", "1");
  set_option("mutant", "");
  set_option("budget", budget);
}

std::string clear_fault() {
  std::string fault = hip::api().LastFault();
  hip::check(hip::api().ClearFault(), "fmha950ClearFault");
  return fault;
}

} // namespace fmha950::harness
