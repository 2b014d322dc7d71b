// Device memory that the host touches in place: fmha950HostRead and fmha950HostWrote.
#include "tests/hip/fixture.hpp"

namespace {

class Uninitialised { // as FMHA950_CHECK=uninitialised
 public:
  Uninitialised() {
    REQUIRE(fmha950SetOption("check", "uninitialised") == 0);
    REQUIRE(fmha950ClearHazards() == 0);
  }
  ~Uninitialised() {
    fmha950ClearHazards();
    fmha950SetOption("check", "none");
  }
};

std::string hazards() { return fmha950Hazards("text"); }

} // namespace

TEST_CASE("the host reads what nobody wrote") {
  const Uninitialised check;
  void* pointer = nullptr;
  REQUIRE(hipMalloc(&pointer, 8192) == 0);
  auto* bytes = static_cast<char*>(pointer);
  bytes[100] = 1;
  REQUIRE(fmha950HostWrote(bytes + 100, 16) == 0);
  REQUIRE(fmha950HostRead(bytes + 100, 16) == 0);
  CHECK(hazards() == "");
  REQUIRE(fmha950HostRead(bytes + 100, 20) == 0);
  CHECK_THAT(hazards(),
             Catch::Contains("the host reads 4 bytes at offset 116 of an allocation of 8192 that neither"));
  SECTION("with the check off nothing is said") {
    REQUIRE(fmha950ClearHazards() == 0);
    REQUIRE(fmha950SetOption("check", "none") == 0);
    REQUIRE(fmha950HostRead(bytes + 4000, 20) == 0);
    CHECK(hazards() == "");
  }
  hipFree(pointer);
}

TEST_CASE("pieces that the host reads are one reading") {
  const Uninitialised check;
  void* pointer = nullptr;
  REQUIRE(hipMalloc(&pointer, 400) == 0);
  auto* bytes = static_cast<char*>(pointer);
  const void* const pieces[] = {bytes, bytes + 100, bytes + 200, bytes + 300};
  REQUIRE(fmha950HostWrote(bytes, 150) == 0);
  REQUIRE(fmha950HostReadPieces(pieces, 2, 50) == 0);
  CHECK(hazards() == "");
  REQUIRE(fmha950HostReadPieces(pieces, 4, 60) == 0);
  CHECK_THAT(hazards(), Catch::Contains(
                            "the host reads 10 bytes at offset 150 of an allocation of 400 that neither the "
                            "host nor a kernel wrote, as are parts of 2 more of the 4 pieces that it reads"));
  CHECK(fmha950HostReadPieces(pieces, 4, 101) == invalid_value);
  CHECK(fmha950HostReadPieces(nullptr, 1, 1) == invalid_value);
  hipFree(pointer);
}

TEST_CASE("pieces that the host wrote are written, and what lies between them is not") {
  const Uninitialised check;
  void* pointer = nullptr;
  REQUIRE(hipMalloc(&pointer, 400) == 0);
  auto* bytes = static_cast<char*>(pointer);
  const void* const pieces[] = {bytes + 100, bytes + 8};
  REQUIRE(fmha950HostWrotePieces(pieces, 2, 4) == 0);
  REQUIRE(fmha950HostRead(bytes + 100, 4) == 0);
  REQUIRE(fmha950HostRead(bytes + 8, 4) == 0);
  CHECK(hazards() == "");
  REQUIRE(fmha950HostRead(bytes + 8, 96) == 0);
  CHECK_THAT(hazards(), Catch::Contains("the host reads 88 bytes at offset 12 of an allocation of 400"));
  CHECK(fmha950HostWrotePieces(pieces, 2, 301) == invalid_value);
  CHECK(fmha950HostWrotePieces(nullptr, 1, 1) == invalid_value);
  hipFree(pointer);
}

TEST_CASE("the host's access waits for the streams") {
  const Module module;
  const DeviceArray<int> array(64);
  int reached = 0;
  void* stream = nullptr;
  REQUIRE(hipStreamCreateWithFlags(&stream, 1) == 0); // waits for no other stream, nor they for it
  REQUIRE(hipStreamAddCallback(
              stream, [](void*, int, void* to) { *static_cast<int*>(to) = 1; }, &reached, 0) == 0);
  SECTION("that reads") { REQUIRE(fmha950HostRead(array.get(), 4) == 0); }
  SECTION("that wrote") { REQUIRE(fmha950HostWrote(array.get(), 4) == 0); }
  SECTION("that wrote pieces") {
    const void* const piece = array.get();
    REQUIRE(fmha950HostWrotePieces(&piece, 1, 4) == 0);
  }
  SECTION("of no bytes") { REQUIRE(fmha950HostRead(nullptr, 0) == 0); }
  CHECK(reached == 1);
  REQUIRE(hipStreamDestroy(stream) == 0);
}

TEST_CASE("the host's access must lie within an allocation") {
  const DeviceArray<int> array(16);
  const int host = 0;
  CHECK(fmha950HostRead(array.get(), 65) == invalid_value);
  CHECK_THAT(detail(), Catch::EndsWith("65 bytes reach 1 bytes past the allocation"));
  CHECK(fmha950HostWrote(&host, 4) == invalid_value);
  CHECK_THAT(detail(), Catch::EndsWith("not device memory"));
}
