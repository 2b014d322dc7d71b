// Allocation, copies and fills, and their refusals.
#include "tests/hip/fixture.hpp"

#include <cstring>
#include <numeric>

namespace {

struct PointerAttributes { // hipPointerAttribute_t, HIP 6
  int type, device;
  void *device_pointer, *host_pointer;
  int is_managed;
  unsigned flags;
};

} // namespace

TEST_CASE("copies and fills") {
  std::vector<int> host(1000), back(1000);
  std::iota(host.begin(), host.end(), 0);
  const DeviceArray<int> first(1000), second(1000);
  REQUIRE(hipMemcpy(first.get(), host.data(), 4000, to_device) == 0);
  REQUIRE(hipMemcpyAsync(second.get(), first.get(), 4000, 3, nullptr) == 0);
  REQUIRE(hipMemcpyDtoH(back.data(), second.get(), 4000) == 0);
  CHECK(back == host);
  REQUIRE(hipMemsetD32(first.get(), 0x12345678, 999) == 0);
  REQUIRE(hipMemsetD16(static_cast<char*>(first.get()) + 3996, 0xABCD, 2) == 0);
  const auto values = first.values();
  CHECK(values[998] == 0x12345678);
  CHECK(values[999] == static_cast<int>(0xABCDABCD));
}

TEST_CASE("copies that leave their allocation") {
  const DeviceArray<int> array(16);
  char host[80] = {};
  CHECK(hipMemcpy(array.get(), host, 65, to_device) == invalid_value);
  CHECK_THAT(detail(),
             Catch::StartsWith("dst = ") && Catch::EndsWith("65 bytes reach 1 bytes past the allocation"));
  CHECK(hipMemcpy(host, static_cast<char*>(array.get()) + 60, 8, to_host) == invalid_value);
  CHECK_THAT(detail(),
             Catch::StartsWith("src = ") && Catch::EndsWith("8 bytes reach 4 bytes past the allocation"));
  CHECK(hipMemcpy(host, array.get(), 4, to_device) == invalid_value);
  CHECK_THAT(detail(), Catch::EndsWith("not device memory"));
  CHECK(hipMemcpy(nullptr, array.get(), 4, to_host) == invalid_value);
  CHECK(detail() == "dst is null");
  CHECK(hipMemcpy(host, array.get(), 4, 77) == invalid_direction);
  CHECK(detail() == "kind = 77: must be 0 to 4");
  CHECK(hipMemset(array.get(), 0, 65) == invalid_value);
  CHECK(hipMemcpy(nullptr, nullptr, 0, to_host) == 0);
}

TEST_CASE("copies of rows with a pitch") {
  const char from[] = "abcd--efgh--";
  const DeviceArray<char> array(16);
  REQUIRE(hipMemcpy2D(array.get(), 8, from, 6, 4, 2, to_device) == 0);
  const auto values = array.values();
  CHECK(std::string(values.begin(), values.begin() + 4) == "abcd");
  CHECK(std::string(values.begin() + 8, values.begin() + 12) == "efgh");
  CHECK(values[4] == 0);
  CHECK(hipMemcpy2D(array.get(), 8, from, 3, 4, 2, to_device) == invalid_value);
  CHECK(detail() == "width = 4: must be at most dpitch 8 and spitch 3");
  CHECK(hipMemcpy2D(array.get(), 8, from, 4, 4, 3, to_device) == invalid_value);
}

TEST_CASE("out of device memory: 288 GiB in sum") {
  size_t free_bytes = 0, total = 0;
  REQUIRE(hipMemGetInfo(&free_bytes, &total) == 0);
  CHECK(total == size_t{288} << 30);
  void *large = nullptr, *more = nullptr;
  REQUIRE(hipMalloc(&large, size_t{200} << 30) == 0); // sparse: costs nothing until touched
  CHECK(hipMalloc(&more, size_t{100} << 30) == out_of_memory);
  CHECK_THAT(detail(), Catch::StartsWith("out of device memory: 107374182400 bytes requested, ") &&
                           Catch::EndsWith(" of 309237645312 bytes are in use"));
  size_t now = 0;
  REQUIRE(hipMemGetInfo(&now, &total) == 0);
  CHECK(free_bytes - now == size_t{200} << 30);
  auto* end = static_cast<char*>(large) + (size_t{200} << 30);
  int value = 42, back = 0;
  REQUIRE(hipMemcpy(end - 4, &value, 4, to_device) == 0);
  REQUIRE(hipMemcpy(&back, end - 4, 4, to_host) == 0);
  CHECK(back == 42);
  REQUIRE(hipFree(large) == 0);
  REQUIRE(hipMalloc(&more, size_t{100} << 30) == 0);
  CHECK(hipFree(more) == 0);
  CHECK(hipFree(more) == invalid_value);
  CHECK(hipFree(nullptr) == 0);
  CHECK(hipMalloc(nullptr, 4) == invalid_value);
}

