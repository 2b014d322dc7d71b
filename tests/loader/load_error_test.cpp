// Every way in which bytes are no code object for this device, with the exact text.
#include "emulator/loader/bundle.hpp"
#include "emulator/loader/code_object.hpp"
#include "emulator/machine/schedule.hpp"
#include "emulator/memory/address_space.hpp"
#include "tests/loader/code_object_file.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <cstring>
#include <string_view>

using namespace fmha950;
using Bytes = std::vector<std::byte>;

namespace {

std::string error_of(const Bytes& bytes) {
  try {
    const loader::CodeObject object(loader::select_code_object(bytes.data(), bytes.size()));
    // Line tables are read late and may be corrupt too.
    for (const loader::Kernel& kernel : object.kernels()) object.source_line(kernel.entry);
  } catch (const loader::LoadError& error) {
    return error.what();
  }
  return "";
}

template <class T> Bytes patched(Bytes bytes, size_t offset, T value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
  return bytes;
}

// Replaces text inside the file by text of the same length.
Bytes replaced(Bytes bytes, std::string_view from, std::string_view to, int occurrences) {
  auto* text = reinterpret_cast<char*>(bytes.data());
  for (int i = 0; i < occurrences; ++i) {
    auto* found = std::search(text, text + bytes.size(), from.begin(), from.end());
    REQUIRE(found != text + bytes.size());
    std::copy(to.begin(), to.end(), found);
  }
  return bytes;
}

Bytes text_bytes(std::string_view text) {
  Bytes bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

} // namespace

TEST_CASE("bytes that are no code object") {
  const Bytes good = read_code_object("v6");
  REQUIRE(error_of(good).empty());
  CHECK(error_of({}) == "truncated code object: 0 bytes, an ELF header alone has 64");
  CHECK(error_of(text_bytes("#include <hip/hip_runtime.h>")) ==
        "not a code object: starts with bytes 23 69 6e 63, an ELF file starts with 7f 45 4c 46");
  CHECK(error_of(Bytes(good.begin(), good.begin() + 63)) ==
        "truncated code object: 63 bytes, an ELF header alone has 64");
  CHECK(error_of(patched(good, 4, uint8_t{1})) ==
        "ELF class 1 with byte order 1, a code object has class 2 (64 bit) and byte order 1 (little endian)");
  CHECK(error_of(patched(good, 18, uint16_t{62})) ==
        "ELF file is for machine 62, a code object is for 224 (AMDGPU)");
  CHECK(error_of(patched(good, 7, uint8_t{0})) == "ELF file has OS ABI 0, a code object has 64 (AMDGPU_HSA)");
  CHECK(error_of(patched(good, 16, uint16_t{1})) ==
        "ELF type 1 is not a linked code object (type 3, shared object)");
  CHECK(error_of(patched(good, 48, uint32_t{0x4f | 0x800})) ==
        "code object is for gfx950:sramecc-, the device is gfx950:sramecc+:xnack-: compile it with "
        "--offload-arch=gfx950");
}

TEST_CASE("code objects for something else") {
  CHECK(error_of(read_code_object("gfx942")) ==
        "code object is for gfx942, the device is gfx950: compile it with --offload-arch=gfx950");
  CHECK(error_of(read_code_object("xnack")) ==
        "code object is for gfx950:xnack+, the device is gfx950:sramecc+:xnack-: compile it with "
        "--offload-arch=gfx950");
  CHECK(error_of(read_code_object("v4")) ==
        "code object version 4, the device takes versions 5 and 6: compile it with -mcode-object-version=5");
  CHECK(error_of(read_code_object("unresolved")) ==
        "unresolved symbol defined_nowhere in code object: link it with what defines it");
}

TEST_CASE("bundles without what is needed") {
  CHECK(error_of(read_code_object("bundle_compressed")) ==
        "offload bundle is compressed (CCOB), the device reads uncompressed ones: compile with "
        "--no-offload-compress");
  CHECK(error_of(read_code_object("bundle_gfx942")) ==
        "offload bundle has no entry for gfx950, only: host-x86_64-unknown-linux-gnu-, "
        "hipv4-amdgcn-amd-amdhsa--gfx942; compile with --offload-arch=gfx950");
  const Bytes bundle = read_code_object("bundle");
  CHECK(error_of(Bytes(bundle.begin(), bundle.begin() + 40)) == "truncated offload bundle: 40 bytes");
  CHECK(error_of(patched(bundle, 24, uint64_t{1} << 60)) ==
        "corrupt offload bundle: 1152921504606846976 entries");
  CHECK(error_of(Bytes(bundle.begin(), bundle.end() - 64)) ==
        "truncated offload bundle: " + std::to_string(bundle.size() - 64) +
            " bytes, entry hipv4-amdgcn-amd-amdhsa--gfx950 ends at " + std::to_string(bundle.size()));
}

TEST_CASE("contradictions inside a code object") {
  const Bytes good = read_code_object("v6");
  // Both places that name the descriptor: the metadata keeps add.kd, the symbol tables lose it.
  const Bytes lost = replaced(good, std::string_view("\0add.kd\0", 8), std::string_view("\0abb.kd\0", 8), 2);
  CHECK(error_of(lost) == "kernel add: its descriptor add.kd is missing from the symbol table");
  CHECK(error_of(replaced(good, "AMDGPU", "AMDGPV", 1)) ==
        "code object has no metadata note (NT_AMDGPU_METADATA)");
  CHECK(error_of(replaced(good, ".symbol", ".cymbol", 1)) ==
        "corrupt code object: metadata /amdhsa.kernels[0]/.symbol is missing");
}

TEST_CASE("arguments past the end of the kernel argument segment are left out, as shipped objects need") {
  const Bytes good = read_code_object("v6");
  CHECK(loader::CodeObject(good).find_kernel("add")->arguments_left_out == 0);
  // .offset 20 of the char becomes 120 (MessagePack's one-byte positive integers).
  const loader::CodeObject past(
      replaced(good, std::string_view("\xA7.offset\x14", 9), std::string_view("\xA7.offset\x78", 9), 1));
  const loader::Kernel& kernel = *past.find_kernel("add");
  CHECK(kernel.arguments_left_out == 1);
  for (const loader::Argument& argument : kernel.arguments)
    CHECK(argument.offset + argument.size <= kernel.kernarg_bytes);
}

TEST_CASE("truncation at every 64-byte boundary is a LoadError") {
  const Bytes good = read_code_object("v6");
  for (size_t bytes = 64; bytes < good.size(); bytes += 64) {
    const std::string error = error_of(Bytes(good.begin(), good.begin() + static_cast<long>(bytes)));
    REQUIRE(error == "truncated code object: " + std::to_string(bytes) + " bytes, its headers describe " +
                         std::to_string(good.size()));
  }
}

TEST_CASE("random corruption never crashes and leaks no device memory") {
  const Bytes good = read_code_object("v6");
  const size_t used = machine::AddressSpace::device().used();
  machine::Random random(1);
  int refused = 0;
  for (int round = 0; round < 2000; ++round) {
    Bytes bad = good;
    // Mostly in the headers, tables and notes, where it matters.
    const auto reach = static_cast<uint32_t>(round % 4 == 3 ? bad.size() : 0x900);
    for (int i = 0; i < 4; ++i) bad[random.below(reach)] = static_cast<std::byte>(random.next());
    refused += !error_of(bad).empty();
  }
  CHECK(refused > 200);
  CHECK(machine::AddressSpace::device().used() == used);
}
