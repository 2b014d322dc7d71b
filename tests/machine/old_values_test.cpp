// What loads find while caches may hold old bytes, against the definition: every store to a byte is kept, and a load finds
// what the newest one that it must see has left, or under random schedules anything newer.
#include "emulator/machine/old_values.hpp"

#include "emulator/machine/workgroup.hpp"
#include "emulator/program/row.hpp"

#include "tests/support/catch.hpp"

#include <cstring>
#include <map>
#include <random>

using namespace fmha950;
using machine::Access;
using machine::MemoryOrder;
using machine::OldValues;

namespace {

constexpr isa::MemoryFacts facts_of(isa::MemoryKind kind, isa::CacheControl cache = isa::CacheControl::none) {
  return {.kind = kind, .segment = isa::Segment::global, .cache = cache, .bytes = 4};
}
const isa::Row load_row = isa::memory_row("load", nullptr, facts_of(isa::MemoryKind::load)),
               store_row = isa::memory_row("store", nullptr, facts_of(isa::MemoryKind::store)),
               write_back_row = isa::memory_row(
                   "write_back", nullptr, facts_of(isa::MemoryKind::no_data, isa::CacheControl::write_back));

class Caches {
 public:
  static constexpr size_t workgroups = 3;
  explicit Caches(MemoryOrder order) : old_values_(order) {
    for (size_t w = 0; w < workgroups; ++w) {
      workgroups_[w].linear_id = w;
      waves_[w].workgroup = &workgroups_[w];
    }
  }

  void store(size_t workgroup, uint32_t* to, uint32_t value, bool sc1) {
    Access access;
    access.data[0][0] = value;
    access.effect = [](machine::Wave&, Access& all) {
      std::memcpy(reinterpret_cast<void*>(all.address[0]), all.data, 4);
    };
    execute(workgroup, access, store_row, isa::Encoding::flat, to, sc1);
  }
  uint32_t load(size_t workgroup, uint32_t* from, bool sc1, bool scalar) {
    Access access;
    access.effect = [](machine::Wave&, Access& all) {
      std::memcpy(all.data, reinterpret_cast<const void*>(all.address[0]), 4);
    };
    execute(workgroup, access, load_row, scalar ? isa::Encoding::smem : isa::Encoding::flat, from, sc1);
    CHECK(access.address[0] == reinterpret_cast<uint64_t>(from));
    return access.data[0][0];
  }
  void write_back(size_t workgroup) {
    Access access;
    execute(workgroup, access, write_back_row, isa::Encoding::mubuf, nullptr, true);
  }
  void invalidate(size_t workgroup) { old_values_.invalidate(workgroups_[workgroup]); }
  void invalidate_scalar(size_t workgroup) { old_values_.invalidate_scalar(workgroups_[workgroup]); }

 private:
  void execute(size_t workgroup, Access& access, const isa::Row& row, isa::Encoding encoding,
               uint32_t* address, bool sc1) {
    isa::Instruction in;
    in.row = &row;
    in.encoding = encoding;
    in.sc1 = sc1;
    access.instruction = &in;
    access.lanes = access.valid = 1;
    access.address[0] = reinterpret_cast<uint64_t>(address);
    old_values_.take_effect(waves_[workgroup], access, random_);
  }

  OldValues old_values_;
  machine::Random random_{1};
  std::array<machine::Workgroup, workgroups> workgroups_;
  std::array<machine::Wave, workgroups> waves_;
};

// The definition, dword by dword.
class Definition {
 public:
  void store(size_t workgroup, size_t cell, uint32_t value, bool sc1) {
    stores_[cell].push_back({workgroup, value, ++now_, sc1 ? now_ : 0});
  }
  void write_back(size_t workgroup) {
    ++now_;
    for (auto& [cell, stores] : stores_)
      for (Store& store : stores)
        if (store.workgroup == workgroup && store.in_memory == 0) store.in_memory = now_;
  }
  void invalidate(size_t workgroup) { invalidated_[workgroup] = ++now_; }
  void invalidate_scalar(size_t workgroup) { scalar_invalidated_[workgroup] = ++now_; }

