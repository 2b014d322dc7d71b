#include "emulator/observe/report/missing_order.hpp"

#include <charconv>

namespace fmha950::observe {
namespace {

// "s_nop 15, s_nop 3"
int states_in(std::string_view text) {
  constexpr std::string_view nop = "s_nop ";
  int states = 0;
  for (size_t at = text.find(nop); at != text.npos; at = text.find(nop, at + 1)) {
    int count = 0;
    std::from_chars(text.data() + at + nop.size(), text.data() + text.size(), count);
    states += count + 1;
  }
  return states;
}

} // namespace

MissingOrder missing_order(HazardClass type, std::string_view missing) {
  const auto says = [&](std::string_view what) { return missing.find(what) != missing.npos; };
  MissingOrder order;
  if (type == HazardClass::wait_states) order.states = states_in(missing);
  if (type != HazardClass::register_in_flight && type != HazardClass::lds_order &&
      type != HazardClass::memory_order)
    return order;
  order.vmcnt = says("vmcnt(");
  order.lgkmcnt = says("lgkmcnt(");
  order.barrier = says("a barrier");
  if (says(" before the barrier")) order.before = MissingOrder::Before::barrier;
  if (says(" before the atomic")) order.before = MissingOrder::Before::atomic;
  return order;
}

} // namespace fmha950::observe
