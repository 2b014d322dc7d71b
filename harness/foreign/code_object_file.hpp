#pragma once
// A file with kernels that somebody else built, and what its metadata says of them. Read here and not by the device,
// because a GPU's runtime does not tell (LLVM AMDGPUUsage, "Code Object V3 and later Metadata").

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fmha950::harness {

struct KernelParameter {
  std::string name, type; // "" where the metadata does not say
  std::string kind;       // value_kind: by_value, global_buffer ...
  std::string access;     // read_only, write_only, read_write or ""
  uint32_t offset = 0, size = 0;

  bool is_buffer() const { return kind == "global_buffer"; }
  std::string described(size_t index) const; // "argument 2 (n)"
};

struct ForeignKernel {
  std::string name;
  uint32_t kernarg_bytes = 0, static_lds = 0, vgprs = 0;
  uint32_t max_block = 1024;                             // work-items
  std::optional<std::array<uint32_t, 3>> required_block; // reqd_workgroup_size
  std::vector<KernelParameter> parameters;               // that the program gives
  size_t beyond_segment = 0;                             // that lie past the segment's end, and are left out
  bool silent = false; // the metadata lists no parameters, though there may be some
};

struct CodeObjectFile {
  std::string path;
  std::vector<std::byte> bytes; // of the whole file
  std::vector<ForeignKernel> kernels;

  // The ELF file, of a bundle that of the target.
  std::span<const std::byte> code() const;
  // Throws InvalidInput with the names of all there are. "" is the only one.
  const ForeignKernel& kernel(const std::string& name) const;
};

// Throws InvalidInput for what is no ELF code object for the target, or uncompressed bundle with one.
CodeObjectFile read_code_object_file(const std::string& path);
std::vector<ForeignKernel> kernels_of(const std::string& path, std::span<const std::byte> file);

// Of its metadata alone, which are MessagePack. Throws InvalidInput that names `path` and what is wrong.
std::vector<ForeignKernel> kernels_of_metadata(const std::string& path, std::span<const std::byte> note);

// What the metadata say of a kernel, for people, and a command line to begin with.
std::string describe(const CodeObjectFile& file, const ForeignKernel& kernel);

} // namespace fmha950::harness
