#include "emulator/loader/bundle.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/loader/elf_image.hpp"
#include "numerics/target.hpp"

#include <fmt/format.h>

#include <cstring>

namespace fmha950::loader {
namespace {

// Layout: clang documentation, "Clang Offload Bundler", section "Bundled Binary File Layout".
constexpr std::string_view plain_magic = "__CLANG_OFFLOAD_BUNDLE__", compressed_magic = "CCOB";

class Reader {
 public:
  Reader(const std::byte* bytes, uint64_t available) : bytes_(bytes), available_(available) {}
  uint64_t number() {
    uint64_t value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  std::string text(uint64_t length) {
    return {reinterpret_cast<const char*>(take(length)), static_cast<size_t>(length)};
  }
  const std::byte* take(uint64_t count) {
    if (count > available_ - position_)
      throw LoadError(fmt::format("truncated offload bundle: {} bytes", available_));
    position_ += count;
    return bytes_ + (position_ - count);
  }

 private:
  const std::byte* bytes_;
  uint64_t available_, position_ = 0;
};

bool starts_with(const std::byte* image, uint64_t available, std::string_view magic) {
  return available >= magic.size() && std::memcmp(image, magic.data(), magic.size()) == 0;
}

// "hipv4-amdgcn-amd-amdhsa--gfx950:sramecc+:xnack-": the device runs it unless a feature contradicts.
bool runs_on_device(std::string_view id) {
  const size_t processor = id.rfind("--");
  if (id.starts_with("host") || processor == std::string_view::npos) return false;
  const std::string_view wanted = id.substr(processor + 2);
  return wanted.substr(0, wanted.find(':')) == target.processor && wanted.find("xnack+") == wanted.npos &&
         wanted.find("sramecc-") == wanted.npos;
}

} // namespace

std::span<const std::byte> select_code_object(const std::byte* image, uint64_t available) {
  if (starts_with(image, available, compressed_magic))
    throw LoadError("offload bundle is compressed (CCOB), the device reads uncompressed ones: compile with "
                    "--no-offload-compress");
  if (!starts_with(image, available, plain_magic)) {
    const uint64_t bytes = elf_bytes(image, available);
    return {image, static_cast<size_t>(available == UINT64_MAX ? bytes : available)};
  }
  constexpr uint64_t plausible = 4096; // entries, and characters of an id: more is a corrupt header
  Reader reader(image, available);
  reader.take(plain_magic.size());
  const uint64_t count = reader.number();
  if (count > plausible) throw LoadError(fmt::format("corrupt offload bundle: {} entries", count));
  std::string ids;
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t offset = reader.number(), bytes = reader.number(), length = reader.number();
    if (length > plausible)
      throw LoadError(fmt::format("corrupt offload bundle: id of entry {} has {} characters", i, length));
    const std::string id = reader.text(length);
    if (runs_on_device(id)) {
      if (offset > available || bytes > available - offset)
        throw LoadError(fmt::format("truncated offload bundle: {} bytes, entry {} ends at {}", available, id,
                                    offset + bytes));
      return {image + offset, static_cast<size_t>(bytes)};
    }
    ids += (ids.empty() ? "" : ", ") + id;
  }
  throw WrongTarget(
      fmt::format("offload bundle has no entry for {0}, only: {1}; compile with --offload-arch={0}",
                  target.processor, ids));
}

} // namespace fmha950::loader
