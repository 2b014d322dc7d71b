#include "harness/mutation/device_options.hpp"

#include "interface/hip.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

void set_option(const char* option, const std::string& value) {
  hip::check(hip::api().SetOption(option, value.c_str()), fmt::format("fmha950SetOption({})", option));
}

void set_judging_options(const std::string& budget) {
  set_option("check", "all");
  set_option("report", "/dev/null");
  set_option("threads", "1");
  set_option("mutant", "");
  set_option("budget", budget);
}

std::string clear_fault() {
  std::string fault = hip::api().LastFault();
  hip::check(hip::api().ClearFault(), "fmha950ClearFault");
  return fault;
}

} // namespace fmha950::harness
