// The check without running on small kernels: each claim on a faulty one and on its clean twin.
#include "emulator/static_check/hazards.hpp"
#include "tests/static_check/code_objects.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using static_check::Finding;
using static_check::Severity;

namespace {

std::vector<Finding> findings_of(const std::string& kernel) {
  static const auto object = test::load_code_object("static_check_kernels");
  const loader::Kernel* found = object->find_kernel(kernel);
  REQUIRE(found);
  return static_check::find_hazards(static_check::Code(*found));
}

struct Claim {
  const char* name; // with _faulty and _clean
  const char* kind;
  const char* what; // of the faulty one's first finding
  const char* missing;
};

} // namespace

TEST_CASE("static check: what is in flight where it is touched is an error, and its clean twin is silent") {
  const char* in_flight = "register_in_flight";
  const char *read = "v4 is read while global_load_dword into v4 is in flight",
             *vmcnt_0 = "s_waitcnt vmcnt(0)";
  for (const Claim& claim : std::initializer_list<Claim>{
           {"straight", in_flight, read, vmcnt_0},
           {"overwritten", in_flight, "v4 is overwritten while global_load_dword into v4 is in flight",
            vmcnt_0},
           {"merge", in_flight, read, vmcnt_0},
           {"arm", in_flight, read, vmcnt_0},
           {"two_buffers", in_flight, "v5 is read while global_load_dword into v5 is in flight",
            "s_waitcnt vmcnt(1)"},
           {"first_iteration", in_flight, read, vmcnt_0},
           {"second_iteration", in_flight, read, vmcnt_0},
           {"store", in_flight, read, vmcnt_0},
           {"scalar", in_flight, "s8 is read while s_load_dword into s8 is in flight",
            "s_waitcnt lgkmcnt(0)"},
           {"lds", in_flight, "v4 is read while ds_read_b32 into v4 is in flight", "s_waitcnt lgkmcnt(0)"},
           {"flat", in_flight, "v4 is read while flat_load_dword into v4 is in flight",
            "s_waitcnt vmcnt(0) lgkmcnt(0)"},
           {"vgpr_index", in_flight, read, vmcnt_0}, // a write of other bits of MODE
           {"full_counter", in_flight, read, "s_waitcnt vmcnt(62)"},
           {"same_outcome", in_flight, read, vmcnt_0},
           {"half_of_exec", in_flight, read, vmcnt_0},
           {"vccz", in_flight, read, vmcnt_0},
           {"xnack_mask", in_flight, read, vmcnt_0},
           {"moved_to_m0", in_flight, read, vmcnt_0},
           {"moved_to_exec", in_flight, read, vmcnt_0},
           {"written_in_part", in_flight, read, vmcnt_0},
           {"written_above", in_flight, read, vmcnt_0},
           {"all_lanes", in_flight, read, vmcnt_0},
           {"no_lanes", "lds_order", "LDS bytes that LDS DMA writes are accessed while it is in flight",
            vmcnt_0}}) {
    CAPTURE(claim.name);
    CHECK(findings_of(claim.name + std::string("_clean")).empty());
    const auto found = findings_of(claim.name + std::string("_faulty"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::error);
    CHECK(found[0].kind == claim.kind);
    CHECK(found[0].what == claim.what);
    CHECK(found[0].missing == claim.missing);
  }
}

TEST_CASE("static check: wait states that are short on a path are an error, and the clean twin is silent") {
  const std::string result = "v_mfma_f32_16x16x16_f16 writes v[20:23], v_add_f32 reads ";
  for (const Claim& claim : std::initializer_list<Claim>{
           {"back_edge", "wait_states", "v20 after 1 of 8 wait states (MFMA result)", "s_nop 6"},
           {"nop_arm", "wait_states", "v20 after 1 of 8 wait states (MFMA result)", "s_nop 6"},
           {"partly_written", "wait_states", "v21 after 2 of 8 wait states (MFMA result)", "s_nop 5"}}) {
    CAPTURE(claim.name);
    CHECK(findings_of(claim.name + std::string("_clean")).empty());
    const auto found = findings_of(claim.name + std::string("_faulty"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::error);
    CHECK(found[0].kind == claim.kind);
    CHECK(found[0].what == result + claim.what);
    CHECK(found[0].missing == claim.missing);
  }
}

TEST_CASE("static check: what the code alone does not say is unknown, and only that") {
  CHECK(findings_of("vskip_clean").empty());
  for (const auto& [name, kind] : {std::pair("lds_dma", "lds_address"),
                                   {"jump", "jump"},
                                   {"call", "call"},
                                   {"vgpr_index", "vgpr_index"}}) {
    CAPTURE(name);
    CHECK(findings_of(name + std::string("_clean")).empty());
    const auto found = findings_of(name + std::string("_unknown"));
    REQUIRE(found.size() == 1);
    CHECK(found[0].severity == Severity::unknown);
    CHECK(found[0].kind == kind);
    CHECK(found[0].later != static_check::Code::none);
  }
}

TEST_CASE(
    "static check: LDS DMA in flight where its bytes are read is an error if both addresses are known") {
  CHECK(findings_of("known_address_clean").empty());
  const auto faulty = findings_of("known_address_faulty");
  REQUIRE(faulty.size() == 1);
  CHECK(faulty[0].severity == Severity::error);
  CHECK(faulty[0].kind == "lds_order");
  CHECK(faulty[0].missing == "s_waitcnt vmcnt(0)");
  const auto other = findings_of("other_address_unknown"); // another wave may read what this one has loaded
  REQUIRE(other.size() == 1);
  CHECK(other[0].severity == Severity::unknown);
}

TEST_CASE("static check: a path on which branches contradict each other has no error") {
  const auto object = test::load_code_object("static_check_kernels");
  for (const char* name : {"same_outcome_clean", "no_lanes_clean", "half_of_exec_clean"}) {
    CAPTURE(name);
    const static_check::Code code(*object->find_kernel(name));
    CHECK(static_check::find_hazards(code, code.steps(), static_check::Paths::all).size() == 1);
    CHECK(static_check::find_hazards(code).empty());
  }
}

TEST_CASE("static check: a changed step changes the verdict, and the code stays as it is") {
  const auto object = test::load_code_object("static_check_kernels");
  const static_check::Code code(*object->find_kernel("two_buffers_clean"));
  static_check::Steps steps = code.steps();
  for (static_check::Step& step : steps)
    if (step.limits.vmcnt == 1) step.limits.vmcnt = 2;
  CHECK(static_check::find_hazards(code, steps).size() == 3); // of v4 both loads, of v5 the one
  CHECK(static_check::find_hazards(code).empty());
}
