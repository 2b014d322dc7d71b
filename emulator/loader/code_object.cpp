#include "emulator/loader/code_object.hpp"

#include "emulator/loader/elf_image.hpp"
#include "emulator/loader/inline_frames.hpp"
#include "emulator/loader/kernel_descriptor.hpp"
#include "emulator/loader/metadata.hpp"
#include "emulator/loader/relocate.hpp"
#include "emulator/loader/source_lines.hpp"
#include "emulator/memory/address_space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <mutex>

namespace fmha950::loader {
namespace {

// Memory of the loaded image.
class DeviceImage {
 public:
  explicit DeviceImage(const ElfImage& elf) : elf_(elf) {
    auto& device = machine::AddressSpace::device();
    memory_ = elf.memory_bytes <= machine::device_memory_bytes ? device.allocate(elf.memory_bytes) : nullptr;
    if (!memory_)
      throw OutOfDeviceMemory(
          fmt::format("out of device memory: the code object needs {} bytes, {} of {} are in use",
                      elf.memory_bytes, device.used(), machine::device_memory_bytes));
    for (const Segment& segment : elf.segments)
      if (!segment.contents.empty())
        std::memcpy(static_cast<std::byte*>(memory_) + segment.address, segment.contents.data(),
                    segment.contents.size());
  }
  ~DeviceImage() { machine::AddressSpace::device().release(memory_); }
  DeviceImage(const DeviceImage&) = delete;

  uint64_t base() const { return reinterpret_cast<uint64_t>(memory_); }
  // The executable segment that holds `address`, as device addresses; empty when none does.
  machine::Extent code_at(uint64_t address) const {
    for (const Segment& segment : elf_.segments) {
      const machine::Extent extent{base() + segment.address,
                                   base() + segment.address + segment.contents.size()};
      if (segment.executable && extent.contains(address, 1)) return extent;
    }
    return {};
  }

