// Which waits and barriers order LDS accesses:
// each rule with a case that must be reported and one that must not.

#include "tests/observe/lds_order_case.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::test;

TEST_CASE_METHOD(LdsOrderCase, "LDS DMA, barrier without vmcnt, read by another wave", "[lds_order]") {
  const uint64_t writer = workgroup.dma(0, 0);
  SECTION("no wait") {
    workgroup.barrier();
    const uint64_t reader = workgroup.ds_read(1, row);
    REQUIRE(hazards.all.size() == 1);
    const observe::Hazard& hazard = hazards.all[0];
    CHECK(hazard.type == observe::HazardClass::lds_order);
    CHECK(hazard.earlier.address == writer);
    CHECK(hazard.earlier.wave == 0);
    CHECK(hazard.earlier.lane == 0);
    CHECK(hazard.later.address == reader);
    CHECK(hazard.later.wave == 1);
    CHECK(hazard.begin == 0);
    CHECK(hazard.end == 1024);
    CHECK(hazard.missing == "s_waitcnt vmcnt(0) before the barrier");
    CHECK(hazard.what == "test_instruction reads LDS bytes that test_instruction writes, unordered");
  }
  SECTION("waited for, but no barrier") {
    workgroup.wait_vmcnt(0, 0);
    workgroup.ds_read(1, row);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "a barrier");
  }
  SECTION("waited for after the barrier") {
    workgroup.barrier();
    workgroup.wait_vmcnt(0, 0);
    workgroup.ds_read(1, row);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt vmcnt(0) before the barrier");
  }
  SECTION("another wave's wait does not help") {
    workgroup.wait_vmcnt(1, 0);
    workgroup.barrier();
    workgroup.ds_read(1, row);
    CHECK(hazards.all.size() == 1);
  }
  SECTION("wait and barrier") {
    workgroup.wait_vmcnt(0, 0);
    workgroup.barrier();
    workgroup.ds_read(1, row);
    workgroup.ds_read(2, row);
    CHECK(hazards.all.empty());
  }
  SECTION("a barrier that has not been released") {
    workgroup.wait_vmcnt(0, 0);
    workgroup.arrive(0);
    workgroup.ds_read(1, row);
    CHECK(hazards.all.size() == 1);
  }
}

TEST_CASE_METHOD(LdsOrderCase, "vmcnt(N) leaves N operations in flight", "[lds_order]") {
  workgroup.dma(0, 0);
  workgroup.dma(0, 1024);
  workgroup.dma(0, 2048);
  SECTION("exactly enough") {
    workgroup.wait_vmcnt(0, 2);
    workgroup.barrier();
    workgroup.ds_read(1, row);
    CHECK(hazards.all.empty());
    workgroup.ds_read(1, row_at(1024)); // the next one is not
    CHECK(hazards.all.size() == 1);
  }
  SECTION("one too few") {
    workgroup.wait_vmcnt(0, 2);
    workgroup.barrier();
    workgroup.ds_read(1, row_at(1024));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt vmcnt(1) before the barrier");
    CHECK(hazards.all[0].begin == 1024);
    CHECK(hazards.all[0].end == 2048);
  }
}

TEST_CASE_METHOD(LdsOrderCase, "The wave that issued the DMA must wait too", "[lds_order]") {
  workgroup.dma(0, 0);
  workgroup.dma(0, 4096);
  SECTION("no wait") {
    workgroup.ds_read(0, row);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt vmcnt(1)");
  }
  SECTION("no wait but a barrier") {
    workgroup.barrier();
    workgroup.ds_read(0, row);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt vmcnt(1)");
  }
  SECTION("wait") {
    workgroup.wait_vmcnt(0, 1);
    workgroup.ds_read(0, row);
    CHECK(hazards.all.empty());
  }
}

TEST_CASE_METHOD(LdsOrderCase, "DS operations of one wave are in order", "[lds_order]") {
  workgroup.ds_write(0, row);
  workgroup.ds_read(0, row);
  workgroup.ds_write(0, row);
  workgroup.ds_atomic(0, row);
  workgroup.ds_read(0, row);
  CHECK(hazards.all.empty());
}

