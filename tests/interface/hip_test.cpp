// The HIP table, buffers, code objects and launches on whichever device this machine offers.
#include "interface/error.hpp"
#include "interface/hip.hpp"

#include "tests/support/catch.hpp"
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <numeric>

using namespace fmha950;
using Catch::Contains;
using Catch::StartsWith;

namespace {

struct Doubling { // as in kernels.hip
  const unsigned* input;
  unsigned* output;
  unsigned count;
};
constexpr const char* variant = "test_interface_kernels";

class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Environment() { unsetenv(name_); }
  Environment(const Environment&) = delete;

 private:
  const char* name_;
};

// The test's code object with some of it changed, under a name of its own.
std::vector<std::byte> copy_of_code_object() {
  const auto bytes = hip::code_object(variant);
  return {bytes.begin(), bytes.end()};
}
void load(std::string_view name, const std::vector<std::byte>& bytes) {
  hip::register_code_object(name, bytes);
  hip::load_kernel(name, "double_elements");
}

std::vector<unsigned> run_doubling(unsigned count, const std::vector<uint32_t>* only) {
  std::vector<unsigned> values(count);
  std::iota(values.begin(), values.end(), 1u);
  hip::Buffer input(count * 4), output(count * 4);
  input.upload(values.data(), count * 4);
  output.fill(0);
  const Doubling arguments{input.as<unsigned>(), output.as<unsigned>(), count};
  hip::launch(hip::load_kernel(variant, "double_elements"), {(count + 63) / 64}, {64}, &arguments,
              sizeof arguments, nullptr, only);
  hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
  output.download(values.data(), count * 4);
  return values;
}

} // namespace

// First in this file: what is loaded once stays.
TEST_CASE("a HIP library that is not there, or is none, is refused by the variable that chose it") {
  {
    const Environment chosen("FMHA950_HIP_LIBRARY", "/nowhere/libamdhip64.so");
    REQUIRE_THROWS_WITH(
        hip::runtime(),
        StartsWith("FMHA950_HIP_LIBRARY = /nowhere/libamdhip64.so: must be a HIP runtime's library: "
                   "/nowhere/libamdhip64.so: cannot open shared object"));
  }
  {
    const Environment chosen("FMHA950_HIP_LIBRARY", "libm.so.6");
    REQUIRE_THROWS_WITH(hip::runtime(),
                        "FMHA950_HIP_LIBRARY = libm.so.6: must be a HIP runtime's library: has no function "
                        "hipGetDeviceCount");
  }
  {
    const Environment chosen("FMHA950_DEVICE_DIR", "/nowhere");
    REQUIRE_THROWS_WITH(hip::runtime(),
                        StartsWith("FMHA950_DEVICE_DIR = /nowhere: must be a folder that holds "
                                   "the embedded device's libamdhip64.so: "));
  }
  REQUIRE(hip::runtime().is_gfx950);
  REQUIRE_THAT(hip::runtime().device, !Contains("unnamed"));
}

TEST_CASE("buffers carry bytes to the device and back, within their bounds") {
  hip::Buffer buffer(100);
  std::vector<char> bytes(100, 7);
  buffer.fill(3);
  buffer.upload(bytes.data(), 10, 20);
  buffer.download(bytes.data(), 100);
  REQUIRE(bytes[19] == 3);
  REQUIRE(bytes[20] == 7);
  REQUIRE(bytes[30] == 3);
  hip::Buffer moved = std::move(buffer);
  REQUIRE(moved.bytes() == 100);
  REQUIRE(buffer.get() == nullptr); // NOLINT(bugprone-use-after-move): what moving leaves behind is tested
  REQUIRE(hip::Buffer(0).get() == nullptr);
  REQUIRE_THROWS_WITH(moved.upload(bytes.data(), 11, 90),
                      "upload = [90, 101): must lie within the buffer's 100 bytes");
  REQUIRE_THROWS_WITH(moved.download(bytes.data(), 1, 101),
                      "download = [101, 102): must lie within the buffer's 100 bytes");
}

