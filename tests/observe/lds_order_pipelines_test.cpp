// The LDS order check on the patterns of pipelined kernels.

#include "tests/observe/lds_order_case.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::test;

TEST_CASE_METHOD(LdsOrderCase, "Groups of waves meet at different s_barrier instructions", "[lds_order]") {
  // Waves 0, 1 copy while 2, 3 compute; then they change roles. A barrier is a number, not an address.
  for (int phase = 0; phase < 6; ++phase) {
    const int copying = phase % 2 ? 2 : 0, computing = phase % 2 ? 0 : 2;
    const uint32_t to = phase % 2 ? 8192 : 0, from = phase % 2 ? 0 : 8192;
    for (int w : {copying, copying + 1}) {
      workgroup.dma(w, to + 1024 * (w - copying));
      workgroup.wait_vmcnt(w, 0);
      workgroup.arrive(w);
    }
    for (int w : {computing, computing + 1}) {
      workgroup.ds_read(w, row_at(from));
      workgroup.ds_read(w, row_at(from + 1024));
      workgroup.wait_lgkmcnt(w, 0);
      workgroup.arrive(w);
    }
    workgroup.release();
  }
  CHECK(hazards.all.empty());
}

TEST_CASE_METHOD(LdsOrderCase, "Ring of three buffers, loads two tiles ahead", "[lds_order]") {
  const bool enough = GENERATE(true, false);
  const auto prefetch = [&](int tile) {
    for (int w = 0; w < 4; ++w) workgroup.dma(w, 4096 * (tile % 3) + 1024 * w);
  };
  prefetch(0);
  prefetch(1);
  for (int tile = 0; tile < 12; ++tile) {
    for (int w = 0; w < 4; ++w) workgroup.wait_vmcnt(w, enough ? 1 : 2);
    workgroup.barrier();
    prefetch(tile + 2);
    for (int w = 0; w < 4; ++w) {
      for (uint32_t part = 0; part < 4; ++part) workgroup.ds_read(w, row_at(4096 * (tile % 3) + 1024 * part));
      workgroup.wait_lgkmcnt(w, 0);
    }
  }
  CHECK(hazards.all.empty() == enough);
}
