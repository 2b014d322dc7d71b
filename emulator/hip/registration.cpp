// The calls that clang emits into a HIP host program: fat binaries are registered before main, kernels are
// known by the addresses of their host stubs. Layouts: clang's CGCUDANV.cpp, __hipRegister*.
#include "emulator/hip/registration.hpp"

#include "emulator/hip/work_queue.hpp"
#include "emulator/loader/bundle.hpp"

#include <memory>
#include <unordered_map>

namespace fmha950::hip {
namespace {

struct FatBinaryWrapper {
  uint32_t magic, version;
  const void* binary;
  const void* unused;
};
constexpr uint32_t fat_binary_magic = 0x48495046; // "HIPF"

struct FatBinary {
  const std::byte* image = nullptr;
  std::shared_ptr<ihipModule_t> module; // loaded on first use: an error then has a call to return from

  ihipModule_t& load() {
    if (!module) module = ihipModule_t::load(loader::select_code_object(image));
    return *module;
  }
};

struct Symbol {
  FatBinary* owner = nullptr;
  std::string name;
};

struct Registry {
  std::mutex mutex;
  std::unordered_map<void**, std::unique_ptr<FatBinary>> binaries;
  std::unordered_map<const void*, Symbol> functions, variables;

  static Registry& get() {
    static Registry& registry = *new Registry;
    return registry;
  }
};

void add_symbol(std::unordered_map<const void*, Symbol> Registry::* table, void** handle, const void* host,
                const char* name) {
  Registry& registry = Registry::get();
  const std::lock_guard lock(registry.mutex);
  const auto binary = registry.binaries.find(handle);
  if (binary != registry.binaries.end()) (registry.*table)[host] = {binary->second.get(), name};
}

} // namespace

hipFunction_t registered_function(const void* host_function) {
  Registry& registry = Registry::get();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.functions.find(host_function);
  if (found == registry.functions.end())
    throw CallError(hipErrorInvalidDeviceFunction,
                    fmt::format("function_address = {}: no registered kernel", host_function));
  return require_function(found->second.owner->load(), found->second.name.c_str());
}

const loader::Global& registered_variable(const void* host_variable) {
  Registry& registry = Registry::get();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.variables.find(host_variable);
  if (found == registry.variables.end())
    throw CallError(hipErrorInvalidSymbol, fmt::format("symbol = {}: no registered variable", host_variable));
  return require_global(found->second.owner->load(), found->second.name.c_str());
}

FMHA950_HIP_API void** __hipRegisterFatBinary(const FatBinaryWrapper* wrapper) {
  auto binary = std::make_unique<FatBinary>();
  if (wrapper && wrapper->magic == fat_binary_magic)
    binary->image = static_cast<const std::byte*>(wrapper->binary);
  if (!binary->image) {
    std::fprintf(stderr, "__hipRegisterFatBinary: not a HIP fat binary (its magic must be HIPF)\n");
    return nullptr;
  }
  Registry& registry = Registry::get();
  const std::lock_guard lock(registry.mutex);
  auto* handle = reinterpret_cast<void**>(binary.get());
  registry.binaries.emplace(handle, std::move(binary));
  return handle;
}

FMHA950_HIP_API void __hipUnregisterFatBinary(void** handle) {
  Registry& registry = Registry::get();
  std::unique_ptr<FatBinary> binary;
  wait_for_all();
  const std::lock_guard lock(registry.mutex);
  const auto found = registry.binaries.find(handle);
  if (found == registry.binaries.end()) return;
  binary = std::move(found->second);
  registry.binaries.erase(found);
  for (auto* table : {&registry.functions, &registry.variables})
    std::erase_if(*table, [&](const auto& entry) { return entry.second.owner == binary.get(); });
}

FMHA950_HIP_API void __hipRegisterFunction(void** handle, const void* host_function, char*, const char* name,
                                           unsigned, void*, void*, void*, void*, int*) {
  add_symbol(&Registry::functions, handle, host_function, name);
}
FMHA950_HIP_API void __hipRegisterVar(void** handle, void* host_variable, char*, const char* name, int,
                                      size_t, int, int) {
  add_symbol(&Registry::variables, handle, host_variable, name);
}

} // namespace fmha950::hip
