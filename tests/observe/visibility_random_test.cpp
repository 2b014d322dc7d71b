// Random traces of stores, flags and cache instructions against the definition of visibility: sets of stores instead of
// vector clocks, one operation at a time.
#include "tests/observe/memory_order_case.hpp"

#include "tests/support/catch.hpp"

#include <deque>
#include <map>
#include <random>
#include <set>

using namespace fmha950;
using namespace fmha950::test;
using isa::CacheControl;

namespace {

using Stores = std::set<int>; // by number

struct Told { // with a flag
  Stores known, in_memory;
};

struct Wave {
  Stores issued, complete;         // its own
  Stores known, seen;              // of others; seen: known when caches were invalidated last
  Stores in_memory;                // of all
  std::vector<Stores> write_backs; // not waited for
};

struct Store {
  int workgroup = -1; // none yet
  int number = 0;
  bool past_caches = false;
};

class RandomTrace {
 public:
  static constexpr size_t workgroups = 3, cells = 4, flags = 2;
  RandomTrace(std::deque<observe::OrderChecks>& checks, CollectedHazards& hazards, uint64_t seed)
      : random_(seed), hazards_(hazards) {
    for (size_t w = 0; w < workgroups; ++w) traced_.emplace_back(checks[w], 1, w);
  }

  // How many loads lacked something.
  int run() {
    int lacking = 0;
    for (int step = 0; step < 400; ++step) {
      INFO("step " << step);
      g_ = below(workgroups);
      switch (below(9)) {
      case 0:
      case 1: store(); break;
      case 2: wait(); break;
      case 3: release(); break;
      case 4: acquire(); break;
      case 5: write_back(); break;
      case 6: invalidate(); break;
      default: lacking += load();
      }
      hazards_.all.clear();
    }
    return lacking;
  }

 private:
  static void add(Stores& to, const Stores& from) { to.insert(from.begin(), from.end()); }
  size_t below(size_t n) { return random_() % n; }
  Wave& wave() { return waves_[g_]; }
  TracedWorkgroup& traced() { return traced_[g_]; }
  static LaneRange row(size_t cell) { return MemoryOrderCase::row_at(1024 * cell); }
  static LaneRange flag(size_t index) { return one_lane(MemoryOrderCase::base + 65536 + 64 * index); }

  void store() {
    const size_t cell = below(cells);
    const bool past_caches = below(4) == 0;
    traced().vm(0, Kind::store, row(cell), false, past_caches);
    last_[cell] = {static_cast<int>(g_), ++number_, past_caches};
    wave().issued.insert(number_);
  }
  void wait() {
    traced().wait_vmcnt(0, 0);
    wave().complete = wave().issued;
    for (const Stores& stores : wave().write_backs) add(wave().in_memory, stores);
    wave().write_backs.clear();
  }
  void release() {
    const size_t index = below(flags);
    traced().vm(0, Kind::store, flag(index), false, true);
    add(told_[index].known, wave().known);
    add(told_[index].known, wave().complete);
    add(told_[index].in_memory, wave().in_memory);
  }
  void acquire() {
    const size_t index = below(flags);
    traced().vm(0, Kind::load, flag(index), false, true);
    wait();
    add(wave().known, told_[index].known);
    add(wave().in_memory, told_[index].in_memory);
  }
  void write_back() {
    traced().cache(0, CacheControl::write_back);
    wave().write_backs.push_back(wave().issued);
  }
  void invalidate() {
    traced().cache(0, CacheControl::invalidate);
    add(wave().seen, wave().known);
  }
  bool load() {
    const size_t cell = below(cells);
    const bool past_caches = below(4) == 0;
    const Store& last = last_[cell];
    traced().vm(0, Kind::load, row(cell), false, past_caches);
    const bool ordered =
        last.workgroup >= 0 && last.workgroup != static_cast<int>(g_) && wave().known.contains(last.number);
    const bool no_write_back = ordered && !last.past_caches && !wave().in_memory.contains(last.number);
    const bool no_invalidation = ordered && !past_caches && !wave().seen.contains(last.number);
    std::string missing;
    for (const observe::Hazard& hazard : hazards_.all)
      if (hazard.type == observe::HazardClass::visibility) missing += hazard.missing;
    CAPTURE(ordered, no_write_back, no_invalidation, missing);
    REQUIRE((missing.find("buffer_wbl2") != std::string::npos) == no_write_back);
    REQUIRE((missing.find("buffer_inv") != std::string::npos) == no_invalidation);
    return no_write_back || no_invalidation;
  }

  std::mt19937_64 random_;
  CollectedHazards& hazards_;
  std::deque<TracedWorkgroup> traced_;
  std::array<Wave, workgroups> waves_;
  std::array<Store, cells> last_;
  std::array<Told, flags> told_;
  size_t g_ = 0;
  int number_ = 0;
};

} // namespace

TEST_CASE("Random traces agree with the definition of visibility", "[visibility][definition]") {
  CollectedHazards hazards;
  observe::MemoryShadow memory;
  std::deque<observe::OrderChecks> checks;
  for (size_t w = 0; w < RandomTrace::workgroups; ++w) checks.emplace_back(memory, hazards);
  int lacking = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    INFO("seed " << seed);
    memory.begin_launch();
    lacking += RandomTrace(checks, hazards, seed).run();
  }
  CHECK(lacking > 1000); // or the traces show little
}
