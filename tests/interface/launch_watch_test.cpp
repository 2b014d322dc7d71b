// A watch sees every launch of the process, before it happens.
#include "interface/hip.hpp"

#include "tests/support/catch.hpp"
#include <vector>

using namespace fmha950;

namespace {

struct Doubling { // as in kernels.hip
  const unsigned* input;
  unsigned* output;
  unsigned count;
};

struct OneElement {
  OneElement() {
    const unsigned one = 1;
    buffer.upload(&one, sizeof one);
  }
  // The element times 2.
  void launch(const std::vector<uint32_t>* only = nullptr) {
    const Doubling arguments{buffer.as<unsigned>(), buffer.as<unsigned>(), 1};
    hip::launch(hip::load_kernel("test_interface_kernels", "double_elements"), {1}, {64}, &arguments,
                sizeof arguments, nullptr, only);
  }
  unsigned value() const {
    hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
    unsigned value = 0;
    buffer.download(&value, sizeof value);
    return value;
  }
  hip::Buffer buffer{sizeof(unsigned)};
};

} // namespace

TEST_CASE("launch watch: once before each launch, numbered from its own beginning") {
  OneElement element;
  std::vector<std::pair<size_t, unsigned>> seen;
  const auto look = [&](size_t launch, const hip::Kernel& kernel) {
    CHECK(kernel.name == "double_elements");
    seen.emplace_back(launch, element.value());
  };
  element.launch(); // nobody looks
  {
    const hip::LaunchWatch watch(look);
    for (int i = 0; i < 3; ++i) element.launch();
  }
  using Seen = std::vector<std::pair<size_t, unsigned>>;
  CHECK(seen == Seen{{0, 2}, {1, 4}, {2, 8}});
  element.launch(); // nobody looks any more
  CHECK(seen.size() == 3);
  const hip::LaunchWatch another(look);
  element.launch();
  CHECK(seen.back() == std::pair<size_t, unsigned>(0, 32));
  CHECK(element.value() == 64);
}

TEST_CASE("launch watch: what a restriction leaves nothing of is no launch") {
  OneElement element;
  size_t launches = 0;
  const hip::LaunchWatch watch([&](size_t, const hip::Kernel&) { ++launches; });
  const std::vector<uint32_t> none;
  element.launch(&none);
  CHECK(launches == 0);
  CHECK(element.value() == 1);
}

TEST_CASE("launch watch: what it writes is what the launch reads") {
  OneElement element;
  const hip::LaunchWatch watch([&](size_t, const hip::Kernel&) {
    const unsigned other = 21;
    element.buffer.upload(&other, sizeof other);
  });
  element.launch();
  CHECK(element.value() == 42);
}
