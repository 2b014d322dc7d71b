// What would order a pair, read from the words of the checks.
#include "emulator/observe/report/missing_order.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950::observe;

TEST_CASE("missing order: waits, what they come before, barriers and wait states") {
  const auto in_registers = missing_order(HazardClass::register_in_flight, "s_waitcnt vmcnt(0) lgkmcnt(0)");
  CHECK(in_registers.vmcnt);
  CHECK(in_registers.lgkmcnt);
  CHECK(in_registers.before == MissingOrder::Before::later);
  const auto before_barrier =
      missing_order(HazardClass::lds_order, "s_waitcnt lgkmcnt(2) before the barrier");
  CHECK_FALSE(before_barrier.vmcnt);
  CHECK(before_barrier.lgkmcnt);
  CHECK(before_barrier.before == MissingOrder::Before::barrier);
  CHECK_FALSE(before_barrier.barrier); // there is one
  const auto before_atomic = missing_order(
      HazardClass::memory_order, "s_waitcnt vmcnt(0) before the atomic that tells the other workgroup");
  CHECK(before_atomic.before == MissingOrder::Before::atomic);
  CHECK(missing_order(HazardClass::lds_order, "a barrier").barrier);
  CHECK(missing_order(HazardClass::wait_states, "s_nop 15, s_nop 3").states == 20);
  CHECK(missing_order(HazardClass::wait_states, "s_nop 0").states == 1);
}

TEST_CASE("missing order: values, places, caches and other workgroups are no matter of it") {
  CHECK_FALSE(missing_order(HazardClass::register_in_flight, "").is_any());
  CHECK_FALSE(
      missing_order(HazardClass::visibility, "buffer_wbl2 sc1 and s_waitcnt vmcnt(0) before the flag is set")
          .is_any());
  CHECK_FALSE(missing_order(HazardClass::memory_order,
                            "an order between workgroups: an atomic, or launches of their own")
                  .is_any());
  CHECK_FALSE(
      missing_order(HazardClass::errata, "num_records of at most what the allocation holds").is_any());
  CHECK_FALSE(missing_order(HazardClass::barrier_divergence, "an s_barrier on the way of the wave that ended")
                  .is_any());
}
