// Which stores a load is sure to see past the caches: each rule with a case that must be reported and one that must
// not. The rules are those of the ISA guide's tables of BUFFER_WBL2 and BUFFER_INV and of LLVM's memory model of gfx942.
#include "tests/observe/memory_order_case.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::test;
using isa::CacheControl;

namespace {

struct VisibilityCase : MemoryOrderCase {
  static constexpr uint64_t flag = base + 8192;
  VisibilityCase() { hazards.checks = observe::all_checks; }

  TracedWorkgroup producer{checks, 2, 0}, consumer{other_checks, 2, 1};

  // What LLVM makes of a release and an acquire of scope "agent", with parts left out.
  void release(bool writes_back = true, bool waits = true, bool scope = true) {
    if (!waits) producer.wait_vmcnt(0, 0); // the store is complete, but no cache was written back since
    if (writes_back) producer.cache(0, CacheControl::write_back);
    if (waits) producer.wait_vmcnt(0, 0);
    producer.vm(0, Kind::store, one_lane(flag), !scope, scope);
  }
  void acquire(bool invalidates = true, bool scope = true) {
    consumer.vm(0, Kind::load, one_lane(flag), !scope, scope);
    consumer.wait_vmcnt(0, 0);
    if (invalidates) consumer.cache(0, CacheControl::invalidate);
  }
  const observe::Hazard& only_hazard() const {
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].type == observe::HazardClass::visibility);
    return hazards.all[0];
  }
  void check_clean() const { CHECK(hazards.all.empty()); }
};

const char* const no_write_back = "buffer_wbl2 sc1 and s_waitcnt vmcnt(0) before the flag is set";
const char* const no_invalidation = "buffer_inv sc1 after the flag is seen";

} // namespace

TEST_CASE_METHOD(VisibilityCase, "A flag makes data visible that was written back, past caches invalidated",
                 "[visibility]") {
  const uint64_t store = producer.store(0, row_at(0));
  SECTION("both") {
    release();
    acquire();
    consumer.load(0, row_at(0));
    check_clean();
  }
  SECTION("not written back") {
    release(false);
    acquire();
    const uint64_t load = consumer.load(0, row_at(512));
    const observe::Hazard& hazard = only_hazard();
    CHECK(hazard.missing == no_write_back);
    CHECK(hazard.what ==
          "test_instruction may read old values from a cache, not the bytes that test_instruction wrote");
    CHECK(hazard.earlier.address == store);
    CHECK(hazard.earlier.workgroup == 0);
    CHECK(hazard.earlier.lane == 32);
    CHECK(hazard.later.address == load);
    CHECK(hazard.later.workgroup == 1);
    CHECK(hazard.begin == base + 512);
    CHECK(hazard.end == base + 1024);
  }
  SECTION("written back, but the flag does not wait for it") {
    release(true, false);
    acquire();
    consumer.load(0, row_at(0));
    CHECK(only_hazard().missing == no_write_back);
  }
  SECTION("not invalidated") {
    release();
    acquire(false);
    consumer.load(0, row_at(0));
    CHECK(only_hazard().missing == no_invalidation);
  }
  SECTION("invalidated too early") {
    release();
    consumer.cache(0, CacheControl::invalidate);
    acquire(false);
    consumer.load(0, row_at(0));
    CHECK(only_hazard().missing == no_invalidation);
  }
  SECTION("neither") {
    release(false);
    acquire(false);
    consumer.load(0, row_at(0));
    CHECK(only_hazard().missing == std::string(no_write_back) + ", and " + no_invalidation);
  }
  SECTION("the load goes past the caches") {
    release();
    acquire(false);
    consumer.vm(0, Kind::load, row_at(0), false, true);
    check_clean();
  }
  SECTION("the data was stored later than the write-back") {
    producer.cache(0, CacheControl::write_back);
    producer.store(0, row_at(65536));
    release(false);
    acquire();
    consumer.load(0, row_at(0));
    check_clean();
    consumer.load(0, row_at(65536));
    CHECK(only_hazard().missing == no_write_back);
  }
}

TEST_CASE_METHOD(VisibilityCase, "A store past the caches needs no write-back", "[visibility]") {
  producer.vm(0, Kind::store, row_at(0), false, true);
  release(false);
  SECTION("invalidated") {
    acquire();
    consumer.load(0, row_at(0));
    check_clean();
  }
  SECTION("not invalidated") {
    acquire(false);
    consumer.load(0, row_at(0));
    CHECK(only_hazard().missing == no_invalidation);
  }
}

