#include "emulator/static_check/proved_absent.hpp"

#include "emulator/observe/report/hazard.hpp"
#include "emulator/static_check/hazards.hpp"

#include <algorithm>
#include <mutex>

namespace fmha950::static_check {
namespace {

using observe::HazardClass;

uint32_t judge(const Code& code) {
  if (code.leaves()) return 0;
  const std::vector<Finding> findings = find_hazards(code);
  uint32_t absent = 0;
  for (const HazardClass type : {HazardClass::register_in_flight, HazardClass::wait_states})
    if (std::ranges::find(findings, observe::name_of(type), &Finding::kind) == findings.end())
      absent |= 1u << static_cast<int>(type);
  return absent;
}

} // namespace

uint32_t proved_absent(const loader::Kernel& kernel) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  try {
    std::shared_ptr<const void>& proved = decoded(kernel).proved;
    if (!proved) proved = std::make_shared<uint32_t>(judge(Code(kernel)));
    return *static_cast<const uint32_t*>(proved.get());
  } catch (const loader::LoadError&) {
    return 0; // the launch itself says why
  }
}

} // namespace fmha950::static_check