TEST_CASE_METHOD(LdsOrderCase, "LDS DMA of one wave is in order", "[lds_order]") {
  workgroup.dma(0, 0);
  workgroup.dma(0, 0);
  CHECK(hazards.all.empty());
  workgroup.dma(1, 0);
  CHECK(hazards.all.size() == 1);
}

TEST_CASE_METHOD(LdsOrderCase, "DMA over bytes that are still read", "[lds_order]") {
  const int reader = GENERATE(0, 2);
  const uint64_t first = workgroup.ds_read(reader, row);
  SECTION("same wave or other, no wait") {
    workgroup.barrier();
    workgroup.dma(0, 0);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].earlier.address == first);
    CHECK(hazards.all[0].earlier.wave == reader);
    CHECK(hazards.all[0].missing ==
          (reader == 0 ? "s_waitcnt lgkmcnt(0)" : "s_waitcnt lgkmcnt(0) before the barrier"));
  }
  SECTION("other buffer") {
    workgroup.barrier();
    workgroup.dma(0, 1024);
    CHECK(hazards.all.empty());
  }
  SECTION("wait and barrier") {
    workgroup.wait_lgkmcnt(reader, 0);
    workgroup.barrier();
    workgroup.dma(0, 0);
    CHECK(hazards.all.empty());
  }
  SECTION("one operation later is enough") {
    workgroup.ds_read(reader, row_at(1024));
    workgroup.wait_lgkmcnt(reader, 1);
    workgroup.barrier();
    workgroup.dma(0, 0);
    CHECK(hazards.all.empty());
    workgroup.dma(0, 1024);
    CHECK(hazards.all.size() == 1);
  }
}

TEST_CASE_METHOD(LdsOrderCase, "DMA over bytes that the same wave still writes", "[lds_order]") {
  workgroup.ds_write(0, row);
  SECTION("no wait") {
    workgroup.dma(0, 0);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt lgkmcnt(0)");
  }
  SECTION("wait") {
    workgroup.wait_lgkmcnt(0, 0);
    workgroup.dma(0, 0);
    CHECK(hazards.all.empty());
  }
}

TEST_CASE_METHOD(LdsOrderCase, "LDS operations stay in order with SMEM in flight", "[lds_order]") {
  workgroup.ds_read(0, row);
  workgroup.ds_read(0, row_at(1024));
  workgroup.s_load(0, 0x1000);
  SECTION("no wait") {
    workgroup.dma(0, 0);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].missing == "s_waitcnt lgkmcnt(1)");
  }
  SECTION("a wait for all but the younger one") {
    workgroup.wait_lgkmcnt(0, 1);
    workgroup.dma(0, 0);
    CHECK(hazards.all.empty());
  }
}

TEST_CASE_METHOD(LdsOrderCase, "Two waves write the same bytes between barriers", "[lds_order]") {
  workgroup.ds_write(0, row);
  workgroup.wait_all(0);
  SECTION("same bytes") {
    workgroup.ds_write(1, row_at(512));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].begin == 512);
    CHECK(hazards.all[0].end == 1024);
    CHECK(hazards.all[0].earlier.lane == 32);
    CHECK(hazards.all[0].later.lane == 0);
    CHECK(hazards.all[0].missing == "a barrier");
  }
  SECTION("neighbours") {
    workgroup.ds_write(1, row_at(1024));
    CHECK(hazards.all.empty());
  }
}

TEST_CASE_METHOD(LdsOrderCase, "Two waves that write equal values are a note", "[lds_order]") {
  workgroup.stores(7);
  workgroup.ds_write(0, row);
  SECTION("equal") {
    workgroup.ds_write(1, row_at(512));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].severity == observe::Severity::note);
    CHECK(hazards.all[0].what.find("with the same values") != std::string::npos);
  }
  SECTION("different") {
    workgroup.stores(8);
    workgroup.ds_write(1, row_at(512));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].severity == observe::Severity::error);
  }
  SECTION("LDS DMA brings equal ones") {
    workgroup.dma(1, 512);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].severity == observe::Severity::note);
    CHECK(hazards.all[0].what.find("with the same values") != std::string::npos);
  }
  SECTION("LDS DMA brings others") {
    workgroup.stores(8);
    workgroup.dma(1, 512);
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].severity == observe::Severity::error);
  }
  SECTION("a reader is no writer") {
    workgroup.ds_read(1, row_at(512));
    REQUIRE(hazards.all.size() == 1);
    CHECK(hazards.all[0].severity == observe::Severity::error);
  }
}

