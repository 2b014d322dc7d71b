#include "emulator/observe/order/order_checks.hpp"

#include "emulator/machine/workgroup.hpp"

namespace fmha950::observe {

void OrderChecks::start(const machine::Workgroup& group) {
  clocks_.start(group.linear_id, group.waves.size());
  lds_.start(group);
  memory_.start(group);
}

} // namespace fmha950::observe
