// Modules, functions and variables.
#include "tests/hip/fixture.hpp"

#include <fstream>

TEST_CASE("modules from memory: a plain code object and a bundle, without their size") {
  for (const char* name : {"hip_kernels_v6", "hip_kernels_bundle"}) {
    std::ifstream file(std::string(CODE_OBJECTS "/") + name + ".co", std::ios::binary);
    const std::string image{std::istreambuf_iterator<char>(file), {}};
    REQUIRE(!image.empty());
    void *module = nullptr, *function = nullptr;
    REQUIRE(hipModuleLoadData(&module, image.data()) == 0);
    CHECK(hipModuleGetFunction(&function, module, "bounded") == 0);
    CHECK(hipModuleUnload(module) == 0);
    CHECK(hipModuleUnload(module) == invalid_handle);
  }
}

TEST_CASE("unknown names and files") {
  const Module module;
  void* handle = nullptr;
  CHECK(hipModuleGetFunction(&handle, module.get(), "nowhere") == not_found);
  CHECK(detail() == "kernel nowhere is not in the code object, which has: arguments, hidden_arguments, "
                    "dispatch_packet, lds, bounded, mark_workgroup, store_to, relay, relay_by_loads, count");
  CHECK(hipModuleGetGlobal(&handle, nullptr, module.get(), "nowhere") == not_found);
  CHECK(detail() == "variable nowhere is not in the code object");
  CHECK(hipModuleLoad(&handle, "/nowhere.co") == file_not_found);
  CHECK(detail() == "fname = /nowhere.co: cannot be read");
  CHECK(
      hipModuleLoadData(&handle, "this is not a code object, but long enough to hold a header of 64 bytes") ==
      invalid_image);
  CHECK(detail() == "not a code object: starts with bytes 74 68 69 73, an ELF file starts with 7f 45 4c 46");
  CHECK(hipModuleLoad(&handle, CODE_OBJECTS "/hip_kernels_gfx942.co") == no_binary);
  CHECK(detail() == "code object is for gfx942, the device is gfx950: compile it with --offload-arch=gfx950");
  CHECK(hipModuleLoadData(&handle, nullptr) == invalid_value);
}

TEST_CASE("variables are read and written from the host") {
  const Module module;
  void* address = nullptr;
  size_t bytes = 0;
  REQUIRE(hipModuleGetGlobal(&address, &bytes, module.get(), "variable") == 0);
  CHECK(bytes == 4);
  int value = 0;
  REQUIRE(hipMemcpy(&value, address, 4, to_host) == 0);
  CHECK(value == 11);
  CHECK(hipMemsetD32(address, 12, 1) == 0);
  CHECK(hipMemcpy(&value, address, 4, to_host) == 0);
  CHECK(value == 12);
}

TEST_CASE("function attributes and occupancy") {
  const Module module;
  int value = 0;
  CHECK(hipFuncGetAttribute(&value, 0, module.kernel("bounded")) == 0);
  CHECK(value == 64);
  CHECK(hipFuncGetAttribute(&value, 1, module.kernel("lds")) == 0);
  CHECK(value == 512);
  CHECK(hipFuncGetAttribute(&value, 8, module.kernel("lds")) == 0);
  CHECK(value == 163840 - 512);
  CHECK(hipFuncGetAttribute(&value, 99, module.kernel("lds")) == invalid_value);
  // 40 KiB of dynamic and 512 bytes of static LDS round up to 33 blocks of 1280 bytes: 3 workgroups per CU.
  CHECK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&value, module.kernel("lds"), 64, 40960) == 0);
  CHECK(value == 3);
}
