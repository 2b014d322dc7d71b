// Memory operations in flight: what a wave may see before and after its waits, under each schedule
// (machine_gfx950.md section 1.1, DESIGN.md section 4).
#include "tests/emulator/scheduled_wave.hpp"

#include <set>

using namespace fmha950;
using namespace fmha950::test;
using machine::Access;
using machine::MemoryQueues;
using machine::Queue;

namespace {

// Bare operations that record what happens to them. lds_base is the operation's name.
struct Log {
  std::vector<uint32_t> effects, deliveries;
};
Log* log_in_use = nullptr;

struct Recorder {
  explicit Recorder(std::string_view schedule, uint64_t seed = 1) {
    wave.workgroup = &workgroup;
    log_in_use = &log;
    queues().reset(scheduled(schedule).schedule, seed);
  }
  MemoryQueues& queues() { return wave.memory; }
  void issue(uint32_t name, Queue queue, int count = 1) {
    Access& access = queues().allocate();
    access.lds_base = name;
    access.effect = [](machine::Wave&, Access& a) { log_in_use->effects.push_back(a.lds_base); };
    access.deliver = [](machine::Wave&, Access& a) { log_in_use->deliveries.push_back(a.lds_base); };
    queues().issue(wave, access, queue, count);
  }
  machine::Workgroup workgroup;
  machine::Wave wave;
  Log log;
};
using Names = std::vector<uint32_t>;

} // namespace

TEST_CASE("queue, lazy: nothing happens before a wait, which delivers just enough, in order") {
  Recorder r("lazy");
  for (uint32_t i = 0; i < 5; ++i) r.issue(i, Queue::vm);
  CHECK(r.log.effects.empty());
  CHECK(r.queues().vmcnt() == 5);
  r.queues().wait_vmcnt(r.wave, 5);
  CHECK(r.log.effects.empty());
  r.queues().wait_vmcnt(r.wave, 3);
  CHECK(r.log.effects == Names{0, 1});
  CHECK(r.log.deliveries == Names{0, 1});
  r.queues().wait_lgkmcnt(r.wave, 0);
  CHECK(r.queues().vmcnt() == 3);
  r.queues().drain(r.wave);
  CHECK(r.log.deliveries == Names{0, 1, 2, 3, 4});
  CHECK(r.queues().vmcnt() == 0);
}

TEST_CASE("queue: the 64th VMEM and the 16th LGKM operation stall for the oldest") {
  for (const char* schedule : {"lazy", "random:1"}) {
    Recorder r(schedule);
    for (uint32_t i = 0; i < 63; ++i) r.issue(i, Queue::vm);
    CHECK(r.log.deliveries.empty());
    r.issue(63, Queue::vm);
    CHECK(r.log.deliveries == Names{0});
    CHECK(r.queues().vmcnt() == 63);
  }
  Recorder r("lazy");
  for (uint32_t i = 0; i < 15; ++i) r.issue(i, Queue::ds);
  CHECK(r.log.deliveries.empty());
  r.issue(15, Queue::ds);
  CHECK(r.log.deliveries == Names{0});
  r.issue(16, Queue::smem, 2);
  CHECK(r.queues().lgkmcnt() <= MemoryQueues::lgkmcnt_max);
}

TEST_CASE("queue, lazy: lgkmcnt(n) with DS and SMEM in flight delivers what one did not count on") {
  Recorder r("lazy");
  r.issue(0, Queue::smem);
  r.issue(1, Queue::ds);
  r.issue(2, Queue::ds);
  r.issue(3, Queue::smem);
  r.queues().wait_lgkmcnt(r.wave, 3); // a program that counts issue order expects 0
  CHECK(r.log.deliveries == Names{3});
  r.queues().wait_lgkmcnt(r.wave, 2);
  CHECK(r.log.deliveries == Names{3, 1});
  r.queues().wait_lgkmcnt(r.wave, 1);
  CHECK(r.log.deliveries == Names{3, 1, 2});
  r.queues().wait_lgkmcnt(r.wave, 0);
  CHECK(r.log.deliveries == Names{3, 1, 2, 0});
}

