#include "emulator/hip/modules.hpp"

#include "emulator/observe/engine.hpp"

#include "emulator/hip/failures.hpp"
#include "emulator/hip/handles.hpp"
#include "emulator/hip/launch_log.hpp"
#include "emulator/hip/work_queue.hpp"
#include "emulator/loader/bundle.hpp"

#include <fstream>
#include <iterator>
#include <unordered_map>

namespace fmha950::hip {
namespace {

Handles<ihipModule_t>& modules() {
  static auto& handles = *new Handles<ihipModule_t>;
  return handles;
}

// Functions of all live modules, those of registered fat binaries too.
struct LiveFunctions {
  std::mutex mutex;
  std::unordered_map<const ihipModuleSymbol_t*, std::weak_ptr<ihipModule_t>> owners;
};
LiveFunctions& live_functions() {
  static auto& functions = *new LiveFunctions;
  return functions;
}

std::string read_file(const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw CallError(hipErrorFileNotFound, fmt::format("fname = {}: cannot be read", path));
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Named> std::string names_of(const std::vector<Named>& entries) {
  std::string names;
  for (const Named& entry : entries) names += (names.empty() ? "" : ", ") + entry.name;
  return names.empty() ? "none" : names;
}

hipError_t load(hipModule_t* module, const void* image) {
  return call([&] {
    require(module && image, hipErrorInvalidValue, "module or image is null");
    const auto elf = loader::select_code_object(static_cast<const std::byte*>(image));
    *module = modules().add(ihipModule_t::load(elf));
  });
}

} // namespace

KernelPointer find_kernel(hipFunction_t function) {
  LiveFunctions& live = live_functions();
  const std::lock_guard lock(live.mutex);
  const auto found = live.owners.find(function);
  const auto owner = found == live.owners.end() ? nullptr : found->second.lock();
  return owner ? KernelPointer(owner, function->kernel) : nullptr;
}

KernelPointer require_kernel(hipFunction_t function) {
  KernelPointer kernel = find_kernel(function);
  if (!kernel)
    throw CallError(hipErrorInvalidHandle, fmt::format("function = {}: not a function of a loaded module",
                                                       static_cast<void*>(function)));
  return kernel;
}

const loader::Global& require_global(const ihipModule_t& module, const char* name) {
  if (const loader::Global* global = module.code.find_global(name)) return *global;
  throw CallError(hipErrorNotFound, fmt::format("variable {} is not in the code object", name));
}

hipFunction_t require_function(ihipModule_t& module, const char* name) {
  if (hipFunction_t function = module.find_function(name)) return function;
  throw CallError(hipErrorNotFound, fmt::format("kernel {} is not in the code object, which has: {}", name,
                                                names_of(module.code.kernels())));
}

FMHA950_HIP_API hipError_t hipModuleLoad(hipModule_t* module, const char* path) {
  return call([&] {
    require(module && path, hipErrorInvalidValue, "module or fname is null");
    const std::string text = read_file(path);
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    *module = modules().add(ihipModule_t::load(loader::select_code_object(bytes, text.size())));
  });
}
FMHA950_HIP_API hipError_t hipModuleLoadData(hipModule_t* module, const void* image) {
  return load(module, image);
}
// The options are those of CUDA's compiler; ROCm ignores them too.
FMHA950_HIP_API hipError_t hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned, int*,
                                               void**) {
  return load(module, image);
}
FMHA950_HIP_API hipError_t hipModuleUnload(hipModule_t module) {
  return call(AfterFault::release, [&] {
    wait_for_all();
    modules().remove(module, "module");
  });
}
FMHA950_HIP_API hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module,
                                                const char* name) {
  return call([&] {
    require(function && name, hipErrorInvalidValue, "function or kname is null");
    *function = require_function(*modules().share(module, "module"), name);
  });
}
FMHA950_HIP_API hipError_t hipModuleGetGlobal(hipDeviceptr_t* address, size_t* bytes, hipModule_t module,
                                              const char* name) {
  return call([&] {
    require(name, hipErrorInvalidValue, "name is null");
    const auto owner = modules().share(module, "module");
    const loader::Global& global = require_global(*owner, name);
    if (address) *address = reinterpret_cast<void*>(global.address);
    if (bytes) *bytes = global.bytes;
  });
}

} // namespace fmha950::hip

std::shared_ptr<ihipModule_t> ihipModule_t::load(std::span<const std::byte> elf) {
  auto module = std::make_shared<ihipModule_t>(elf);
  fmha950::hip::log_object(module->code, elf);
  auto& live = fmha950::hip::live_functions();
  const std::lock_guard lock(live.mutex);
  for (const auto& function : module->functions_) live.owners.emplace(&function, module);
  return module;
}

ihipModule_t::ihipModule_t(std::span<const std::byte> elf) : code(elf) {
  for (const auto& kernel : code.kernels()) {
    functions_.emplace_back(&kernel);
    if (kernel.arguments_left_out)
      fmha950::hip::say_note(
          fmt::format("kernel {}: {} arguments of its metadata lie past the end of its argument "
                      "segment of {} bytes and are left out, as the hardware would",
                      kernel.name, kernel.arguments_left_out, kernel.kernarg_bytes));
  }
}

ihipModule_t::~ihipModule_t() {
  fmha950::observe::HazardEngine::get().unloading(code.kernels());
  auto& live = fmha950::hip::live_functions();
  const std::lock_guard lock(live.mutex);
  for (const auto& function : functions_) live.owners.erase(&function);
}

ihipModuleSymbol_t* ihipModule_t::find_function(const char* name) {
  for (auto& function : functions_)
    if (function.kernel->name == name) return &function;
  return nullptr;
}
