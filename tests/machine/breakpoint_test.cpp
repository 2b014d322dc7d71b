// Breakpoints: their places, what they print, how often, and that a launch does not notice them.
#include "emulator/loader/code_object.hpp"
#include "emulator/memory/address_space.hpp"
#include "emulator/observe/breakpoint/breakpoint.hpp"
#include "emulator/observe/listeners.hpp"
#include "interface/hip.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <cstring>

using namespace fmha950;
using observe::BreakPlace;
using observe::Breakpoint;

namespace {

BreakPlace place(const std::string& text) {
  BreakPlace parsed;
  std::string error;
  INFO(error);
  REQUIRE(observe::parse_break(text, parsed, error));
  return parsed;
}

// What the kernel `guarded` prints at a place, one text per stop.
struct Stops {
  explicit Stops(const std::string& where, bool others = false)
      : object(hip::code_object("machine_mutation_kernels")) {
    auto& space = machine::AddressSpace::device();
    auto* out = static_cast<uint32_t*>(space.allocate(4096));
    void* kernarg = space.allocate(64);
    std::memcpy(kernarg, &out, sizeof out);
    machine::Launch launch;
    launch.kernel = object.find_kernel("guarded");
    launch.kernarg = reinterpret_cast<uint64_t>(kernarg);
    launch.block[0] = 128;
    launch.grid[0] = 12;
    launch.options.threads = 1;
    Breakpoint breakpoint(launch, place(where), [&](const std::string& text) { texts.push_back(text); });
    found = breakpoint.somewhere();
    observe::Listeners listeners;
    listeners.add(breakpoint);
    Breakpoint second(launch, place("guarded+0x0"), [&](const std::string&) { ++entries; });
    if (others) listeners.add(second);
    launch.listener = listeners.get();
    machine::run(launch);
    result.assign(out, out + 1024);
    space.release(out);
    space.release(kernarg);
  }
  loader::CodeObject object;
  std::vector<std::string> texts;
  std::vector<uint32_t> result;
  int entries = 0;
  bool found = false;
};

} // namespace

TEST_CASE("breakpoint: places as text") {
  CHECK(place("a/b.hip:12").file == "a/b.hip");
  CHECK(place("a/b.hip:12").line == 12);
  CHECK(place("kernel+0x1f0").kernel == "kernel");
  CHECK(place("kernel+0x1f0").offset == 0x1f0);
  CHECK(place("b.hip:1,0x40+32").lds_begin == 0x40);
  CHECK(place("b.hip:1,0x40+32").lds_bytes == 32);
  for (const char* text :
       {"", "file", "file:", "file:0", ":3", "file:3x", "file:3,", "file:3,4", "kernel+0x"}) {
    BreakPlace untouched;
    std::string error;
    CAPTURE(text);
    CHECK_FALSE(observe::parse_break(text, untouched, error));
    CHECK(error.starts_with("must be FILE:LINE or KERNEL+0xOFFSET"));
  }
}

TEST_CASE("breakpoint: each wave stops once at the entry, at most 16 of a launch") {
  const Stops stops("guarded+0x0");
  REQUIRE(stops.texts.size() == 16); // of 24 waves
  const std::string& second = stops.texts[1];
  INFO(second);
  CHECK(second.find("kernel guarded, workgroup (0, 0, 0), wave 1, instruction number 1\n") !=
        std::string::npos);
  CHECK(second.find("exec   ffffffffffffffff") != std::string::npos);
  CHECK(second.find("in flight: vmcnt 0, lgkmcnt 0") != std::string::npos);
  CHECK(second.find("v0     00000040 + 0x1 * lane\n") != std::string::npos); // work-items 64 to 127
  CHECK(second.find("v1 ") == std::string::npos);                            // stale
  CHECK(stops.texts[0].find("  lds ") == std::string::npos);                 // nobody has written any
}

TEST_CASE("breakpoint: a source line, LDS as it is there, and the launch goes on unchanged") {
  const Stops with("mutation_kernels.hip:27,0+32"), without("elsewhere.hip:27");
  CHECK_FALSE(without.found);
  CHECK(without.texts.empty());
  CHECK(with.result == without.result);
  REQUIRE(with.found);
  REQUIRE_FALSE(with.texts.empty());
  const std::string& first = with.texts.front();
  INFO(first);
  CHECK(first.find("mutation_kernels.hip:27\n") != std::string::npos);
  CHECK(first.find("  lds 0x00000 01 00 00 00 02 00 00 00 03 00 00 00") != std::string::npos);
  CHECK(first.find("  lds 0x00020") == std::string::npos);
}

TEST_CASE("several listeners are all told") {
  const Stops stops("guarded+0x0", true);
  CHECK(stops.texts.size() == 16);
  CHECK(stops.entries == 16);
}
