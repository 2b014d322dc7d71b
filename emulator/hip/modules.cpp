#include "emulator/hip/modules.hpp"

#include "emulator/observe/engine.hpp"

#include "emulator/hip/handles.hpp"
#include "emulator/loader/bundle.hpp"

#include <fstream>
#include <iterator>
#include <unordered_set>

namespace fmha950::hip {
namespace {

Handles<ihipModule_t>& modules() {
  static auto& handles = *new Handles<ihipModule_t>;
  return handles;
}

// Functions of all live modules, those of registered fat binaries too.
struct LiveFunctions {
  std::mutex mutex;
  std::unordered_set<const ihipModuleSymbol_t*> set;
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
    *module = modules().add(std::make_unique<ihipModule_t>(elf));
  });
}

} // namespace

ihipModuleSymbol_t& require_function(hipFunction_t function) {
  LiveFunctions& live = live_functions();
  const std::lock_guard lock(live.mutex);
  if (!live.set.contains(function))
    throw CallError(hipErrorInvalidHandle, fmt::format("function = {}: not a function of a loaded module",
                                                       static_cast<void*>(function)));
  return *function;
}

const loader::Global& require_global(const ihipModule_t& module, const char* name) {
  if (const loader::Global* global = module.code.find_global(name)) return *global;
  throw CallError(hipErrorNotFound, fmt::format("variable {} is not in the code object", name));
}

hipFunction_t require_kernel(ihipModule_t& module, const char* name) {
  if (hipFunction_t function = module.find_function(name)) return function;
  throw CallError(hipErrorNotFound, fmt::format("kernel {} is not in the code object, which has: {}", name,
                                                names_of(module.code.kernels())));
}

FMHA950_HIP_API hipError_t hipModuleLoad(hipModule_t* module, const char* path) {
  return call([&] {
    require(module && path, hipErrorInvalidValue, "module or fname is null");
    const std::string text = read_file(path);
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    *module = modules().add(std::make_unique<ihipModule_t>(loader::select_code_object(bytes, text.size())));
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
  return call(AfterFault::release, [&] { modules().remove(module, "module"); });
}
FMHA950_HIP_API hipError_t hipModuleGetFunction(hipFunction_t* function, hipModule_t module,
                                                const char* name) {
  return call([&] {
    require(function && name, hipErrorInvalidValue, "function or kname is null");
    *function = require_kernel(modules().get(module, "module"), name);
  });
}
FMHA950_HIP_API hipError_t hipModuleGetGlobal(hipDeviceptr_t* address, size_t* bytes, hipModule_t module,
                                              const char* name) {
  return call([&] {
    require(name, hipErrorInvalidValue, "name is null");
    const loader::Global& global = require_global(modules().get(module, "module"), name);
    if (address) *address = reinterpret_cast<void*>(global.address);
    if (bytes) *bytes = global.bytes;
  });
}

} // namespace fmha950::hip

ihipModule_t::ihipModule_t(std::span<const std::byte> elf) : code(elf) {
  auto& live = fmha950::hip::live_functions();
  const std::lock_guard lock(live.mutex);
  for (const auto& kernel : code.kernels()) live.set.insert(&functions_.emplace_back(&kernel));
}

ihipModule_t::~ihipModule_t() {
  fmha950::observe::HazardEngine::get().unloading(code.kernels());
  auto& live = fmha950::hip::live_functions();
  const std::lock_guard lock(live.mutex);
  for (const auto& function : functions_) live.set.erase(&function);
}

ihipModuleSymbol_t* ihipModule_t::find_function(const char* name) {
  for (auto& function : functions_)
    if (function.kernel->name == name) return &function;
  return nullptr;
}
