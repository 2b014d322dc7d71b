#include "emulator/observe/order/order_checks.hpp"

#include "emulator/machine/workgroup.hpp"

namespace fmha950::observe {

void OrderChecks::start(const machine::Workgroup& workgroup) {
  clocks_.start(workgroup.linear_id, workgroup.waves.size());
  lds_.start(workgroup);
  memory_.start(workgroup);
}

} // namespace fmha950::observe
