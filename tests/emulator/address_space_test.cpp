// Device memory: sparse, byte-exact, fenced, and a fault instead of a crash.
#include "emulator/memory/address_space.hpp"
#include "emulator/memory/fault.hpp"

#include "tests/support/catch.hpp"
#include <cstring>
#include <fstream>
#include <string>
#include <unistd.h>

using namespace fmha950::machine;

namespace {
uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }
size_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  size_t total = 0, resident = 0;
  statm >> total >> resident;
  return resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}
} // namespace

TEST_CASE("address space: an allocation is found over exactly its bytes") {
  AddressSpace space;
  auto* memory = static_cast<char*>(space.allocate(1001));
  REQUIRE(memory);
  CHECK(address_of(memory) % 256 == 0);
  for (int i = 0; i < 1001; ++i) REQUIRE(memory[i] == 0);
  const Extent extent = space.find(address_of(memory) + 1000);
  CHECK(extent.begin == address_of(memory));
  CHECK(extent.end == address_of(memory) + 1001);
  CHECK(space.find(address_of(memory) + 1001).end == 0);
  CHECK(space.find(address_of(memory) - 1).end == 0);
  CHECK(extent.contains(extent.begin, 1001));
  CHECK_FALSE(extent.contains(extent.begin, 1002));
  CHECK_FALSE(extent.contains(extent.begin + 1000, 2));
  CHECK_FALSE(extent.contains(extent.begin, ~uint64_t{0}));
  CHECK(space.used() == 1001);
  CHECK_FALSE(space.release(memory + 1));
  CHECK(space.release(memory));
  CHECK_FALSE(space.release(memory));
  CHECK(space.used() == 0);
  CHECK(space.find(extent.begin).end == 0);
}

TEST_CASE("address space: a 10 GB pool costs what is touched") {
  AddressSpace space;
  const size_t bytes = size_t{10} << 30, before = resident_bytes();
  auto* pool = static_cast<char*>(space.allocate(bytes));
  REQUIRE(pool);
  pool[0] = pool[(size_t{1} << 31) - 1] = pool[size_t{1} << 32] = pool[bytes - 1] = 1;
  CHECK(resident_bytes() - before < (size_t{8} << 20));
  CHECK(space.release(pool));
}

TEST_CASE("address space: beyond the device's memory there is no more") {
  AddressSpace space;
  void* most = space.allocate(device_memory_bytes - 100);
  REQUIRE(most);
  CHECK(space.allocate(101) == nullptr);
  void* rest = space.allocate(100);
  CHECK(rest != nullptr);
  CHECK(space.allocate(1) == nullptr);
  CHECK(space.release(most));
  CHECK(space.allocate(101) != nullptr);
  CHECK(space.allocate(0) == nullptr);
  CHECK(space.allocate(~size_t{0}) == nullptr);
}

TEST_CASE("address space: coherent memory has a range of its own") {
  AddressSpace space;
  auto* const shared = static_cast<char*>(space.allocate_coherent(5000));
  auto* const plain = static_cast<char*>(space.allocate(5000));
  REQUIRE((shared && plain));
  shared[4999] = 1;
  CHECK(space.is_coherent(address_of(shared)));
  CHECK(space.is_coherent(address_of(shared + 4999)));
  CHECK_FALSE(space.is_coherent(address_of(plain)));
  CHECK_FALSE(space.is_coherent(address_of(&space)));
  CHECK_FALSE(AddressSpace::device().is_coherent(address_of(shared))); // another space's
  CHECK(space.find(address_of(shared) + 4999).end == address_of(shared) + 5000);
  CHECK(space.used() == 10000);
  CHECK(space.release(shared));
  CHECK(space.find(address_of(shared)).end == 0);
  CHECK(space.allocate_coherent(4ull * device_memory_bytes) == nullptr);
  void* const again = space.allocate_coherent(5000);
  CHECK((again && again != shared)); // the address of freed memory is not given out again
}

TEST_CASE("address space: registered host memory belongs to it but does not count") {
  AddressSpace space;
  char host[64];
  space.register_host(host, sizeof host);
  CHECK(space.find(address_of(host) + 63).begin == address_of(host));
  CHECK(space.used() == 0);
  CHECK(space.release(host));
  CHECK(space.find(address_of(host)).end == 0);
}

TEST_CASE("address check: a stray access names itself and its neighbour") {
  AddressSpace& device = AddressSpace::device();
  void* memory = device.allocate(64);
  const uint64_t begin = address_of(memory);
  AddressCheck check;
  check.require(begin, 64, true);
  check.require(begin + 63, 1, false);
  CHECK(check.covers(begin, begin + 64));
  CHECK_FALSE(check.covers(begin, begin + 65));
  CHECK_THROWS_WITH(check.require(begin + 60, 8, true),
                    Catch::Contains("write of 8 bytes") &&
                        Catch::Contains("4 bytes before the end of allocation") &&
                        Catch::Contains("of 64 bytes"));
  CHECK_THROWS_WITH(check.require(begin + 66, 4, false),
                    Catch::Contains("read of 4 bytes") && Catch::Contains("2 bytes past the end"));
  CHECK_THROWS_WITH(check.require(begin - 16, 4, false), Catch::Contains("16 bytes before allocation"));
  check.require(begin, 64, true); // still good after refusals
  device.release(memory);
}

TEST_CASE("address check: many allocations in turn") {
  AddressSpace& device = AddressSpace::device();
  std::vector<void*> all;
  for (int i = 0; i < 20; ++i) all.push_back(device.allocate(128));
  AddressCheck check;
  for (int round = 0; round < 3; ++round)
    for (void* memory : all) {
      check.require(address_of(memory), 128, false);
      CHECK_THROWS_AS(check.require(address_of(memory), 129, false), Fault);
    }
  for (void* memory : all) device.release(memory);
}