TEST_CASE_METHOD(VisibilityCase, "A wave may write back and invalidate for its workgroup", "[visibility]") {
  producer.store(1, row_at(0));
  producer.wait_vmcnt(1, 0);
  SECTION("after a barrier") {
    producer.barrier();
    release();
    acquire();
    consumer.barrier();
    consumer.load(1, row_at(0));
    check_clean();
  }
  SECTION("before the barrier it does not know of the other wave's stores") {
    producer.cache(0, CacheControl::write_back);
    producer.wait_vmcnt(0, 0);
    producer.barrier();
    release(false);
    acquire();
    consumer.load(0, row_at(0));
    CHECK(only_hazard().missing == no_write_back);
  }
  SECTION("each wave writes back its own") {
    producer.cache(1, CacheControl::write_back);
    producer.wait_vmcnt(1, 0);
    producer.barrier();
    release(false);
    acquire();
    consumer.load(0, row_at(0));
    check_clean();
  }
}

TEST_CASE_METHOD(VisibilityCase, "A write-back counts in vmcnt", "[visibility]") {
  producer.store(0, row_at(0));
  producer.cache(0, CacheControl::write_back);
  producer.load(0, row_at(65536));
  SECTION("as many may be in flight as came after it") {
    producer.wait_vmcnt(0, 1);
    producer.vm(0, Kind::store, one_lane(flag), false, true);
    acquire();
    consumer.load(0, row_at(0));
    check_clean();
  }
  SECTION("not one more, though its own store is complete") {
    producer.skip(0, machine::Queue::vm, 0);
    producer.wait_vmcnt(0, 2);
    producer.vm(0, Kind::store, one_lane(flag), false, true);
    acquire();
    consumer.load(0, row_at(0));
    CHECK(only_hazard().missing == no_write_back);
  }
}

TEST_CASE_METHOD(VisibilityCase, "Flags go past the caches themselves", "[visibility]") {
  SECTION("stored with sc0 only") {
    release(true, true, false);
    acquire();
    CHECK(only_hazard().missing == "sc1 at the store of the flag");
  }
  SECTION("loaded with sc0 only") {
    release();
    acquire(true, false);
    CHECK(only_hazard().missing == "sc1 at the load of the flag, or buffer_inv sc1 each time before it");
  }
  SECTION("set by an atomic, which is performed in memory") {
    add(producer, 0, flag, false);
    acquire();
    check_clean();
  }
}

TEST_CASE_METHOD(VisibilityCase, "The scalar cache is apart", "[visibility]") {
  producer.store(0, row_at(0));
  SECTION("from the vector cache of the same wave") {
    producer.wait_vmcnt(0, 0);
    producer.s_load(0, base);
    CHECK(only_hazard().missing == "s_dcache_inv once the store is complete");
  }
  SECTION("invalidated before the store") {
    producer.cache(0, CacheControl::invalidate_scalar);
    producer.store(0, row_at(0));
    producer.wait_vmcnt(0, 0);
    producer.s_load(0, base);
    CHECK(only_hazard().missing == "s_dcache_inv once the store is complete");
  }
  SECTION("invalidated") {
    producer.wait_vmcnt(0, 0);
    producer.cache(0, CacheControl::invalidate_scalar);
    producer.s_load(0, base);
    check_clean();
  }
  SECTION("across workgroups") {
    release();
    acquire();
    consumer.s_load(0, base);
    CHECK(only_hazard().missing == "s_dcache_inv after the flag is seen");
  }
  SECTION("across workgroups, invalidated") {
    release();
    acquire();
    consumer.cache(0, CacheControl::invalidate_scalar);
    consumer.s_load(0, base);
    check_clean();
  }
}

TEST_CASE_METHOD(VisibilityCase, "A launch sees all of the launches before it", "[visibility]") {
  producer.store(0, row_at(0));
  memory.begin_launch();
  TracedWorkgroup next(checks, 1, 1);
  next.load(0, row_at(0));
  next.s_load(0, base);
  check_clean();
}

TEST_CASE_METHOD(VisibilityCase, "Memory that a third workgroup passes on is visible", "[visibility]") {
  producer.store(0, row_at(0));
  release();
  acquire();
  consumer.vm(0, Kind::store, one_lane(flag + 4), false, true); // tells of what it has not stored itself
  TracedWorkgroup third(checks, 1, 2);
  third.vm(0, Kind::load, one_lane(flag + 4), false, true);
  third.wait_vmcnt(0, 0);
  SECTION("invalidated") {
    third.cache(0, CacheControl::invalidate);
    third.load(0, row_at(0));
    check_clean();
  }
  SECTION("not invalidated") {
    third.load(0, row_at(0));
    CHECK(only_hazard().missing == no_invalidation);
  }
}
