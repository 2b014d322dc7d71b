// Which bytes of memory a swizzled access touches, where its dwords lie apart: by the definition, byte by byte.
#include "emulator/observe/operation/memory_operation.hpp"

#include "tests/support/catch.hpp"

#include <map>
#include <random>

using namespace fmha950;

TEST_CASE("memory pieces: bytes of a swizzled access, at any address") {
  std::mt19937_64 random(2);
  for (int round = 0; round < 2000; ++round) {
    const uint32_t bytes = std::array{1u, 2u, 4u, 8u, 12u, 16u}[random() % 6];
    machine::Access access;
    access.dword_stride = 256;
    access.lanes = access.valid = access.swizzled = random() | 1;
    bool across = false;
    for (uint64_t lane = 0; lane < 64; ++lane) {
      access.address[lane] = 0x10000 + random() % 64 * 256 + lane * 4 + (round % 2 ? random() % 4 : 0);
      across |= (access.lanes >> lane & 1) && access.address[lane] % 4 + std::min(bytes, 4u) > 4;
    }
    access.irregular = across;
    const observe::MemoryOperation operation{.kind = observe::MemoryOperation::Kind::store,
                                             .bytes = static_cast<uint8_t>(bytes)};
    std::map<std::pair<int, uint32_t>, uint64_t> expected, found; // of a lane's byte: its address
    for (int lane = 0; lane < 64; ++lane)
      for (uint32_t b = 0; b < bytes && (access.lanes >> lane & 1); ++b) {
        const uint64_t address = access.address[lane], in_dwords = address % 4 + b;
        expected[{lane, b}] = address / 4 * 4 + in_dwords / 4 * 256 + in_dwords % 4;
      }
    observe::for_each_memory_piece(operation, access,
                                   [&](int lane, uint32_t b, uint64_t begin, uint32_t count) {
                                     for (uint32_t i = 0; i < count; ++i) found[{lane, b + i}] = begin + i;
                                   });
    CAPTURE(round, bytes);
    CHECK(found == expected);
  }
}
