#pragma once
// A gfx950 code object (ELF, AMDHSA code object v5 or v6), loaded into device memory: kernel descriptors,
// metadata, symbols, relocations, source lines (machine_gfx950.md section 5; LLVM AMDGPUUsage "Code Object",
// "Kernel Descriptor").

#include "emulator/loader/source_frame.hpp"
#include "emulator/program/program.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::loader {

class LoadError : public std::runtime_error { // names what is wrong with the bytes
 public:
  using std::runtime_error::runtime_error;
};
class WrongTarget : public LoadError { // sound, but for another device or code object version
 public:
  using LoadError::LoadError;
};
class OutOfDeviceMemory : public LoadError {
 public:
  using LoadError::LoadError;
};

struct Argument { // one entry of the metadata's .args
  uint32_t offset = 0, size = 0;
  std::string kind; // "by_value", "global_buffer", "hidden_block_count_x", ...
};

class CodeObject;

struct Kernel {
  std::string name;
  const CodeObject* object = nullptr;
  uint64_t descriptor_address = 0; // device address of the 64-byte descriptor
  uint64_t entry = 0;              // device address of the first instruction
  uint32_t static_lds = 0;         // bytes
  uint32_t private_segment = 0;    // scratch bytes per lane
  uint32_t kernarg_bytes = 0;
  uint32_t vgpr_count = 0;   // unified file: arch + Acc, rounded as allocated
  uint32_t accum_offset = 0; // first AccVGPR in the unified file
  uint32_t sgpr_count = 0;
  uint32_t mode = 0xF0; // initial MODE: float_mode, DX10_CLAMP, IEEE, FP16_OVFL
  uint32_t rsrc1 = 0, rsrc2 = 0, rsrc3 = 0;
  uint16_t properties = 0;       // which user SGPRs
  uint16_t kernarg_preload = 0;  // length [6:0], offset [15:7] in dwords
  uint32_t max_workgroup = 1024; // .max_flat_workgroup_size
  std::vector<Argument> arguments;
  uint32_t arguments_left_out = 0; // of the metadata: past the end of the kernel argument segment
  bool uses_dynamic_stack = false;
};

struct Global { // a __device__ variable
  std::string name;
  uint64_t address = 0, bytes = 0;
};

class CodeObject {
 public:
  // Copies the image into device memory and relocates it. Throws LoadError.
  explicit CodeObject(std::span<const std::byte> elf);
  ~CodeObject();
  CodeObject(const CodeObject&) = delete;

  const Kernel* find_kernel(std::string_view name) const;
  const std::vector<Kernel>& kernels() const { return kernels_; }
  const Global* find_global(std::string_view name) const;
  // The function that holds `address`: its extent in device memory. Decoding goes function by function.
  struct Function {
    std::string name;
    uint64_t begin = 0, end = 0;
  };
  std::optional<Function> function_at(uint64_t address) const;
  const std::vector<Function>& functions() const { return functions_; }              // by address
  const std::vector<std::string>& printf_formats() const { return printf_formats_; } // of buffered printf
  std::string source_line(uint64_t address) const; // "file:line", or "" without line tables
  std::string source_path(uint64_t address) const; // likewise with the file's directory, where it is named
  // The functions that hold it, the innermost first; empty without .debug_info. Reads that at its first call.
  std::vector<SourceFrame> frames_at(uint64_t address) const;
  const std::vector<Global>& globals() const { return globals_; }
  std::span<const std::byte> file() const;            // the ELF file that was loaded
  uint64_t base() const;                              // device address of its address 0
  std::vector<uint64_t> relocated() const;            // device addresses that hold addresses
  std::span<const std::byte> metadata() const;        // of its note, MessagePack
  isa::Program& program() const { return *program_; } // decoded code, filled on first launch of a kernel

 private:
  struct Image; // ELF bytes, DWARF context
  std::unique_ptr<Image> image_;
  std::vector<Kernel> kernels_;
  std::vector<Global> globals_;
  std::vector<std::string> printf_formats_;
  std::vector<Function> functions_;
  std::unique_ptr<isa::Program> program_;
};

} // namespace fmha950::loader