TEST_CASE_METHOD(LdsOrderCase, "LDS DMA of two waves that brings equal values is a note", "[lds_order]") {
  workgroup.stores(7);
  const auto severity = [&] {
    REQUIRE(hazards.all.size() == 1);
    return hazards.all[0].severity;
  };
  SECTION("equal, and a DS write over them") {
    workgroup.dma(0, 0);
    workgroup.dma(1, 0);
    CHECK(severity() == observe::Severity::note);
    workgroup.ds_write(2, row);
    CHECK(hazards.all.back().severity == observe::Severity::note);
  }
  SECTION("different") {
    workgroup.dma(0, 0);
    workgroup.stores(8);
    workgroup.dma(1, 0);
    CHECK(severity() == observe::Severity::error);
  }
  SECTION("different in one lane") {
    workgroup.dma(0, 0);
    workgroup.dma(1, 0, ~uint64_t{0} >> 1);
    CHECK(severity() == observe::Severity::note);
    workgroup.stores(8);
    workgroup.dma(1, 0, uint64_t{1} << 63); // its own, in order
    workgroup.stores(7);
    workgroup.dma(2, 63 * 16, 1);
    CHECK(hazards.all.back().severity == observe::Severity::error);
  }
  SECTION("a store of its wave may come before it") {
    workgroup.dma(0, 0);
    workgroup.store(1, {.begin = 0x10000, .bytes = 16, .stride = 16});
    workgroup.dma(1, 0);
    CHECK(severity() == observe::Severity::error);
  }
  SECTION("nor is what it brought known to others") {
    workgroup.store(0, {.begin = 0x10000, .bytes = 16, .stride = 16});
    workgroup.dma(0, 0);
    workgroup.dma(1, 0);
    CHECK(severity() == observe::Severity::error);
  }
  SECTION("the store was waited for") {
    workgroup.dma(0, 0);
    workgroup.store(1, {.begin = 0x10000, .bytes = 16, .stride = 16});
    workgroup.wait_vmcnt(1, 0);
    workgroup.dma(1, 0);
    CHECK(severity() == observe::Severity::note);
  }
  SECTION("less than a dword is extended, and not known") {
    workgroup.dma(0, 0, ~uint64_t{0}, 2);
    workgroup.dma(1, 0, ~uint64_t{0}, 2);
    CHECK(severity() == observe::Severity::error);
  }
  SECTION("a reader of what comes") {
    workgroup.dma(0, 0);
    workgroup.ds_read(1, row);
    CHECK(severity() == observe::Severity::error);
  }
}

TEST_CASE_METHOD(LdsOrderCase, "Operations that are too many to be checked are said, once", "[lds_order]") {
  workgroup.skip(0, machine::Queue::ds, 1 << 25);
  for (int i = 0; i < 3; ++i) workgroup.ds_write(0, row);
  REQUIRE(hazards.all.size() == 1);
  CHECK(hazards.all[0].severity == observe::Severity::note);
  CHECK(hazards.all[0].what.find("are not checked from here on") != std::string::npos);
}

TEST_CASE_METHOD(LdsOrderCase, "A write after reads of several waves names each", "[lds_order]") {
  for (int w : {1, 2, 3}) workgroup.ds_read(w, row);
  workgroup.ds_write(0, row);
  REQUIRE(hazards.all.size() == 3);
  for (int w : {1, 2, 3}) CHECK(hazards.all[w - 1].earlier.wave == w);
}

TEST_CASE_METHOD(LdsOrderCase, "The latest reader does not hide an earlier one", "[lds_order]") {
  workgroup.ds_read(1, row); // in flight across the barrier
  workgroup.barrier();
  workgroup.ds_read(2, row);
  workgroup.wait_all(2);
  workgroup.barrier(); // orders wave 2's, not wave 1's
  workgroup.ds_write(0, row);
  REQUIRE(hazards.all.size() == 1);
  CHECK(hazards.all[0].earlier.wave == 1);
  CHECK(hazards.all[0].missing == "s_waitcnt lgkmcnt(0) before the barrier");
}
