#include "emulator/observe/order/order_checks.hpp"

#include "emulator/machine/launch.hpp"
#include "emulator/machine/workgroup.hpp"

namespace fmha950::observe {

void OrderChecks::start(const machine::Workgroup& workgroup) {
  clocks_.start(workgroup.linear_id, workgroup.waves.size(),
                workgroup.launch && workgroup.launch->options.doubts_meetings);
  visibility_.start();
  waits_pass_later_ =
      workgroup.launch && workgroup.launch->options.schedule.memory == machine::MemoryOrder::timed;
  waits_.fill({});
  lds_.start(workgroup);
  memory_.start(workgroup);
}

void OrderChecks::cache(int wave, isa::CacheControl control, const Completion& completion) {
  settle(wave);
  switch (control) {
  case isa::CacheControl::none: break;
  case isa::CacheControl::write_back: return visibility_.write_back(wave, completion);
  case isa::CacheControl::invalidate: return visibility_.invalidate(wave);
  case isa::CacheControl::invalidate_scalar: return visibility_.invalidate_scalar(wave, completion);
  }
}

} // namespace fmha950::observe
