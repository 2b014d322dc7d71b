#include "harness/foreign/code_object_file.hpp"

#include "interface/error.hpp"
#include "interface/regular_file.hpp"
#include "numerics/target.hpp"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <fmt/ranges.h>
#include <fstream>
#include <iterator>

namespace fmha950::harness {

namespace {

using Bytes = std::span<const std::byte>;

constexpr unsigned elf_machine_amdgpu = 224; // LLVM AMDGPUUsage, "ELF Code Object", table of e_machine
constexpr unsigned note_metadata = 32;       // NT_AMDGPU_METADATA, there, "Note Records"

std::optional<Bytes> part(Bytes of, uint64_t offset, uint64_t bytes) {
  if (offset > of.size() || bytes > of.size() - offset) return std::nullopt;
  return of.subspan(offset, bytes);
}

template <class T> std::optional<T> read(Bytes from, uint64_t offset) {
  const auto bytes = part(from, offset, sizeof(T));
  if (!bytes) return std::nullopt;
  T value;
  std::memcpy(&value, bytes->data(), sizeof value);
  return value;
}

std::string_view text_of(Bytes bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

[[noreturn]] void refuse(const std::string& path, const std::string& expected) {
  throw InvalidInput("file", path, expected);
}

// The entry for the target. Layout: clang documentation, "Clang Offload Bundler".
Bytes entry_of_bundle(const std::string& path, Bytes file) {
  uint64_t position = 24; // of the magic
  const auto count = read<uint64_t>(file, position);
  position += 8;
  std::string ids;
  for (uint64_t i = 0; count && i < *count; ++i, position += 24) {
    const auto offset = read<uint64_t>(file, position), bytes = read<uint64_t>(file, position + 8),
               length = read<uint64_t>(file, position + 16);
    const auto id = length ? part(file, position + 24, *length) : std::nullopt;
    if (!id) break;
    position += *length;
    ids += (ids.empty() ? "" : ", ") + std::string(text_of(*id));
    const std::string wanted = std::string("--") + target.processor;
    if (!text_of(*id).ends_with(wanted) && text_of(*id).find(wanted + ":") == std::string_view::npos)
      continue;
    if (const auto entry = part(file, *offset, *bytes)) return *entry;
    break;
  }
  refuse(path, fmt::format("must be a whole offload bundle with an entry for {}; it has: {}",
                           target.processor, ids.empty() ? "none" : ids));
}

// The descriptor of the metadata's note among those of a segment; empty if it is none of them.
Bytes metadata_in(Bytes notes) {
  const auto padded = [](uint64_t bytes) { return (bytes + 3) / 4 * 4; };
  for (uint64_t position = 0;;) {
    const auto header = read<Elf64_Nhdr>(notes, position);
    if (!header) return {};
    const uint64_t name = position + sizeof *header, descriptor = name + padded(header->n_namesz);
    const auto owner = part(notes, name, header->n_namesz),
               contents = part(notes, descriptor, header->n_descsz);
    if (!owner || !contents) return {};
    if (header->n_type == note_metadata && text_of(*owner).starts_with("AMDGPU")) return *contents;
    position = descriptor + padded(header->n_descsz);
  }
}

Bytes metadata_of_elf(const std::string& path, Bytes elf) {
  const auto header = read<Elf64_Ehdr>(elf, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64)
    refuse(path, "must be a code object: a 64-bit ELF file, or an offload bundle");
  if (header->e_machine != elf_machine_amdgpu)
    refuse(path, fmt::format("must be for AMDGPU (ELF machine {}), not for ELF machine {}",
                             elf_machine_amdgpu, header->e_machine));
  for (unsigned i = 0; i < header->e_phnum; ++i) {
    const auto segment = read<Elf64_Phdr>(elf, header->e_phoff + uint64_t{i} * sizeof(Elf64_Phdr));
    if (!segment) refuse(path, "must be whole: it ends within its program headers");
    if (segment->p_type != PT_NOTE) continue;
    const auto notes = part(elf, segment->p_offset, segment->p_filesz);
    if (!notes) refuse(path, "must be whole: it ends within its notes");
    if (const Bytes metadata = metadata_in(*notes); !metadata.empty()) return metadata;
  }
  refuse(path, "must have a metadata note (NT_AMDGPU_METADATA) in a segment");
}

} // namespace

std::string KernelParameter::described(size_t index) const {
  return name.empty() ? fmt::format("argument {}", index) : fmt::format("argument {} ({})", index, name);
}

const ForeignKernel& CodeObjectFile::kernel(const std::string& name) const {
  const auto found = std::ranges::find(kernels, name, &ForeignKernel::name);
  if (found != kernels.end()) return *found;
  if (name.empty() && kernels.size() == 1) return kernels.front();
  std::vector<std::string> names;
  for (const ForeignKernel& kernel : kernels) names.push_back(kernel.name);
  throw InvalidInput("kernel", name,
                     fmt::format("must be one of those in {}: {}", path, fmt::join(names, ", ")));
}

namespace {

Bytes elf_in(const std::string& path, Bytes file) {
  const std::string_view text = text_of(file);
  if (text.starts_with("CCOB"))
    refuse(path,
           "must be no compressed offload bundle (CCOB): compile with --no-offload-compress, or unbundle "
           "it with clang-offload-bundler");
  return text.starts_with("__CLANG_OFFLOAD_BUNDLE__") ? entry_of_bundle(path, file) : file;
}

} // namespace

std::span<const std::byte> CodeObjectFile::code() const { return elf_in(path, bytes); }

std::vector<ForeignKernel> kernels_of(const std::string& path, std::span<const std::byte> file) {
  return kernels_of_metadata(path, metadata_of_elf(path, elf_in(path, file)));
}

CodeObjectFile read_code_object_file(const std::string& path) {
  require_regular_file("file", path);
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  if (!file) refuse(path, "must be a readable file: a gfx950 code object");
  CodeObjectFile object{path, {}, {}};
  object.bytes.resize(text.size());
  std::memcpy(object.bytes.data(), text.data(), text.size());
  object.kernels = kernels_of(path, object.bytes);
  return object;
}

} // namespace fmha950::harness