TEST_CASE("queue, lazy: SMEM of two or more dwords counts twice, and returns out of order") {
  Recorder r("lazy");
  r.issue(0, Queue::smem, 2);
  r.issue(1, Queue::smem, 2);
  CHECK(r.queues().lgkmcnt() == 4);
  r.queues().wait_lgkmcnt(r.wave, 3);
  CHECK(r.log.deliveries == Names{1});
  CHECK(r.queues().lgkmcnt() == 2);
}

TEST_CASE("queue, random: effects and deliveries in issue order within VMEM and DS, at many moments") {
  std::set<Names> outcomes;
  std::set<size_t> effects_at_delivery;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Recorder r("random:9", seed);
    for (uint32_t i = 0; i < 6; ++i) {
      r.issue(i, Queue::vm);
      r.issue(100 + i, Queue::ds);
      r.issue(200 + i, Queue::smem);
      if (r.queues().wants_steps()) r.queues().step(r.wave);
    }
    for (int step = 0; step < 10 && r.queues().wants_steps(); ++step) r.queues().step(r.wave);
    effects_at_delivery.insert(r.log.effects.size() - r.log.deliveries.size());
    outcomes.insert(r.log.deliveries);
    r.queues().drain(r.wave);
    CHECK(r.log.deliveries.size() == 18);
    for (const Names* names : {&r.log.effects, &r.log.deliveries})
      for (uint32_t base : {0u, 100u}) {
        uint32_t next = base;
        for (uint32_t name : *names)
          if (name / 100 * 100 == base) REQUIRE(name == next++);
        REQUIRE(next == base + 6);
      }
  }
  CHECK(outcomes.size() > 100);
  CHECK(effects_at_delivery.size() > 3); // effects run ahead of deliveries
}

TEST_CASE("queue, random: the same seeds give the same run, others do not") {
  const auto run = [](const char* schedule, uint64_t seed) {
    Recorder r(schedule, seed);
    for (uint32_t i = 0; i < 12; ++i) {
      r.issue(i, i % 2 ? Queue::smem : Queue::vm);
      if (r.queues().wants_steps()) r.queues().step(r.wave);
    }
    r.queues().drain(r.wave);
    return r.log.deliveries;
  };
  CHECK(run("random:1", 5) == run("random:1", 5));
  std::set<Names> outcomes;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    outcomes.insert(run("random:1", seed));
    outcomes.insert(run("random:2", seed));
  }
  CHECK(outcomes.size() > 10);
}

TEST_CASE(
    "a loaded register is old before the wait under lazy and timed, new under eager, either under random") {
  DeviceBytes memory(256);
  const auto run = [&](std::string_view schedule) {
    ScheduledWave w(schedule);
    set_lanes64(w, 0, [&](int l) { return memory.address() + static_cast<uint64_t>(4 * l); });
    set_lanes(w, 2, [](int) { return 0xAAAAAAAA; });
    w.run(
        "global_load_dword v2, v[0:1], off\nv_mov_b32_e32 v3, v2\ns_waitcnt vmcnt(0)\nv_mov_b32_e32 v4, v2");
    for (int l = 0; l < 64; ++l) REQUIRE(w.lane(4, l) == memory.dword(static_cast<uint64_t>(4 * l)));
    return w.lane(3, 9) == 0xAAAAAAAA;
  };
  CHECK_FALSE(run("eager"));
  CHECK(run("lazy"));
  CHECK(run("timed")); // no load is back so soon
  int old = 0;
  for (int seed = 0; seed < 60; ++seed) old += run("random:" + std::to_string(seed));
  CHECK(old > 0);
  CHECK(old < 60);
}

