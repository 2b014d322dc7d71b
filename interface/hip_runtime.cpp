// Which HIP library this process uses, and its function table.
#include "interface/error.hpp"
#include "interface/hip.hpp"
#include "numerics/target.hpp"

#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <unistd.h>

namespace fmha950::hip {
namespace {

// Values of hipDeviceAttribute_t, the same in the headers of HIP 5.2 to 7 (hip_runtime_api.h: the enumerators
// that HIP 6 retired kept their places as hipDeviceAttributeUnused*).
constexpr int attribute_capability_major = 23, attribute_capability_minor = 61;

// A library that lacks a function is refused by the function's name.
class Resolver {
 public:
  explicit Resolver(void* library) : library_(library) {}
  template <class Function> void required(const char* name, Function& slot) {
    slot = reinterpret_cast<Function>(dlsym(library_, name));
    if (!slot && missing_.empty()) missing_ = name;
  }
  template <class Function> void optional(const char* name, Function& slot) {
    slot = reinterpret_cast<Function>(dlsym(library_, name));
  }
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

std::string resolve(void* library, Table& table) {
  Resolver resolver(library);
  resolver.required("hipGetDeviceCount", table.GetDeviceCount);
  resolver.required("hipSetDevice", table.SetDevice);
  resolver.required("hipDeviceGetAttribute", table.DeviceGetAttribute);
  resolver.required("hipDeviceGetName", table.DeviceGetName);
  resolver.required("hipDriverGetVersion", table.DriverGetVersion);
  resolver.required("hipMalloc", table.Malloc);
  resolver.required("hipFree", table.Free);
  resolver.required("hipMemcpy", table.Memcpy);
  resolver.required("hipMemcpyAsync", table.MemcpyAsync);
  resolver.required("hipMemset", table.Memset);
  resolver.required("hipMemGetInfo", table.MemGetInfo);
  resolver.required("hipDeviceSynchronize", table.DeviceSynchronize);
  resolver.required("hipStreamCreate", table.StreamCreate);
  resolver.required("hipStreamDestroy", table.StreamDestroy);
  resolver.required("hipStreamSynchronize", table.StreamSynchronize);
  resolver.required("hipEventCreate", table.EventCreate);
  resolver.required("hipEventDestroy", table.EventDestroy);
  resolver.required("hipEventRecord", table.EventRecord);
  resolver.required("hipEventSynchronize", table.EventSynchronize);
  resolver.required("hipEventElapsedTime", table.EventElapsedTime);
  resolver.required("hipModuleLoadData", table.ModuleLoadData);
  resolver.required("hipModuleUnload", table.ModuleUnload);
  resolver.required("hipModuleGetFunction", table.ModuleGetFunction);
  resolver.required("hipModuleLaunchKernel", table.ModuleLaunchKernel);
  resolver.required("hipGetErrorName", table.GetErrorName);
  resolver.required("hipGetErrorString", table.GetErrorString);
  resolver.optional("fmha950LastFault", table.LastFault);
  resolver.optional("fmha950LastErrorDetail", table.LastErrorDetail);
  resolver.optional("fmha950ClearFault", table.ClearFault);
  resolver.optional("fmha950RestrictNextLaunch", table.RestrictNextLaunch);
  resolver.optional("fmha950WorkOfNextLaunch", table.WorkOfNextLaunch);
  resolver.optional("fmha950SetOption", table.SetOption);
  resolver.optional("fmha950Hazards", table.Hazards);
  resolver.optional("fmha950ClearHazards", table.ClearHazards);
  resolver.optional("fmha950Mutants", table.Mutants);
  resolver.optional("fmha950CheckChanges", table.CheckChanges);
  resolver.optional("fmha950Protections", table.Protections);
  resolver.optional("fmha950Ways", table.Ways);
  resolver.optional("fmha950Assembly", table.Assembly);
  resolver.optional("fmha950Paths", table.Paths);
  resolver.optional("fmha950Timings", table.Timings);
  resolver.optional("fmha950TimingReport", table.TimingReport);
  resolver.optional("fmha950Coverage", table.Coverage);
  resolver.optional("fmha950FileCoverage", table.FileCoverage);
  resolver.optional("fmha950LoopCost", table.LoopCost);
  resolver.optional("fmha950Check", table.Check);
  return resolver.missing();
}

// The first device with the compute capability by which HIP reports gfx950, or -1.
int find_gfx950(const Table& table) {
  int devices = 0;
  if (table.GetDeviceCount(&devices) != 0) return -1;
  for (int device = 0; device < devices; ++device) {
    int major = 0, minor = 0;
    if (table.DeviceGetAttribute(&major, attribute_capability_major, device) == 0 &&
        table.DeviceGetAttribute(&minor, attribute_capability_minor, device) == 0 && major == target.major &&
        minor == target.minor)
      return device;
  }
  return -1;
}

std::string device_name(const Table& table, int device) {
  char name[256] = {};
  if (table.DeviceGetName(name, sizeof name - 1, device) != 0) return "unnamed HIP device";
  return name;
}

// The embedded device takes no call while an environment variable of it is wrong. It says which as an
// option's error: "NAME = VALUE: what would be right".
void refuse_variable(const std::string& detail) {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable = *entry;
    const size_t equals = variable.find('=');
    if (!variable.starts_with("FMHA950_") || equals == variable.npos) continue;
    const std::string name = variable.substr(0, equals), value = variable.substr(equals + 1);
    const std::string field = fmt::format("{} = {}: ", name, value);
    if (detail.starts_with(field)) throw InvalidInput(name, value, detail.substr(field.size()));
  }
}

// Loads `path` into `runtime`, or says why it will not do. Throws InvalidInput for an environment variable of
// the embedded device.
std::string try_library(const std::string& path, bool needs_gfx950, Runtime& runtime) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return dlerror();
  Table table{};
  if (const std::string missing = resolve(library, table); !missing.empty()) {
    dlclose(library);
    return "has no function " + missing;
  }
  if (table.SetOption) table.SetOption("quiet", "1"); // what fails is thrown, with its reason
  // From here on the library stays loaded: a HIP runtime that has seen a call cannot be unloaded safely.
  const int gfx950 = find_gfx950(table);
  if (gfx950 < 0) {
    const std::string detail = table.LastErrorDetail ? table.LastErrorDetail() : "";
    refuse_variable(detail);
    if (needs_gfx950) return detail.empty() ? "offers no gfx950 device" : detail;
  }
  const int device = gfx950 < 0 ? 0 : gfx950;
  if (table.SetDevice(device) != 0) return "offers no usable device";
  // What runs here is judged under schedules of its own choice; races are for the checks to find.
  if (table.SetOption && !std::getenv("FMHA950_SCHEDULE")) table.SetOption("schedule", "eager");
  runtime = {table, path, device_name(table, device), gfx950 >= 0, table.RestrictNextLaunch != nullptr,
             device};
  return "";
}

std::string embedded_device_path() {
  if (const char* folder = std::getenv("FMHA950_DEVICE_DIR"))
    return std::filesystem::path(folder) / "libamdhip64.so";
  const auto executable = std::filesystem::read_symlink("/proc/self/exe");
  return executable.parent_path().parent_path() / "lib" / "device" / "libamdhip64.so";
}

Runtime load() {
  Runtime runtime;
  // A library that was chosen is not second-guessed.
  if (const char* chosen = std::getenv("FMHA950_HIP_LIBRARY")) {
    const std::string refusal = try_library(chosen, false, runtime);
    if (!refusal.empty())
      throw InvalidInput("FMHA950_HIP_LIBRARY", chosen, "must be a HIP runtime's library: " + refusal);
    return runtime;
  }
  std::string tried, refusal;
  for (const std::string& path :
       {std::string("libamdhip64.so.7"), std::string("/opt/rocm/lib/libamdhip64.so.7"),
        std::string("libamdhip64.so.6"), std::string("/opt/rocm/lib/libamdhip64.so.6"),
        embedded_device_path()}) {
    refusal = try_library(path, true, runtime);
    if (refusal.empty()) return runtime;
    tried += fmt::format("\n  {}: {}", path, refusal);
  }
  if (const char* folder = std::getenv("FMHA950_DEVICE_DIR")) // the last that was tried
    throw InvalidInput("FMHA950_DEVICE_DIR", folder,
                       "must be a folder that holds the embedded device's libamdhip64.so: " + refusal);
  throw DeviceError("no HIP library with a gfx950 device was found; tried:" + tried);
}

} // namespace

const Runtime& runtime() {
  static const Runtime loaded = load();
  return loaded;
}

} // namespace fmha950::hip
