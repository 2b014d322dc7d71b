#pragma once
// Happens-before by its definition, without atomics between workgroups: every access with all its bytes is
// kept and compared with every later one. No vector clocks, no shadow.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace fmha950::test {

class HappensBefore {
 public:
  using Conflicts = std::set<std::pair<uint64_t, uint64_t>>; // earlier instruction, byte
  static constexpr int never = 1 << 30;
  struct Access {
    uint64_t address = 0; // of the instruction
    int wave = 0;         // of all workgroups'
    bool vm = false, reads = false, atomic = false;
    std::set<uint64_t> bytes = {};
    bool complete = false;       // as its own wave knows
    int told_at_barrier = never; // the first barrier its wave reached after that
  };
  explicit HappensBefore(size_t waves, size_t workgroups = 1)
      : waves_per_workgroup_(static_cast<int>(waves / workgroups)), vm_(waves), ds_(waves), passed_(waves) {}

  // An operation that touches nothing has no bytes.
  Conflicts issue(Access access) {
    Conflicts conflicts;
    for (const auto& earlier : all_) {
      if ((earlier->reads && access.reads) || (earlier->atomic && access.atomic)) continue;
      if (ordered(*earlier, access)) continue;
      for (uint64_t byte : access.bytes)
        if (earlier->bytes.contains(byte)) conflicts.insert({earlier->address, byte});
    }
    all_.push_back(std::make_unique<Access>(access));
    for (uint64_t byte : access.bytes) remember(*all_.back(), byte);
    (access.vm ? vm_ : ds_)[access.wave].push_back(all_.back().get());
    return conflicts;
  }
  // Whether more than `most` readers of a byte, since its last write,
  // were unordered among themselves at a time.
  bool had_readers_beyond(size_t most, uint64_t byte) const {
    const auto at = readers_.find(byte);
    return at != readers_.end() && at->second.most > most;
  }
  void wait(int wave, bool vm, size_t limit) {
    auto& queue = (vm ? vm_ : ds_)[wave];
    while (queue.size() > limit) {
      queue.front()->complete = true;
      queue.pop_front();
    }
  }
  void arrive(int wave) {
    for (const auto& access : all_)
      if (access->wave == wave && access->complete && access->told_at_barrier == never)
        access->told_at_barrier = passed_[wave];
  }
  void release(const std::vector<bool>& arrived) {
    for (size_t w = 0; w < arrived.size(); ++w) passed_[w] += arrived[w];
  }

 private:
  struct Readers {
    std::vector<const Access*> unordered;
    size_t most = 0; // of these so far
  };
  void remember(const Access& access, uint64_t byte) {
    Readers& readers = readers_[byte];
    if (!access.reads) {
      readers = {};
      return;
    }
    std::erase_if(readers.unordered, [&](const Access* earlier) { return ordered(*earlier, access); });
    readers.unordered.push_back(&access);
    readers.most = std::max(readers.most, readers.unordered.size());
  }
  bool ordered(const Access& earlier, const Access& later) const {
    if (earlier.wave == later.wave) return earlier.vm == later.vm || earlier.complete;
    if (earlier.wave / waves_per_workgroup_ != later.wave / waves_per_workgroup_) return false;
    return earlier.told_at_barrier < passed_[later.wave];
  }
  int waves_per_workgroup_;
  std::vector<std::unique_ptr<Access>> all_;
  std::map<uint64_t, Readers> readers_;      // by byte
  std::vector<std::deque<Access*>> vm_, ds_; // in flight, per wave
  std::vector<int> passed_;                  // barriers
};

} // namespace fmha950::test
