// Random device-memory traces of two workgroups against the model of happens-before: both must agree on every
// event up to a trace's first hazard, but for bytes that three unordered readers had:
// the check remembers two of them.

#include "tests/observe/happens_before.hpp"
#include "tests/observe/traced_workgroup.hpp"

#include "tests/support/catch.hpp"

#include <random>

using namespace fmha950;
using test::Kind;

namespace {

constexpr size_t workgroups = 2, waves = 4;
constexpr uint64_t base = 0x8000'3456'0f00; // accesses go over the end of a block

class RandomTrace {
 public:
  RandomTrace(observe::OrderChecks (&checks)[workgroups], test::CollectedHazards& hazards, uint64_t seed)
      : random_(seed), hazards_(hazards), bytes_(seed % 2), model_(workgroups * waves, workgroups) {
    for (size_t g = 0; g < workgroups; ++g) workgroups_.emplace_back(checks[g], waves, g);
  }
  bool run() {
    for (int step = 0; step < 300; ++step) {
      hazards_.all.clear();
      workgroup_ = below(workgroups);
      wave_ = below(waves);
      const auto expected = act();
      INFO("step " << step);
      if (hazards_.all.empty())
        for (const auto& [address, byte] : expected) REQUIRE(crowded_.contains(byte));
      for (const observe::Hazard& hazard : hazards_.all) {
        const bool last = name(hazard.earlier) == issued_; // the lower workgroup is named first
        for (uint64_t byte = hazard.begin; byte < hazard.end; ++byte)
          REQUIRE(expected.contains({name(last ? hazard.later : hazard.earlier), byte}));
      }
      if (!expected.empty()) return true;
    }
    return false;
  }

 private:
  using Conflicts = test::HappensBefore::Conflicts;
  int below(size_t n) { return static_cast<int>(random_() % n); }
  test::TracedWorkgroup& workgroup() { return workgroups_[static_cast<size_t>(workgroup_)]; }
  int wave_of_all(int wave) const { return workgroup_ * static_cast<int>(waves) + wave; }
  static uint64_t name(const observe::Party& party) { return party.address + (party.workgroup << 32); }

  Conflicts act() {
    const int choice = below(20);
    if (choice < 2) return barrier();
    if (choice < 5) wait(wave_, below(3));
    if (choice == 5) wait_scalar(wave_);
    return choice < 6 ? Conflicts{} : choice < 8 && (only_reads() || !below(50)) ? scalar_load() : access();
  }
  void wait(int wave, int limit) {
    workgroup().wait_vmcnt(wave, static_cast<uint32_t>(limit));
    model_.wait(wave_of_all(wave), true, static_cast<size_t>(limit));
  }
  void wait_scalar(int wave) {
    workgroup().wait_lgkmcnt(wave, 0);
    model_.wait(wave_of_all(wave), false, 0);
  }
  Conflicts barrier() {
    std::vector<bool> arrived(workgroups * waves);
    for (int w = 0; w < static_cast<int>(waves); ++w) {
      if (below(80)) wait(w, 0);
      if (below(80)) wait_scalar(w);
      workgroup().arrive(w);
      model_.arrive(wave_of_all(w));
      arrived[static_cast<size_t>(wave_of_all(w))] = true;
    }
    workgroup().release();
    model_.release(arrived);
    ++barriers_[workgroup_];
    return {};
  }
  // In turns, separated by barriers, each wave has a place of its own, or all only read all of the
  // workgroup's. Seldom it is any place.
  bool only_reads() const { return barriers_[workgroup_] % 2; }
  uint64_t place() {
    const int own =
        only_reads() ? below(waves) : (wave_ + barriers_[workgroup_] / 2) % static_cast<int>(waves);
    const int all = static_cast<int>(workgroups * waves);
    return base + 128 * static_cast<uint64_t>(below(2000) ? wave_of_all(own) : below(all));
  }
  Conflicts issue(test::HappensBefore::Access access) {
    issued_ = access.address += static_cast<uint64_t>(workgroup_) << 32;
    crowded_.clear();
    for (uint64_t byte : access.bytes)
      if (!access.reads && model_.had_readers_beyond(2, byte)) crowded_.insert(byte);
    return model_.issue(std::move(access));
  }
  Conflicts scalar_load() {
    const int dwords = 1 << below(4);
    const uint64_t begin = place() + 4 * static_cast<uint64_t>(below(12));
    test::HappensBefore::Access access{.wave = wave_of_all(wave_), .reads = true};
    for (uint64_t b = 0; b < 4 * static_cast<uint64_t>(dwords); ++b) access.bytes.insert(begin + b);
    access.address = workgroup().s_load(wave_, begin, dwords);
    return issue(std::move(access));
  }
  Conflicts access() {
    static constexpr uint8_t wide[] = {4, 8, 12, 16}, narrow[] = {1, 2, 4, 8};
    const bool narrow_access = bytes_ && below(4) == 0;
    const uint64_t unit = narrow_access ? 1 : 4;
    const test::LaneRange range{.begin = place() + below(12) * unit,
                                .bytes = narrow_access ? narrow[below(4)] : wide[below(4)],
                                .lanes = uint64_t{1} << below(4) | uint64_t{1} << below(4),
                                .stride = static_cast<uint32_t>(below(5) * unit)};
    const Kind kind = only_reads() || below(2) ? Kind::load : Kind::store;
    test::HappensBefore::Access access{.wave = wave_of_all(wave_), .vm = true, .reads = kind == Kind::load};
    for (uint64_t l = 0; l < 64; ++l)
      for (uint64_t b = 0; range.lanes >> l & 1 && b < range.bytes; ++b)
        access.bytes.insert(range.begin + l * range.stride + b);
    access.address = workgroup().vm(wave_, kind, range);
    return issue(std::move(access));
  }

  std::mt19937_64 random_;
  test::CollectedHazards& hazards_;
  bool bytes_;
  std::deque<test::TracedWorkgroup> workgroups_;
  test::HappensBefore model_;
  int workgroup_ = 0, wave_ = 0, barriers_[workgroups] = {};
  uint64_t issued_ = 0;
  std::set<uint64_t> crowded_; // bytes of the access at hand
};

} // namespace

TEST_CASE("Random device-memory traces agree with the model of happens-before",
          "[memory_order][definition]") {
  test::CollectedHazards hazards{test::order_checks};
  observe::MemoryShadow memory;
  observe::OrderChecks checks[workgroups] = {{memory, hazards}, {memory, hazards}};
  int with_hazard = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    INFO("seed " << seed);
    memory.begin_launch();
    with_hazard += RandomTrace(checks, hazards, seed).run();
  }
  CHECK(with_hazard > 200); // or the traces show little
  CHECK(with_hazard < 800);
}
