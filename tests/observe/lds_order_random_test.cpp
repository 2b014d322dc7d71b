// Random LDS traces against the model of happens-before:
// both must agree on every event up to a trace's first hazard.

#include "tests/observe/happens_before.hpp"
#include "tests/observe/traced_workgroup.hpp"

#include "tests/support/catch.hpp"

#include <random>

using namespace fmha950;
using test::Kind;

namespace {

class RandomTrace {
 public:
  RandomTrace(observe::OrderChecks& checks, test::CollectedHazards& hazards, uint64_t seed, bool bytes)
      : random_(seed), waves_(2 + below(3)), hazards_(hazards), bytes_(bytes),
        workgroup_(checks, waves_, seed), model_(waves_), arrived_(waves_), ended_(waves_) {}

  // Steps until both find a hazard (true) or the trace is over; requires that they agree.
  bool run() {
    wait_often_ = below(4);
    for (int step = 0; step < 300; ++step) {
      hazards_.all.clear();
      const int wave = below(waves_);
      if (arrived_[wave] || ended_[wave]) continue;
      const auto expected = act(wave);
      INFO("step " << step);
      REQUIRE(hazards_.all.empty() == expected.empty());
      for (const observe::Hazard& hazard : hazards_.all)
        for (uint64_t byte = hazard.begin; byte < hazard.end; ++byte)
          REQUIRE(expected.contains({hazard.earlier.address, byte}));
      if (!expected.empty()) return true;
    }
    return false;
  }

 private:
  using Conflicts = test::HappensBefore::Conflicts;
  int below(size_t n) { return static_cast<int>(random_() % n); }

  Conflicts act(int wave) {
    const int choice = below(100);
    if (choice < 20) return arrive_all(wave);
    if (choice < 21) return end(wave);
    if (choice < 30 + 8 * wait_often_) return wait(wave);
    if (choice < 70) return ds(wave);
    if (choice < 90) return dma(wave);
    if (choice < 94) { // no LDS, but it counts on vmcnt
      const uint64_t address = workgroup_.load(wave, test::one_lane(0x10000 + 4096 * wave));
      return model_.issue({.address = address, .wave = wave, .vm = true, .reads = true});
    }
    if (choice < 98) { // lanes only
      const uint64_t address = workgroup_.ds(wave, Kind::exchange, test::one_lane(0));
      return model_.issue({.address = address, .wave = wave, .reads = true});
    }
    return ds(wave);
  }
  Conflicts wait(int wave) {
    const bool vm = below(2);
    const size_t limit = below(3) ? 0 : below(4);
    vm ? workgroup_.wait_vmcnt(wave, limit) : workgroup_.wait_lgkmcnt(wave, limit);
    model_.wait(wave, vm, limit);
    return {};
  }
  // Usually a proper barrier of all waves, else only this wave arrives.
  Conflicts arrive_all(int wave) {
    const bool all = below(8), drained = below(16);
    for (int w = 0; w < static_cast<int>(waves_); ++w) {
      if ((!all && w != wave) || arrived_[w] || ended_[w]) continue;
      if (drained) {
        workgroup_.wait_all(w);
        model_.wait(w, true, 0);
        model_.wait(w, false, 0);
      }
      workgroup_.arrive(w);
      model_.arrive(w);
      arrived_[w] = true;
    }
    release();
    return {};
  }
  Conflicts end(int wave) {
    ended_[wave] = true;
    release();
    return {};
  }
  void release() {
    for (size_t w = 0; w < waves_; ++w)
      if (!arrived_[w] && !ended_[w]) return;
    ++barriers_;
    workgroup_.release();
    model_.release(arrived_);
    arrived_.assign(waves_, false);
  }
  // Mostly each wave has a place of its own, another one after each barrier, and LDS DMA fills the other of
  // two buffers: long traces with few hazards.
  uint32_t region(int wave, bool dma) {
    const uint32_t place = below(100) ? wave + barriers_ : below(100);
    return 1024 * (place % static_cast<uint32_t>(waves_)) + 8192 * ((barriers_ + dma) % 2);
  }
  Conflicts ds(int wave) {
    static constexpr Kind kinds[] = {Kind::load,  Kind::load,  Kind::load,
                                     Kind::store, Kind::store, Kind::atomic};
    static constexpr uint8_t wide[] = {4, 8, 12, 16}, narrow[] = {1, 2, 4, 8, 16};
    const Kind kind = kinds[below(6)];
    const bool byte_access = bytes_ && below(3) == 0;
    const uint64_t unit = byte_access ? 1 : 4;
    const test::LaneRange range{.begin =
                                    region(wave, false) + below(40) * unit + (byte_access ? below(100) : 0),
                                .bytes = byte_access ? narrow[below(5)] : wide[below(4)],
                                .lanes = uint64_t{1} << below(8) | uint64_t{1} << below(8),
                                .stride = static_cast<uint32_t>(below(5) * unit)};
    test::HappensBefore::Access access{
        .wave = wave, .reads = kind == Kind::load, .atomic = kind == Kind::atomic};
    for (uint64_t l = 0; l < 64; ++l)
      for (uint64_t b = 0; range.lanes >> l & 1 && b < range.bytes; ++b)
        access.bytes.insert(static_cast<uint32_t>(range.begin + l * range.stride + b));
    access.address = workgroup_.ds(wave, kind, range);
    return model_.issue(std::move(access));
  }
  Conflicts dma(int wave) {
    const uint32_t base = region(wave, true) + 4 * below(60), lanes = below(256), slot = below(2) ? 4 : 16;
    test::HappensBefore::Access access{.wave = wave, .vm = true};
    for (uint32_t l = 0; l < 64; ++l)
      for (uint32_t b = 0; uint64_t{lanes} >> l & 1 && b < slot; ++b)
        access.bytes.insert(base + l * slot + b);
    access.address = workgroup_.dma(wave, base, lanes, slot);
    return model_.issue(std::move(access));
  }

  std::mt19937_64 random_;
  size_t waves_;
  test::CollectedHazards& hazards_;
  bool bytes_;
  test::TracedWorkgroup workgroup_;
  test::HappensBefore model_;
  std::vector<bool> arrived_, ended_;
  int wait_often_ = 0;
  uint32_t barriers_ = 0;
};

} // namespace

TEST_CASE("Random LDS traces agree with the model of happens-before", "[lds_order][definition]") {
  const bool bytes = GENERATE(false, true);
  test::CollectedHazards hazards;
  observe::MemoryShadow memory;
  // One for all: workgroups follow each other in the same shadow.
  observe::OrderChecks checks{memory, hazards};
  int with_hazard = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    INFO("seed " << seed << ", bytes " << bytes);
    with_hazard += RandomTrace(checks, hazards, seed, bytes).run();
  }
  CHECK(with_hazard > 600); // or the traces show little
  CHECK(with_hazard < 1400);
}
