// Kernels that call the host, under every schedule and with all hazard checks on.
#include "tests/hostcall/device.hpp"
#include "tests/support/schedules.hpp"

#include <algorithm>

namespace {

std::string expected_line(int item) {
  char line[128];
  std::snprintf(line, sizeof line,
                "item %3d of a string of some length, in two pieces and a bit more has %5.2f\n", item,
                item * 0.5);
  return line;
}

std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    lines.push_back(text.substr(begin, end + 1 - begin));
    begin = end + 1;
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

void under(const std::string& schedule) {
  REQUIRE(fmha950SetOption("schedule", schedule.c_str()) == 0);
  REQUIRE(fmha950SetOption("check", "all") == 0);
  REQUIRE(fmha950ClearHazards() == 0);
}

void host_function(uint64_t* output, const uint64_t* input) { output[0] = input[0] + input[1]; }

} // namespace

TEST_CASE("hostcall: printf prints what each lane says") {
  const HostcallModule module(GENERATE("v5", "v6"));
  for (const std::string schedule : fmha950::test::schedules) {
    INFO(schedule);
    under(schedule);
    DeviceWords<long> returned(3 * 128);
    const std::string text =
        written_to(1, [&] { REQUIRE(module.launch("prints", 3, 128, returned.get()) == 0); });
    std::vector<std::string> expected;
    for (int item = 0; item < 3 * 128; item += 3) {
      expected.push_back(expected_line(item));
      CHECK(returned.values()[static_cast<size_t>(item)] == static_cast<long>(expected.back().size()));
    }
    std::sort(expected.begin(), expected.end());
    CHECK(sorted_lines(text) == expected);
    CHECK(std::string(fmha950Hazards("text")).empty());
  }
}

TEST_CASE("hostcall: the lines of a wave come in order, between what the program prints") {
  const HostcallModule module;
  DeviceWords<long> returned(64);
  const std::string text = written_to(1, [&] {
    std::printf("before\n");
    REQUIRE(module.launch("prints", 1, 64, returned.get()) == 0);
    std::printf("behind\n");
  });
  std::string expected = "before\n";
  for (int item = 0; item < 64; item += 3) expected += expected_line(item);
  CHECK(text == expected + "behind\n");
}

TEST_CASE("hostcall: a malformed format is a note, and printf returns -1") {
  const HostcallModule module;
  DeviceWords<long> returned(1);
  const std::string text =
      written_to(2, [&] { REQUIRE(module.launch("prints_malformed", 1, 1, returned.get()) == 0); });
  CHECK_THAT(text, Catch::Contains("note: printf in kernel prints_malformed: %n is refused"));
  CHECK(returned.values()[0] == -1);
}

TEST_CASE(
    "hostcall: the host looks at an interrupt and at a sleep, and a wave that does neither waits for ever") {
  const HostcallModule module;
  for (const std::string schedule : fmha950::test::schedules) {
    INFO(schedule);
    under(schedule);
    DeviceWords<uint64_t> out(64);
    CHECK(module.launch("asks_by_interrupt", 1, 64, out.get()) == 0);
    CHECK(module.launch("asks_by_sleep", 1, 64, out.get()) == 0);
    CHECK(out.values() == std::vector<uint64_t>(64, 0));
  }
  DeviceWords<uint64_t> out(64);
  REQUIRE(fmha950SetOption("schedule", "eager") == 0);
  REQUIRE(fmha950SetOption("budget", "100000") == 0);
  CHECK(module.launch("asks_nobody", 1, 64, out.get()) != 0);
  CHECK_THAT(fmha950LastFault(), Catch::StartsWith("runaway wave"));
  fmha950SetOption("budget", "1073741824");
}

TEST_CASE("hostcall: what the host does not know is a fault with the kernel's name") {
  const HostcallModule module;
  DeviceWords<uint64_t> out(1);
  CHECK(module.launch("asks_unknown_service", 1, 1, out.get()) != 0);
  CHECK_THAT(fmha950LastFault(),
             Catch::StartsWith("hostcall: there is no service 9\n  kernel asks_unknown_service"));
  fmha950ClearFault();
  CHECK(module.launch("appends_to_nothing", 1, 1, out.get()) != 0);
  CHECK_THAT(fmha950LastFault(), Catch::StartsWith("printf: a piece of message 77"));
  fmha950ClearFault();
  CHECK(module.launch("calls_function", 1, 64, uint64_t{4096}, out.get()) != 0);
  CHECK_THAT(fmha950LastFault(), Catch::StartsWith("hostcall: 0x1000 is no function of the host"));
}

TEST_CASE("hostcall: a kernel calls a function of the host") {
  const HostcallModule module;
  DeviceWords<uint64_t> out(1);
  REQUIRE(module.launch("calls_function", 1, 64, reinterpret_cast<uint64_t>(&host_function), out.get()) == 0);
  CHECK(out.values()[0] == 42);
}

TEST_CASE("hostcall: an assertion prints its line, and the fault names it, kernel, workgroup and source") {
  const HostcallModule module;
  for (const std::string schedule : fmha950::test::schedules) {
    INFO(schedule);
    under(schedule);
    const std::string text = written_to(2, [&] { CHECK(module.launch("asserts", 4, 64, 2u, 5u) != 0); });
    const std::string fault = fmha950LastFault();
    const std::string line = fault.substr(0, fault.find('\n'));
    CHECK_THAT(line, Catch::StartsWith("kernels.hip:") &&
                         Catch::EndsWith(": Device-side assertion `item() != item_that_fails' failed."));
    CHECK_THAT(text, Catch::StartsWith(line + "\n"));
    CHECK_THAT(fault,
               Catch::Contains("s_trap 2") && Catch::Contains("kernel asserts, workgroup (2, 0, 0), wave 0"));
    fmha950ClearFault();
    CHECK(module.launch("asserts", 4, 64, 4u, 5u) == 0); // nobody fails
  }
  CHECK(module.launch("aborts", 1, 64) != 0);
  CHECK_THAT(fmha950LastFault(),
             Catch::StartsWith("s_trap 2: the kernel called __builtin_trap, assert or abort"));
}
