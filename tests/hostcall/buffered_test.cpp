// Buffered printf, as clang makes it.
#include "tests/hostcall/device.hpp"
#include "tests/support/schedules.hpp"

#include <algorithm>

namespace {

constexpr int printf_fifo_size = 1;

std::string print(const HostcallModule& module, std::vector<int>& returned) {
  DeviceWords<int> out(64);
  DeviceWords<char> form(64);
  REQUIRE(hipMemcpy(form.get(), "also %x\n", 9, 1) == 0);
  const std::string text =
      written_to(1, [&] { REQUIRE(module.launch("prints_buffered", 1, 64, out.get(), form.get()) == 0); });
  returned = out.values();
  return text;
}

} // namespace

TEST_CASE("buffered printf: every record is printed when the launch is over") {
  const HostcallModule module("buffered");
  std::vector<int> returned;
  for (const char* schedule : fmha950::test::memory_orders) {
    INFO(schedule);
    REQUIRE(fmha950SetOption("schedule", schedule) == 0);
    REQUIRE(fmha950SetOption("check", "all") == 0);
    REQUIRE(fmha950ClearHazards() == 0);
    const std::string text = print(module, returned);
    for (const char* line : {"item 0, the first, 0.0%\n", "item 16, not the first, 4.0%\n",
                             "item 48, not the first, 12.0%\n", "also 0\n", "also 30\n"})
      CHECK_THAT(text, Catch::Contains(line));
    CHECK(std::count(text.begin(), text.end(), '\n') == 8);
    CHECK(returned[48] == 0);
    CHECK(std::string(fmha950Hazards("text")).empty());
  }
}

TEST_CASE("buffered printf: what does not fit is lost, and printf says so") {
  const HostcallModule module("buffered");
  size_t before = 0;
  REQUIRE(hipDeviceGetLimit(&before, printf_fifo_size) == 0);
  REQUIRE(hipDeviceSetLimit(printf_fifo_size, 100) == 0);
  std::vector<int> returned;
  const std::string text = print(module, returned);
  CHECK(std::count(text.begin(), text.end(), '\n') < 8);
  CHECK((returned[0] < 0 || returned[16] < 0 || returned[32] < 0 || returned[48] < 0));
  REQUIRE(hipDeviceSetLimit(printf_fifo_size, before) == 0);
}