 private:
  const ElfImage& elf_;
  void* memory_ = nullptr;
};

const Symbol& descriptor_symbol(const ElfImage& elf, const KernelMetadata& kernel) {
  for (const Symbol& symbol : elf.dynamic_symbols) {
    if (symbol.name != kernel.symbol || !symbol.defined) continue;
    if (symbol.address % 64 != 0 || symbol.address > elf.memory_bytes ||
        elf.memory_bytes - symbol.address < 64)
      throw LoadError(fmt::format("kernel {}: descriptor {} at {:#x} is not 64 aligned bytes inside the "
                                  "code object",
                                  kernel.name, kernel.symbol, symbol.address));
    return symbol;
  }
  throw LoadError(fmt::format("kernel {}: its descriptor {} is missing from the symbol table", kernel.name,
                              kernel.symbol));
}

} // namespace

struct CodeObject::Image {
  explicit Image(std::span<const std::byte> file) : elf(file), device(elf), lines(source_lines(elf.bytes)) {
    relocate(elf, device.base());
  }
  ElfImage elf;
  DeviceImage device;
  LineTable lines;
  std::once_flag frames_wanted;
  std::optional<InlineFrames> frames;
};

CodeObject::CodeObject(std::span<const std::byte> file)
    : image_(std::make_unique<Image>(file)), program_(std::make_unique<isa::Program>()) {
  const ElfImage& elf = image_->elf;
  const uint64_t base = image_->device.base();
  printf_formats_ = printf_formats_of(elf.metadata);
  for (const KernelMetadata& metadata : parse_metadata(elf.metadata)) {
    Kernel kernel;
    kernel.name = metadata.name;
    kernel.object = this;
    kernel.descriptor_address = base + descriptor_symbol(elf, metadata).address;
    read_descriptor(
        std::span<const std::byte, 64>(reinterpret_cast<const std::byte*>(kernel.descriptor_address), 64),
        kernel);
    if (image_->device.code_at(kernel.entry).end == 0)
      throw LoadError(fmt::format("kernel {}: entry at {:#x} is in no executable segment", kernel.name,
                                  kernel.entry - base));
    kernel.kernarg_bytes = std::max(kernel.kernarg_bytes, metadata.kernarg_bytes);
    kernel.max_workgroup = metadata.max_workgroup;
    kernel.uses_dynamic_stack |= metadata.uses_dynamic_stack;
    kernel.arguments = metadata.arguments;
    kernel.arguments_left_out = metadata.arguments_left_out;
    kernels_.push_back(std::move(kernel));
  }

  for (const Symbol& symbol : elf.dynamic_symbols)
    if (symbol.defined && symbol.object && !symbol.name.ends_with(".kd"))
      globals_.push_back({symbol.name, base + symbol.address, symbol.bytes});

  // Hand-written assembly may leave out .type and .size: a kernel's entry starts a function all the same, and
  // a function without a size reaches to the next one or to the end of the code.
  for (const Symbol& symbol : elf.functions)
    functions_.push_back({symbol.name, base + symbol.address, base + symbol.address + symbol.bytes});
  for (const Kernel& kernel : kernels_) functions_.push_back({kernel.name, kernel.entry, kernel.entry});
  std::erase_if(functions_, [&](const Function& f) { return !image_->device.code_at(f.begin).end; });
  std::sort(functions_.begin(), functions_.end(), [](const Function& a, const Function& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  const auto same_begin = [](const Function& a, const Function& b) { return a.begin == b.begin; };
  functions_.erase(std::unique(functions_.begin(), functions_.end(), same_begin), functions_.end());
  for (size_t i = 0; i < functions_.size(); ++i) {
    Function& function = functions_[i];
    const uint64_t code_end = image_->device.code_at(function.begin).end;
    if (function.end == function.begin)
      function.end = i + 1 < functions_.size() ? functions_[i + 1].begin : code_end;
    // A symbol's size is the file's word: instructions are whole dwords inside the code.
    function.end = std::clamp(function.end, function.begin, code_end);
    function.end -= (function.end - function.begin) % 4;
  }
  for (const Kernel& kernel : kernels_)
    if (!function_at(kernel.entry))
      throw LoadError(
          fmt::format("kernel {}: no instruction fits between its entry at {:#x} and what follows it",
                      kernel.name, kernel.entry - base));
}

CodeObject::~CodeObject() = default;

std::span<const std::byte> CodeObject::file() const { return image_->elf.bytes; }
uint64_t CodeObject::base() const { return image_->device.base(); }
std::vector<uint64_t> CodeObject::relocated() const {
  std::vector<uint64_t> addresses;
  for (const Relocation& relocation : image_->elf.relocations)
    addresses.push_back(base() + relocation.address);
  return addresses;
}
std::span<const std::byte> CodeObject::metadata() const { return image_->elf.metadata; }

const Kernel* CodeObject::find_kernel(std::string_view name) const {
  const auto found =
      std::find_if(kernels_.begin(), kernels_.end(), [&](const Kernel& k) { return k.name == name; });
  return found == kernels_.end() ? nullptr : &*found;
}

const Global* CodeObject::find_global(std::string_view name) const {
  const auto found =
      std::find_if(globals_.begin(), globals_.end(), [&](const Global& g) { return g.name == name; });
  return found == globals_.end() ? nullptr : &*found;
}

std::optional<CodeObject::Function> CodeObject::function_at(uint64_t address) const {
  auto next = std::upper_bound(functions_.begin(), functions_.end(), address,
                               [](uint64_t a, const Function& f) { return a < f.begin; });
  if (next == functions_.begin()) return std::nullopt;
  const Function& function = *--next;
  return address < function.end ? std::optional(function) : std::nullopt;
}

std::string CodeObject::source_line(uint64_t address) const {
  return image_->lines.at(address - image_->device.base());
}

std::string CodeObject::source_path(uint64_t address) const {
  return image_->lines.path_at(address - image_->device.base());
}

std::vector<SourceFrame> CodeObject::frames_at(uint64_t address) const {
  std::call_once(image_->frames_wanted, [&] { image_->frames.emplace(image_->elf.bytes); });
  return image_->frames->at(address - image_->device.base());
}

} // namespace fmha950::loader