TEST_CASE("a kernel runs on all workgroups, or on those that a launch is restricted to") {
  const auto all = run_doubling(200, nullptr);
  for (unsigned i = 0; i < 200; ++i) REQUIRE(all[i] == 2 * (i + 1));
  if (!hip::runtime().embedded) return;
  const std::vector<uint32_t> only{1, 3};
  const auto some = run_doubling(200, &only);
  for (unsigned i = 0; i < 200; ++i) REQUIRE(some[i] == (i / 64 % 2 == 1 ? 2 * (i + 1) : 0));
  const std::vector<uint32_t> none;
  REQUIRE(run_doubling(200, &none) == std::vector<unsigned>(200, 0));
}

TEST_CASE("code objects that are none, or not whole, or lack the kernel are refused") {
  REQUIRE_THROWS_WITH(hip::load_kernel("prepas", "x"),
                      "code object = prepas: must be one of test_interface_kernels");
  const std::string unknown_kernel = "kernel triple_elements of code object test_interface_kernels: "
                                     "hipErrorNotFound (named symbol not found)";
  REQUIRE_THROWS_WITH(hip::load_kernel(variant, "triple_elements"), StartsWith(unknown_kernel));
  if (hip::runtime().embedded)
    REQUIRE_THROWS_WITH(hip::load_kernel(variant, "triple_elements"),
                        unknown_kernel +
                            "\nkernel triple_elements is not in the code object, which has: double_elements");
  auto bytes = copy_of_code_object();
  const std::string whole = std::to_string(bytes.size());
  bytes.resize(bytes.size() - 1);
  REQUIRE_THROWS_WITH(load("cut", bytes), "code object = cut (" + std::to_string(bytes.size()) +
                                              " bytes): is truncated: its headers name " + whole + " bytes");
  bytes.resize(40);
  REQUIRE_THROWS_WITH(load("stub", bytes),
                      "code object = stub (40 bytes): is truncated: an ELF header alone has 64 bytes");
  bytes = copy_of_code_object();
  bytes[1] = std::byte('B');
  REQUIRE_THROWS_WITH(load("text", bytes),
                      "code object = text (" + whole + " bytes): must be a 64-bit ELF file");
  bytes = copy_of_code_object();
  bytes[offsetof(Elf64_Ehdr, e_machine)] = std::byte(EM_X86_64);
  REQUIRE_THROWS_WITH(load("host", bytes),
                      "code object = host (" + whole +
                          " bytes): must be for AMDGPU (ELF machine 224), not for ELF machine 62");
}

TEST_CASE("what the device cannot give is refused by HIP's error name and, embedded, the reason") {
  const std::string too_much = "hipMalloc(1125899906842624 bytes): hipErrorOutOfMemory (out of memory)";
  REQUIRE_THROWS_WITH(hip::Buffer(size_t(1) << 50), StartsWith(too_much));
  const hip::Kernel kernel = hip::load_kernel(variant, "double_elements");
  const Doubling arguments{};
  const auto launch = [&](unsigned threads, unsigned lds) {
    size_t bytes = sizeof arguments;
    void* extra[] = {reinterpret_cast<void*>(1), const_cast<Doubling*>(&arguments),
                     reinterpret_cast<void*>(2), &bytes, reinterpret_cast<void*>(3)};
    hip::check(
        hip::api().ModuleLaunchKernel(kernel.function, 1, 1, 1, threads, 1, 1, lds, nullptr, nullptr, extra),
        "launch");
  };
  REQUIRE_THROWS_WITH(launch(64, 160 * 1024 + 1),
                      StartsWith("launch: hipErrorInvalidValue (invalid argument)"));
  REQUIRE_THROWS_WITH(launch(1025, 0), StartsWith("launch: hipErrorInvalidConfiguration"));
  if (!hip::runtime().embedded) return;
  REQUIRE_THROWS_WITH(launch(64, 160 * 1024 + 1),
                      "launch: hipErrorInvalidValue (invalid argument)\ndynamic LDS = 163841: "
                      "static 0 + dynamic must be at most 163840 bytes");
  REQUIRE_THROWS_WITH(hip::Buffer(size_t(1) << 50),
                      StartsWith(too_much + "\nout of device memory: 1125899906842624 bytes requested, "));
  const std::vector<uint32_t> beyond{4};
  REQUIRE_THROWS_WITH(run_doubling(200, &beyond),
                      Contains("restricted workgroup 4: the launch has 4 workgroups"));
}
