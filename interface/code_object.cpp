// The code objects of this binary: registered before main by what cmake/CodeObject.cmake generates, loaded on
// first use.
#include "interface/code_object.hpp"

#include "interface/error.hpp"
#include "interface/hip.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fmt/ranges.h>
#include <map>
#include <mutex>

namespace fmha950::hip {
namespace {

constexpr unsigned elf_machine_amdgpu = 224; // LLVM AMDGPUUsage, "ELF Code Object", table of e_machine

std::map<std::string, std::span<const std::byte>, std::less<>>& registered() {
  static std::map<std::string, std::span<const std::byte>, std::less<>> code_objects;
  return code_objects;
}

struct Headers {
  Elf64_Ehdr file;
  std::vector<Elf64_Phdr> segments;
  uint64_t end() const { return file.e_phoff + uint64_t(file.e_phnum) * sizeof(Elf64_Phdr); }
};

// hipModuleLoadData is not told the size and would read past the end of a file that was cut short.
Headers headers_of_whole_elf(std::string_view variant, std::span<const std::byte> bytes) {
  const auto refuse = [&](std::string expected) {
    throw InvalidInput("code object", fmt::format("{} ({} bytes)", variant, bytes.size()),
                       std::move(expected));
  };
  Headers headers;
  Elf64_Ehdr& header = headers.file;
  if (bytes.size() < sizeof header) refuse("is truncated: an ELF header alone has 64 bytes");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64)
    refuse("must be a 64-bit ELF file");
  if (header.e_machine != elf_machine_amdgpu)
    refuse(fmt::format("must be for AMDGPU (ELF machine {}), not for ELF machine {}", elf_machine_amdgpu,
                       header.e_machine));
  uint64_t end = std::max(header.e_shoff + uint64_t(header.e_shnum) * sizeof(Elf64_Shdr), headers.end());
  for (unsigned i = 0; end <= bytes.size() && i < header.e_phnum; ++i) {
    Elf64_Phdr& segment = headers.segments.emplace_back();
    std::memcpy(&segment, bytes.data() + header.e_phoff + i * sizeof segment, sizeof segment);
    end = std::max(end, segment.p_offset + segment.p_filesz);
  }
  if (end > bytes.size()) refuse(fmt::format("is truncated: its headers name {} bytes", end));
  return headers;
}

void require_whole_elf(std::string_view variant, std::span<const std::byte> bytes) {
  headers_of_whole_elf(variant, bytes);
}

struct LoadedModules {
  std::mutex mutex;
  std::map<std::string, Module, std::less<>> by_variant;
};

LoadedModules& loaded() {
  static LoadedModules modules;
  return modules;
}

Module load_module(std::string_view variant) {
  const std::lock_guard lock(loaded().mutex);
  auto& modules = loaded().by_variant;
  if (const auto found = modules.find(variant); found != modules.end()) return found->second;
  const auto bytes = code_object(variant);
  require_whole_elf(variant, bytes);
  Module module = nullptr;
  check(api().ModuleLoadData(&module, bytes.data()), fmt::format("hipModuleLoadData of {}", variant));
  modules.emplace(variant, module);
  return module;
}

// What is loaded of a variant from now on; returns what was, null for nothing.
Module exchange_module(const std::string& variant, Module module) {
  const std::lock_guard lock(loaded().mutex);
  auto& modules = loaded().by_variant;
  const auto found = modules.find(variant);
  Module previous = nullptr;
  if (found != modules.end()) {
    previous = found->second;
    modules.erase(found);
  }
  if (module != nullptr) modules.emplace(variant, module);
  return previous;
}

} // namespace

std::vector<std::span<const std::byte>> loaded_segments(std::string_view variant,
                                                        std::span<const std::byte> bytes) {
  const Headers headers = headers_of_whole_elf(variant, bytes);
  std::vector<std::span<const std::byte>> loaded;
  for (const Elf64_Phdr& segment : headers.segments) {
    const uint64_t begin = std::max(segment.p_offset, headers.end()),
                   end = segment.p_offset + segment.p_filesz;
    if (segment.p_type == PT_LOAD && begin < end) loaded.push_back(bytes.subspan(begin, end - begin));
  }
  return loaded;
}

void register_code_object(std::string_view variant, std::span<const std::byte> bytes) {
  registered().insert_or_assign(std::string(variant), bytes);
}

std::vector<std::string_view> code_object_variants() {
  std::vector<std::string_view> names;
  for (const auto& [name, bytes] : registered()) names.push_back(name);
  return names;
}

std::span<const std::byte> code_object(std::string_view variant) {
  const auto found = registered().find(variant);
  if (found == registered().end())
    throw InvalidInput("code object", std::string(variant),
                       fmt::format("must be one of {}", fmt::join(code_object_variants(), ", ")));
  return found->second;
}

CodeObjectOverride::CodeObjectOverride(std::string variant, std::vector<std::byte> bytes)
    : variant_(std::move(variant)), bytes_(std::move(bytes)), replaced_(code_object(variant_)) {
  require_whole_elf(variant_, bytes_);
  register_code_object(variant_, bytes_);
  replaced_module_ = exchange_module(variant_, nullptr);
}

CodeObjectOverride::~CodeObjectOverride() {
  register_code_object(variant_, replaced_);
  if (Module own = exchange_module(variant_, replaced_module_)) api().ModuleUnload(own);
}

Kernel load_kernel(std::string_view variant, std::string_view kernel_name) {
  Kernel kernel{nullptr, std::string(kernel_name)};
  check(api().ModuleGetFunction(&kernel.function, load_module(variant), kernel.name.c_str()),
        fmt::format("kernel {} of code object {}", kernel_name, variant));
  return kernel;
}

} // namespace fmha950::hip
