#include "harness/cure/need.hpp"

namespace fmha950::harness::cure {

std::optional<Need> need_of(const HazardReport& report) {
  const Lacks& lacks = report.lacks;
  if (report.earlier.empty() || report.later.empty()) return {};
  if (lacks.states > 0) return Need{Need::Kind::states, false, false, lacks.states};
  if (lacks.barrier) return Need{Need::Kind::barrier, true, true, 0};
  if (!lacks.vmcnt && !lacks.lgkmcnt) return {};
  Need need{Need::Kind::wait, lacks.vmcnt, lacks.lgkmcnt, 0};
  if (lacks.before_barrier) need.kind = Need::Kind::wait_before_barrier;
  if (lacks.before_flag) need.kind = Need::Kind::wait_before_flag;
  return need;
}

} // namespace fmha950::harness::cure
