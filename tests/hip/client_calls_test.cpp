// Pitches, hints, pools, contexts and peers, as clients use them.
#include "tests/hip/client_calls.hpp"
#include "tests/hip/fixture.hpp"

#include <algorithm>

TEST_CASE("rows with a pitch") {
  void* rows = nullptr;
  size_t pitch = 0;
  REQUIRE(hipMallocPitch(&rows, &pitch, 100, 3) == 0);
  CHECK(pitch == 256);
  REQUIRE(hipMemset(rows, 0, 3 * pitch) == 0);
  REQUIRE(hipMemset2D(rows, pitch, 7, 100, 3) == 0);
  std::vector<char> host(3 * pitch);
  REQUIRE(hipMemcpy(host.data(), rows, host.size(), to_host) == 0);
  CHECK(std::count(host.begin(), host.end(), 7) == 300);
  CHECK(host[256 + 99] == 7);
  CHECK(host[256 + 100] == 0);
  CHECK(hipMemset2DAsync(rows, 64, 7, 100, 3, nullptr) == invalid_value);
  CHECK(detail() == "width = 100: must be at most the pitch 64");
  CHECK(hipMemset2D(rows, pitch, 7, 257, 3) == invalid_value);
  CHECK(hipMemset2D(rows, pitch, 7, 256, 4) == invalid_value);
  CHECK(hipMallocPitch(&rows, &pitch, SIZE_MAX, 3) == invalid_value);
  CHECK(hipFree(rows) == 0);
}

TEST_CASE("hints are checked") {
  const DeviceArray<int> array(16);
  CHECK(hipMemPrefetchAsync(array.get(), 64, 0, nullptr) == 0);
  CHECK(hipMemAdvise(array.get(), 64, 1, 0) == 0);
  CHECK(hipMemPrefetchAsync(array.get(), 65, 0, nullptr) == invalid_value);
  CHECK_THAT(detail(), Catch::EndsWith("count = 65: must lie in one allocation"));
  int local = 0;
  CHECK(hipMemAdvise(&local, 4, 1, 0) == invalid_value);
}

TEST_CASE("pools: allocations are counted, and freed ones no more") {
  void *pool = nullptr, *first = nullptr, *second = nullptr, *own = nullptr, *current = nullptr;
  constexpr int threshold = 4, used = 7, high = 8;
  uint64_t bytes = 0;
  REQUIRE(hipDeviceGetDefaultMemPool(&pool, 0) == 0);
  REQUIRE(hipMemPoolSetAttribute(pool, high, &bytes) == 0);
  REQUIRE(hipMallocAsync(&first, 1000, nullptr) == 0);
  REQUIRE(hipMallocFromPoolAsync(&second, 500, pool, nullptr) == 0);
  REQUIRE(hipMemPoolGetAttribute(pool, used, &bytes) == 0);
  CHECK(bytes == 1500);
  CHECK(hipFreeAsync(first, nullptr) == 0);
  CHECK(hipFree(second) == 0);
  CHECK(hipFreeAsync(second, nullptr) == invalid_value);
  REQUIRE(hipMemPoolGetAttribute(pool, used, &bytes) == 0);
  CHECK(bytes == 0);
  REQUIRE(hipMemPoolGetAttribute(pool, high, &bytes) == 0);
  CHECK(bytes == 1500);
  bytes = UINT64_MAX;
  REQUIRE(hipMemPoolSetAttribute(pool, threshold, &bytes) == 0);
  bytes = 0;
  REQUIRE(hipMemPoolGetAttribute(pool, threshold, &bytes) == 0);
  CHECK(bytes == UINT64_MAX);
  CHECK(hipMemPoolGetAttribute(pool, 9, &bytes) == invalid_value);
  CHECK(hipMemPoolSetAttribute(pool, used, &bytes) == invalid_value);

  char properties[88] = {};
  REQUIRE(hipMemPoolCreate(&own, properties) == 0);
  REQUIRE(hipDeviceSetMemPool(0, own) == 0);
  REQUIRE(hipDeviceGetMemPool(&current, 0) == 0);
  CHECK(current == own);
  CHECK(hipMemPoolDestroy(own) == 0);
  REQUIRE(hipDeviceGetMemPool(&current, 0) == 0);
  CHECK(current == pool);
  CHECK(hipMallocFromPoolAsync(&first, 500, own, nullptr) == invalid_handle);
  CHECK(hipMemPoolDestroy(pool) == invalid_value);
  CHECK(hipDeviceGetMemPool(&current, 1) == invalid_device);
}

TEST_CASE("contexts are a stack") {
  void *primary = nullptr, *own = nullptr, *current = nullptr;
  REQUIRE(hipDevicePrimaryCtxRetain(&primary, 0) == 0);
  REQUIRE(hipCtxGetCurrent(&current) == 0);
  CHECK(current == primary);
  REQUIRE(hipCtxCreate(&own, 0, 0) == 0);
  REQUIRE(hipCtxGetCurrent(&current) == 0);
  CHECK(current == own);
  REQUIRE(hipCtxPushCurrent(primary) == 0);
  REQUIRE(hipCtxPopCurrent(&current) == 0);
  CHECK(current == primary);
  CHECK(hipCtxDestroy(own) == 0);
  REQUIRE(hipCtxGetCurrent(&current) == 0);
  CHECK(current == primary);
  CHECK(hipCtxSetCurrent(own) == invalid_context);
  CHECK(hipCtxDestroy(primary) == invalid_context);
  CHECK(hipCtxSetCurrent(primary) == 0);
  CHECK(hipCtxCreate(&own, 0, 1) == invalid_device);
}

TEST_CASE("one device has a name and no peers") {
  char uuid[16] = {};
  REQUIRE(hipDeviceGetUuid(uuid, 0) == 0);
  CHECK(std::string(uuid, sizeof uuid) == "fmha950-embedded");
  int can = 1;
  REQUIRE(hipDeviceCanAccessPeer(&can, 0, 0) == 0);
  CHECK(can == 0);
  CHECK(hipDeviceEnablePeerAccess(0, 0) == invalid_device);
  const DeviceArray<int> from(4), to(4);
  REQUIRE(hipMemset(from.get(), 1, 16) == 0);
  CHECK(hipMemcpyPeer(to.get(), 0, from.get(), 0, 16) == 0);
  CHECK(to.values()[3] == 0x01010101);
  CHECK(hipMemcpyPeer(to.get(), 1, from.get(), 0, 16) == invalid_device);
  void* pinned = nullptr;
  REQUIRE(hipExtHostAlloc(&pinned, 64, 0) == 0);
  CHECK(hipHostFree(pinned) == 0);
}
