#pragma once
// The HIP runtime as host code sees it: a table of functions resolved at run time, so that one binary drives
// a real MI355X or the embedded device and does not know which it got (DESIGN.md section 3). Only calls whose
// ABI is the same in HIP 5 to 7 are used.
//
// Library: FMHA950_HIP_LIBRARY if set, else ROCm's libamdhip64.so.7 or .so.6 if it offers a gfx950 device,
// else the embedded device: FMHA950_DEVICE_DIR/libamdhip64.so if set, else ../lib/device/ beside the
// executable's folder.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::hip {

using Error = int;                   // hipError_t
constexpr Error not_supported = 801; // hipErrorNotSupported
using Stream = struct ihipStream_t*;
using Event = struct ihipEvent_t*;
using Module = struct ihipModule_t*;
using Function = struct ihipModuleSymbol_t*;

struct Table {
  Error (*GetDeviceCount)(int*);
  Error (*SetDevice)(int);
  Error (*DeviceGetAttribute)(int*, int attribute, int device);
  Error (*DeviceGetName)(char*, int, int device);
  Error (*DriverGetVersion)(int*);
  Error (*Malloc)(void**, size_t);
  Error (*Free)(void*);
  Error (*Memcpy)(void*, const void*, size_t, int kind);
  Error (*MemcpyAsync)(void*, const void*, size_t, int kind, Stream);
  Error (*Memset)(void*, int, size_t);
  Error (*MemGetInfo)(size_t*, size_t*);
  Error (*DeviceSynchronize)();
  Error (*StreamCreate)(Stream*);
  Error (*StreamDestroy)(Stream);
  Error (*StreamSynchronize)(Stream);
  Error (*EventCreate)(Event*);
  Error (*EventDestroy)(Event);
  Error (*EventRecord)(Event, Stream);
  Error (*EventSynchronize)(Event);
  Error (*EventElapsedTime)(float*, Event, Event);
  Error (*ModuleLoadData)(Module*, const void*);
  Error (*ModuleUnload)(Module);
  Error (*ModuleGetFunction)(Function*, Module, const char*);
  Error (*ModuleLaunchKernel)(Function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                              unsigned bz, unsigned dynamic_lds, Stream, void** parameters, void** extra);
  const char* (*GetErrorName)(Error);
  const char* (*GetErrorString)(Error);

  // Extensions of the embedded device (emulator/hip/extensions.hpp); null on a real GPU.
  const char* (*LastFault)();       // text of the last kernel fault, or ""; stays until ClearFault
  const char* (*LastErrorDetail)(); // why this thread's last call failed, or ""
  Error (*ClearFault)();            // after a kernel fault every call fails until this one
  Error (*RestrictNextLaunch)(const uint32_t* workgroups, size_t count); // linear ids, x fastest
  Error (*WorkOfNextLaunch)(const uint32_t* work, size_t count);         // of each workgroup, in any unit
  Error (*SetOption)(const char* name, const char* value); // schedule, threads, mfma, simd, check ...
  // The costs of a code object's loops.
  Error (*LoopCost)(const void* file, size_t bytes, unsigned waves_per_simd, const char** text);
  Error (*Check)(const void* file, size_t bytes, const char* kernel, const char* form, const char** text,
                 unsigned* errors);           // without running it
  const char* (*Hazards)(const char* format); // found since ClearHazards; "text", "json" or "sarif"
  Error (*ClearHazards)();
  Error (*Mutants)(Function, const char** text); // a kernel's ISA mutants: lines of id, source line, text
  Error (*CheckChanges)(Function, const char* changes, const char** text); // of a kernel, without running it
  // Its waits, barriers and s_nops: which could go, by a proof. `only`: null, or the offset of one.
  Error (*Protections)(Function, const char* changes, const uint64_t* only, const char** text);
  Error (*Ways)(Function, const char* earlier, const char* later,
                const char** text); // through its code and that of the functions it calls, by places
  // With changes, as a file for LLVM's assembler.
  Error (*Assembly)(Function, const char* changes, const char* notes, const char** text);
  const char* (*Paths)();   // option paths: of the launches since the last call
  const char* (*Timings)(); // cycle model of the launches since the last call: a line of JSON each
  // The report on a launch since the last Timings(): "perfetto" or "source"; null past the last one.
  const char* (*TimingReport)(const char* form, size_t launch);
  const char* (*Coverage)(); // table of gfx950's opcodes and which of them are implemented
  Error (*FileCoverage)(const void* file, size_t bytes, const char** text); // of a code object's opcodes
};

