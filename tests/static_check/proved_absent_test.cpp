// What a launch need not look for: classes of which the kernel's code alone shows that it is free.
#include "emulator/static_check/proved_absent.hpp"

#include "emulator/observe/report/hazard.hpp"
#include "harness/mutation/corpus.hpp"
#include "tests/static_check/code_objects.hpp"

#include "tests/support/catch.hpp"
#include <map>
#include <set>

using namespace fmha950;
using observe::HazardClass;

namespace {

constexpr uint32_t a_wave[3] = {64, 1, 1};

bool is_proved(const loader::Kernel& kernel, HazardClass type, const uint32_t (&block)[3] = a_wave) {
  return observe::includes(static_check::proved_absent(kernel, block), type);
}

} // namespace

TEST_CASE("proved absent: no kernel with a fault of a class is proved free of it, and sound ones are") {
  std::map<std::string, std::unique_ptr<loader::CodeObject>> objects;
  std::map<std::string, int> faulty;
  int sound = 0;
  for (const harness::CorpusKernel& kernel : harness::corpus()) {
    auto& object = objects[kernel.code_object];
    if (!object) object = test::load_code_object(kernel.code_object);
    const loader::Kernel& code = *object->find_kernel(kernel.name);
    CAPTURE(kernel.name, kernel.verdict);
    for (const HazardClass type : {HazardClass::register_in_flight, HazardClass::wait_states}) {
      const bool fault = kernel.verdict == observe::name_of(type);
      faulty[observe::name_of(type)] += fault;
      sound += !fault;
      CHECK(is_proved(code, type) != fault);
    }
  }
  CHECK(faulty["register_in_flight"] >= 1);
  CHECK(faulty["wait_states"] >= 1);
  CHECK(sound > 50);
}

TEST_CASE("proved absent: other classes are always looked for, and all are in a kernel that calls") {
  const auto object = test::load_code_object("hazard_kernels");
  constexpr uint32_t judged = 1u << static_cast<int>(HazardClass::register_in_flight) |
                              1u << static_cast<int>(HazardClass::wait_states);
  for (const loader::Kernel& kernel : object->kernels())
    CHECK((static_check::proved_absent(kernel, a_wave) & ~judged) == 0);
  const auto calling = test::load_code_object("static_check_kernels");
  for (const char* name : {"calls_function", "call_unknown", "vgpr_index_unknown"}) {
    CAPTURE(name);
    const loader::Kernel* const kernel = calling->find_kernel(name);
    REQUIRE(kernel != nullptr);
    CHECK(static_check::proved_absent(*kernel, a_wave) == 0);
  }
}

TEST_CASE("proved absent: paths that whole waves cannot take count where workgroups have others") {
  const auto object = test::load_code_object("static_check_kernels");
  const loader::Kernel& kernel = *object->find_kernel("all_lanes_clean");
  CHECK(is_proved(kernel, HazardClass::register_in_flight, {128, 1, 1}));
  CHECK_FALSE(is_proved(kernel, HazardClass::register_in_flight, {40, 1, 1}));
  CHECK_FALSE(is_proved(kernel, HazardClass::register_in_flight, {64, 2, 1}));
  CHECK(is_proved(kernel, HazardClass::wait_states, {40, 1, 1}));
}