  // What a load may find: first the oldest.
  std::vector<uint32_t> values(size_t workgroup, size_t cell, bool sc1, bool scalar) const {
    std::vector<uint32_t> values = {0};
    const auto stores = stores_.find(cell);
    if (stores == stores_.end()) return values;
    for (const Store& store : stores->second) {
      if (must_see(workgroup, store, sc1, scalar)) values.clear();
      values.push_back(store.value);
    }
    return values;
  }

 private:
  struct Store {
    size_t workgroup;
    uint32_t value;
    int time, in_memory; // 0: not yet
  };
  bool must_see(size_t workgroup, const Store& store, bool sc1, bool scalar) const {
    const bool past_scalar = !scalar || scalar_invalidated_[workgroup] > store.time;
    if (store.workgroup == workgroup) return past_scalar;
    return store.in_memory > 0 && (sc1 || invalidated_[workgroup] > store.in_memory) &&
           (!scalar || scalar_invalidated_[workgroup] > store.in_memory);
  }
  int now_ = 0;
  std::map<size_t, std::vector<Store>> stores_;
  std::array<int, Caches::workgroups> invalidated_ = {}, scalar_invalidated_ = {};
};

// Returns how many loads found something else than memory.
int compare(MemoryOrder order, uint32_t seed) {
  constexpr size_t cells = 40; // in three blocks
  alignas(64) static uint32_t memory[cells];
  std::memset(memory, 0, sizeof memory);
  Caches caches(order);
  Definition definition;
  std::minstd_rand random(seed);
  const auto below = [&](size_t bound) { return random() / 8 % bound; };
  int old = 0;
  for (uint32_t step = 1; step <= 600; ++step) {
    const size_t workgroup = below(Caches::workgroups), cell = below(2) ? below(4) : below(cells);
    const bool sc1 = below(4) == 0;
    switch (below(8)) {
    case 0:
    case 1:
      definition.store(workgroup, cell, step, sc1);
      caches.store(workgroup, &memory[cell], step, sc1);
      break;
    case 2: definition.write_back(workgroup), caches.write_back(workgroup); break;
    case 3: definition.invalidate(workgroup), caches.invalidate(workgroup); break;
    case 4: definition.invalidate_scalar(workgroup), caches.invalidate_scalar(workgroup); break;
    default: {
      const bool scalar = below(3) == 0, past = sc1 && !scalar;
      const uint32_t found = caches.load(workgroup, &memory[cell], past, scalar);
      const std::vector<uint32_t> values = definition.values(workgroup, cell, past, scalar);
      CAPTURE(seed, step, workgroup, cell, past, scalar, values);
      if (order == MemoryOrder::lazy)
        REQUIRE(found == values.front());
      else
        REQUIRE(std::ranges::find(values, found) != values.end());
      old += found != memory[cell];
    }
    }
  }
  return old;
}

} // namespace

TEST_CASE("old values: under lazy a load finds what the newest store that it must see has left") {
  int old = 0;
  for (uint32_t seed = 1; seed <= 200; ++seed) old += compare(MemoryOrder::lazy, seed);
  CHECK(old > 2000);
}

TEST_CASE("old values: under random and pct a load finds that or anything newer") {
  for (const MemoryOrder order : {MemoryOrder::random, MemoryOrder::pct}) {
    int old = 0;
    for (uint32_t seed = 1; seed <= 200; ++seed) old += compare(order, seed);
    CHECK(old > 200);
  }
}

TEST_CASE(
    "old values: a workgroup that has seen new bytes does not see old ones again, and who polls sees them") {
  uint32_t cell = 0;
  Caches random(MemoryOrder::random);
  random.store(0, &cell, 1, false);
  bool seen = false;
  for (int load = 0; load < 100; ++load) {
    const bool is_new = random.load(1, &cell, false, false) == 1;
    CHECK((is_new || !seen));
    seen |= is_new;
  }
  CHECK(seen);
  Caches lazy(MemoryOrder::lazy);
  lazy.store(0, &cell, 2, false);
  int polls = 0;
  while (lazy.load(1, &cell, false, false) != 2 && polls < 10'000) ++polls;
  CHECK(polls > 100);
  CHECK(polls < 10'000);
}