struct Runtime {
  Table table;
  std::string library;    // path that was loaded
  std::string device;     // "gfx950 (embedded)" or the real device's name
  bool is_gfx950 = false; // false only if FMHA950_HIP_LIBRARY chose another device
  bool embedded = false;
  int ordinal = 0; // of the device among the library's
};

// Loads on first use; throws InvalidInput for an environment variable that is wrong, else DeviceError with all paths tried
// and why each was refused.
const Runtime& runtime();
inline const Table& api() { return runtime().table; }

void check(Error error, std::string_view call); // throws DeviceError("hipMalloc: hipErrorOutOfMemory ...")

// Device memory with one owner.
class Buffer {
 public:
  Buffer() = default;
  explicit Buffer(size_t bytes);
  ~Buffer();
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  void* get() const { return pointer_; }
  template <class T> T* as() const { return static_cast<T*>(pointer_); }
  size_t bytes() const { return bytes_; }
  void upload(const void* host, size_t bytes, size_t offset = 0);
  void download(void* host, size_t bytes, size_t offset = 0) const;
  void fill(int byte);

 private:
  void* pointer_ = nullptr;
  size_t bytes_ = 0;
};

// A buffer that holds a copy of these values; none for none.
template <class T> Buffer uploaded(const std::vector<T>& values) {
  if (values.empty()) return {};
  Buffer buffer(values.size() * sizeof(T));
  buffer.upload(values.data(), buffer.bytes());
  return buffer;
}

// A kernel of a code object built by fmha950_code_object(NAME variant ...); modules are loaded once and kept.
struct Kernel {
  Function function = nullptr;
  std::string name;
};
// Throws InvalidInput for an unknown variant or a code object that is not a whole gfx950 ELF file,
// DeviceError naming the kernel if the code object has none of that name.
Kernel load_kernel(std::string_view variant, std::string_view kernel_name);
std::span<const std::byte> code_object(std::string_view variant); // throws InvalidInput listing the variants
std::vector<std::string_view> code_object_variants();
void register_code_object(std::string_view variant, std::span<const std::byte> bytes);

// While it lives, load_kernel() takes `variant` from these bytes: so a mutant stands in for its kernel.
// Kernels loaded before keep what they have; those loaded meanwhile must not be used afterwards.
class CodeObjectOverride {
 public:
  CodeObjectOverride(std::string variant, std::vector<std::byte> bytes); // throws InvalidInput as above
  ~CodeObjectOverride();
  CodeObjectOverride(const CodeObjectOverride&) = delete;
  CodeObjectOverride& operator=(const CodeObjectOverride&) = delete;

 private:
  std::string variant_;
  std::vector<std::byte> bytes_;
  std::span<const std::byte> replaced_;
  Module replaced_module_ = nullptr;
};

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;
};
// Launches with one plain struct as the kernel's only argument.
// `only` restricts to workgroups, `work` says what decides their time (embedded device; empty: not known).
void launch(const Kernel& kernel, Dim3 grid, Dim3 block, const void* argument, size_t argument_bytes,
            Stream stream, const std::vector<uint32_t>* only = nullptr, unsigned dynamic_lds = 0,
            const std::vector<uint32_t>& work = {});

// While it lives, `before` is called before every launch of this process with the number of launches since, and the kernel.
class LaunchWatch {
 public:
  explicit LaunchWatch(std::function<void(size_t launch, const Kernel& kernel)> before);
  ~LaunchWatch();
  LaunchWatch(const LaunchWatch&) = delete;
  LaunchWatch& operator=(const LaunchWatch&) = delete;
};

} // namespace fmha950::hip
