#include "emulator/static_check/proved_absent.hpp"

#include "emulator/observe/report/hazard.hpp"
#include "emulator/static_check/hazards.hpp"
#include "numerics/target.hpp"

#include <algorithm>
#include <mutex>

namespace fmha950::static_check {
namespace {

using observe::HazardClass;

// Classes of which the code has no finding: on all paths of its flow, and on those that whole waves can take.
struct Absent {
  uint32_t on_all_paths = 0, on_possible_paths = 0;
};

uint32_t without_finding(const Code& code, Paths paths) {
  const std::vector<Finding> findings = find_hazards(code, code.steps(), paths);
  uint32_t absent = 0;
  for (const HazardClass type : {HazardClass::register_in_flight, HazardClass::wait_states})
    if (std::ranges::find(findings, observe::name_of(type), &Finding::kind) == findings.end())
      absent |= 1u << static_cast<int>(type);
  return absent;
}

Absent judge(const Code& code) {
  if (code.leaves()) return {};
  const uint32_t on_all = without_finding(code, Paths::all);
  // Wait states count on all paths; what is nowhere in flight is on no possible path either.
  if (observe::includes(on_all, HazardClass::register_in_flight)) return {on_all, on_all};
  return {on_all, without_finding(code, Paths::possible)};
}

} // namespace

uint32_t proved_absent(const loader::Kernel& kernel, const uint32_t (&block)[3]) {
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  try {
    std::shared_ptr<const void>& proved = decoded(kernel).proved;
    if (!proved) proved = std::make_shared<Absent>(judge(Code(kernel)));
    const auto& absent = *static_cast<const Absent*>(proved.get());
    const bool whole_waves = block[0] % target.wave_lanes == 0 && block[1] == 1 && block[2] == 1;
    return whole_waves ? absent.on_possible_paths : absent.on_all_paths;
  } catch (const loader::LoadError&) {
    return 0; // the launch itself says why
  }
}

} // namespace fmha950::static_check