TEST_CASE("store data is captured at issue, VMEM of one wave is ordered in memory") {
  for (const char* schedule : schedules) {
    CAPTURE(schedule);
    DeviceBytes memory(256);
    ScheduledWave w(schedule);
    set_lanes64(w, 0, [&](int l) { return memory.address() + static_cast<uint64_t>(4 * l); });
    set_lanes(w, 2, [](int l) { return 1000 + l; });
    w.run("global_store_dword v[0:1], v2, off\nv_mov_b32_e32 v2, 0\nglobal_load_dword v3, v[0:1], off\n"
          "global_store_dword v[0:1], v2, off\ns_waitcnt vmcnt(0)");
    for (int l = 0; l < 64; ++l) {
      REQUIRE(w.lane(3, l) == static_cast<uint32_t>(1000 + l));
      REQUIRE(memory.dword(static_cast<uint64_t>(4 * l)) == 0);
    }
  }
}

TEST_CASE("lazily, a scalar load does not see a vector store that was not waited for") {
  DeviceBytes memory(256);
  const uint32_t before = memory.dword(0);
  OneWave w(scheduled("lazy"));
  w.wave().set_sgpr64(4, memory.address());
  set_lanes(w, 0, [](int l) { return l * 4; });
  set_lanes(w, 1, [](int) { return 5; });
  w.run("global_store_dword v0, v1, s[4:5]\ns_load_dword s8, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)\n"
        "s_waitcnt vmcnt(0)\ns_load_dword s9, s[4:5], 0x0\ns_waitcnt lgkmcnt(0)");
  CHECK(w.sgpr(8) == before);
  CHECK(w.sgpr(9) == 5);
}

TEST_CASE("FLAT owes both counters: LDS lanes arrive with lgkmcnt, memory lanes with vmcnt") {
  DeviceBytes memory(256);
  OneWave w(scheduled("lazy"));
  fill_lds(w);
  set_lanes64(w, 0, [&](int l) {
    return (l % 2 ? machine::shared_aperture : memory.address()) + static_cast<uint64_t>(4 * l);
  });
  set_lanes(w, 2, [](int) { return 0xAAAAAAAA; });
  w.run("flat_load_dword v2, v[0:1]\ns_waitcnt lgkmcnt(0)\nv_mov_b32_e32 v3, v2\ns_waitcnt vmcnt(0)\n"
        "v_mov_b32_e32 v4, v2");
  uint32_t in_lds;
  std::memcpy(&in_lds, &w.lds()[4], 4);
  CHECK(w.lane(3, 1) == in_lds);
  CHECK(w.lane(3, 2) == 0xAAAAAAAA);
  CHECK(w.lane(4, 2) == memory.dword(8));
}

namespace {
// One bare operation of 64 lanes: the lanes of each of its deliveries while the wave goes on.
std::vector<uint64_t> pieces(std::string_view schedule, uint64_t seed, Queue queue) {
  static std::vector<uint64_t> delivered;
  delivered.clear();
  machine::Workgroup workgroup;
  machine::Wave wave;
  wave.workgroup = &workgroup;
  wave.memory.reset(scheduled(schedule).schedule, seed);
  Access& access = wave.memory.allocate();
  access.lanes = ~uint64_t{0};
  access.deliver = [](machine::Wave&, Access& a) { delivered.push_back(a.lanes); };
  wave.memory.issue(wave, access, queue);
  for (int step = 0; step < 50 && wave.memory.wants_steps(); ++step) wave.memory.step(wave);
  const bool in_flight = wave.memory.vmcnt() + wave.memory.lgkmcnt() > 0;
  uint64_t early = 0;
  for (uint64_t lanes : delivered) early |= lanes;
  CHECK((in_flight || early == ~uint64_t{0})); // the counter goes down with the last lane
  wave.memory.drain(wave);
  return delivered;
}
} // namespace

