#pragma once
// A fuzz target takes any bytes and must neither crash nor hang nor throw: what it refuses, it refuses with
// the product's own errors, which the target catches; what it accepts must keep the target's promises.
// tests/fuzz/*.cpp hold one target each. Built by preset `fuzz` with libFuzzer (libfuzzer_main.cpp),
// one program per target; in every build test_fuzz replays all corpora (replay_test.cpp).
// The ledger is docs/fuzzing.md.

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <stdexcept>
#include <string>

namespace fmha950::fuzz {

using Bytes = std::span<const uint8_t>;
using Target = void (*)(Bytes input);

inline std::map<std::string, Target>& targets() {
  static std::map<std::string, Target> all;
  return all;
}
struct Registration {
  Registration(const char* name, Target target) { targets()[name] = target; }
};

class Finding : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};
inline void ensure(bool holds, const std::string& promise) {
  if (!holds) throw Finding(promise);
}

// Choices from the input's bytes; past its end they are 0, so that every input names something.
class Choices {
 public:
  explicit Choices(Bytes bytes) : rest_(bytes) {}
  bool empty() const { return rest_.empty(); }
  uint8_t byte() {
    if (rest_.empty()) return 0;
    const uint8_t value = rest_[0];
    rest_ = rest_.subspan(1);
    return value;
  }
  uint32_t word() {
    uint32_t value = 0;
    for (int i = 0; i < 4; ++i) value |= uint32_t{byte()} << 8 * i;
    return value;
  }
  int below(int limit) { return byte() % limit; }
  bool flag() { return byte() & 1; }
  template <class T> T one_of(std::initializer_list<T> values) {
    return values.begin()[below(static_cast<int>(values.size()))];
  }

 private:
  Bytes rest_;
};

} // namespace fmha950::fuzz
