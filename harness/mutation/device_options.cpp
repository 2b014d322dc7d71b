#include "harness/mutation/device_options.hpp"

#include "harness/device/device_option.hpp"
#include "interface/hip.hpp"

namespace fmha950::harness {

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