TEST_CASE(
    "managed memory: the host writes it without a call, so no check takes it for memory that nobody wrote") {
  REQUIRE(fmha950SetOption("check", "uninitialised") == 0);
  const Module module;
  std::vector<int> copy(25);
  const auto hazards_of_copy = [&](auto allocate) {
    REQUIRE(fmha950ClearHazards() == 0);
    void* pointer = nullptr;
    REQUIRE(allocate(&pointer) == 0);
    REQUIRE(launch(module.kernel("store_to"), {1, 1, 1}, {1, 1, 1}, 0, pointer) == 0);
    REQUIRE(hipDeviceSynchronize() == 0);
    std::memset(static_cast<int*>(pointer) + 1, 1, 96);
    REQUIRE(hipMemcpy(copy.data(), pointer, 100, 2) == 0);
    const std::string hazards = fmha950Hazards("text");
    CHECK(hipFree(pointer) == 0);
    return hazards;
  };
  CHECK(hazards_of_copy([](void** pointer) { return hipMallocManaged(pointer, 100, 1); }) == "");
  CHECK(copy[24] == 0x01010101);
  CHECK(hazards_of_copy([](void** pointer) { return hipMalloc(pointer, 100); }) != "");
  CHECK(fmha950ClearHazards() == 0);
  CHECK(fmha950SetOption("check", "none") == 0);
}

TEST_CASE("host memory: pinned, registered, managed") {
  const Module module;
  void* function = module.kernel("store_to");
  void *pinned = nullptr, *managed = nullptr, *device = nullptr;
  REQUIRE(hipHostMalloc(&pinned, 100, 0) == 0);
  REQUIRE(hipMallocManaged(&managed, 100, 1) == 0);
  std::vector<int> own(16);
  REQUIRE(hipHostRegister(own.data(), 64, 0) == 0);
  CHECK(hipHostRegister(own.data(), 64, 0) == already_registered);
  for (void* pointer : {pinned, managed, static_cast<void*>(own.data())}) {
    REQUIRE(hipHostGetDevicePointer(&device, pointer, 0) == 0);
    REQUIRE(launch(function, {1, 1, 1}, {1, 1, 1}, 0, device) == 0);
    REQUIRE(hipDeviceSynchronize() == 0);
    CHECK(*static_cast<int*>(pointer) == 5);
  }
  PointerAttributes attributes{};
  REQUIRE(hipPointerGetAttributes(&attributes, static_cast<char*>(pinned) + 8) == 0);
  CHECK(attributes.type == 1);
  REQUIRE(hipPointerGetAttributes(&attributes, managed) == 0);
  CHECK((attributes.type == 3 && attributes.is_managed == 1));
  int on_stack = 0;
  REQUIRE(hipPointerGetAttributes(&attributes, &on_stack) == 0);
  CHECK(attributes.type == 0);
  CHECK(hipFree(pinned) == invalid_value);
  CHECK(hipHostFree(pinned) == 0);
  CHECK(hipFree(managed) == 0);
  CHECK(hipHostUnregister(own.data()) == 0);
  CHECK(hipHostUnregister(own.data()) == not_registered);
}

TEST_CASE("address ranges") {
  const DeviceArray<char> array(1000);
  void* base = nullptr;
  size_t bytes = 0;
  REQUIRE(hipMemGetAddressRange(&base, &bytes, static_cast<char*>(array.get()) + 500) == 0);
  CHECK(base == array.get());
  CHECK(bytes == 1000);
  CHECK(hipMemGetAddressRange(&base, &bytes, &base) == not_found);
}