TEST_CASE("queue: deliveries land piecemeal under random and pct, every lane once, whole under lazy") {
  for (const Queue queue : {Queue::vm, Queue::ds, Queue::smem}) {
    CHECK(pieces("lazy", 1, queue) == std::vector<uint64_t>{~uint64_t{0}});
    for (const char* schedule : {"random:3", "pct:3"}) {
      size_t most = 0, whole = 0;
      for (uint64_t seed = 0; seed < 100; ++seed) {
        const auto parts = pieces(schedule, seed, queue);
        uint64_t all = 0;
        for (uint64_t lanes : parts) {
          REQUIRE((all & lanes) == 0);
          all |= lanes;
        }
        REQUIRE(all == ~uint64_t{0});
        most = std::max(most, parts.size());
        whole += parts.size() == 1;
      }
      CHECK(most >= 3);
      CHECK(whole > 0);
    }
  }
}

TEST_CASE("queue, pct: each queue's moments are prompt or late for long, in issue order") {
  std::set<Names> outcomes;
  int all_prompt = 0, all_late = 0, effects_only = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    Recorder r("pct:1", seed);
    for (uint32_t i = 0; i < 8; ++i) {
      r.issue(i, Queue::vm);
      r.queues().step(r.wave);
    }
    all_prompt += r.log.deliveries.size() == 8;
    all_late += r.log.effects.empty();
    effects_only += r.log.effects.size() == 8 && r.log.deliveries.empty();
    r.queues().drain(r.wave);
    outcomes.insert(r.log.effects);
    CHECK(r.log.deliveries == Names{0, 1, 2, 3, 4, 5, 6, 7});
  }
  CHECK(outcomes.size() == 1);
  CHECK(all_prompt > 20);
  CHECK(all_late > 10);
  CHECK(effects_only > 10);
}

TEST_CASE("queue, pct: scalar loads return out of order") {
  std::set<Names> outcomes;
  for (uint64_t seed = 0; seed < 100; ++seed) {
    Recorder r("pct:1", seed);
    for (uint32_t i = 0; i < 3; ++i) r.issue(i, Queue::smem);
    r.queues().drain(r.wave);
    outcomes.insert(r.log.deliveries);
  }
  CHECK(outcomes.size() == 6);
}

TEST_CASE("LDS DMA and register loads land piecemeal: a wave may see some lanes new and others old") {
  DeviceBytes memory(256);
  const auto run = [&](std::string_view schedule) {
    OneWave w(scheduled(schedule));
    std::fill(w.lds().begin(), w.lds().end(), 0xAA);
    w.sgpr(machine::code::m0) = 0;
    w.wave().set_sgpr64(4, memory.address());
    set_lanes(w, 0, [](int l) { return l * 4; });
    set_lanes(w, 2, [](int) { return 0xAAAAAAAA; });
    w.run("global_load_lds_dword v0, s[4:5]\ns_nop 0\ns_nop 0\nds_read_b32 v1, v0\n"
          "s_waitcnt lgkmcnt(0)\ns_waitcnt vmcnt(0)\nglobal_load_dword v2, v0, s[4:5]\ns_nop 0\ns_nop 0\n"
          "v_mov_b32_e32 v3, v2\ns_waitcnt vmcnt(0)");
    int new_in_lds = 0, new_in_register = 0;
    for (int l = 0; l < 64; ++l) {
      const uint32_t value = memory.dword(static_cast<uint64_t>(4 * l));
      REQUIRE(w.lane(2, l) == value);
      REQUIRE((w.lane(1, l) == value || w.lane(1, l) == 0xAAAAAAAA));
      REQUIRE((w.lane(3, l) == value || w.lane(3, l) == 0xAAAAAAAA));
      new_in_lds += w.lane(1, l) == value;
      new_in_register += w.lane(3, l) == value;
    }
    return std::pair(new_in_lds, new_in_register);
  };
  for (const char* order : {"random:", "pct:"}) {
    int partial_lds = 0, partial_register = 0;
    for (int seed = 0; seed < 60; ++seed) {
      const auto [in_lds, in_register] = run(order + std::to_string(seed));
      partial_lds += in_lds > 0 && in_lds < 64;
      partial_register += in_register > 0 && in_register < 64;
    }
    INFO(order);
    CHECK(partial_lds > 3);
    CHECK(partial_register > 0);
  }
  CHECK(run("lazy") == std::pair(0, 0));
}
