// Each class of hazard on a real kernel: reported at its source line, under every schedule; the cured kernel
// is silent.
#include "tests/observe/hazard_device.hpp"

using namespace fmha950;
using observe::HazardClass;

namespace {

struct Case {
  HazardClass type;
  const char* missing; // part of it
};

} // namespace

TEST_CASE("every class of hazard is reported at its source line, and its cure is silent") {
  const Case cases[] = {
      {HazardClass::register_in_flight, "s_waitcnt vmcnt(0)"},
      {HazardClass::lds_order, "barrier"},
      {HazardClass::memory_order, ""},
      {HazardClass::visibility, "buffer_inv sc1 after the flag is seen"},
      {HazardClass::uninitialised, ""},
      {HazardClass::out_of_bounds, ""},
      {HazardClass::misaligned, ""},
      {HazardClass::wait_states, "s_nop"},
      {HazardClass::barrier_divergence, "s_barrier"},
      {HazardClass::runaway, ""},
  };
  test::HazardDevice device("hazard_kernels");
  for (const Case& c : cases)
    for (const char* schedule : test::schedules) {
      const std::string name = observe::name_of(c.type);
      INFO(name << " under " << schedule);
      const auto reports = device.run(name + "_bad", schedule);
      std::string text;
      bool named = false;
      for (const auto& report : reports) {
        text += test::text_of({report});
        const std::string line = test::marked_line("hazard_kernels.hip", name);
        named |= report.type == c.type &&
                 (report.later.source.ends_with(line) || report.earlier.source.ends_with(line)) &&
                 report.missing.find(c.missing) != std::string::npos;
      }
      INFO(text);
      CHECK(named);
      const auto cured = device.run(name + "_good", schedule);
      for (const auto& report : cured) UNSCOPED_INFO(test::text_of({report}));
      CHECK(cured.empty());
    }
}

TEST_CASE("a barrier that the other wave never meets, an early exit, an end that orders LDS") {
  test::HazardDevice device("hazard_kernels");
  for (const char* schedule : test::schedules) {
    INFO(schedule);
    const auto one_sided = device.run("one_sided_barrier", schedule);
    REQUIRE(one_sided.size() == 1);
    CHECK(one_sided[0].type == HazardClass::barrier_divergence);
    CHECK(device.run("early_exit", schedule).empty());
    for (const auto& report : device.run("end_orders_lds", schedule)) {
      INFO(test::text_of({report}));
      CHECK(report.type == HazardClass::barrier_divergence);
    }
  }
}

TEST_CASE("memory that the host frees during a launch has no order with what comes after") {
  test::HazardDevice device("hazard_kernels");
  machine::Launch launch = device.launch_of("memory_order_bad");
  auto& engine = observe::HazardEngine::get();
  engine.log().clear();
  const auto checks = engine.begin_launch(launch, 1u << static_cast<int>(HazardClass::memory_order));
  launch.listener = checks.get();
  const bool freed = GENERATE(true, false);
  for (uint32_t workgroup : {0, 1}) { // of one launch
    const std::vector<uint32_t> only = {workgroup};
    launch.only = &only;
    machine::run(launch);
    if (freed) engine.released(device.out, test::HazardDevice::out_bytes);
  }
  CHECK(engine.log().reports().empty() == freed);
}

TEST_CASE("lanes that a descriptor clamps are counted, and no hazard") {
  test::HazardDevice device("hazard_kernels");
  auto& engine = observe::HazardEngine::get();
  engine.clamped().clear();
  CHECK(device.run("clamped_tail", "eager").empty());
  const std::string text = engine.clamped().text();
  INFO(text);
  CHECK(text.find("clamped_tail +0x") == 0);
  CHECK(text.find("buffer_store_dword") != std::string::npos);
  CHECK(text.find(": 48 lanes clamped\n") != std::string::npos);
}

TEST_CASE("a use after the release is told as such") {
  auto& space = machine::AddressSpace::device();
  auto* freed = static_cast<uint32_t*>(space.allocate(4096));
  space.release(freed);
  INFO(space.describe(reinterpret_cast<uint64_t>(freed) + 12));
  CHECK(space.describe(reinterpret_cast<uint64_t>(freed) + 12).find("which was freed") != std::string::npos);
  CHECK(space.find(reinterpret_cast<uint64_t>(freed)).end == 0);
}
