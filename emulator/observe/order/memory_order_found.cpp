// What MemoryOrder finds and how it says so.
#include "emulator/observe/order/memory_order.hpp"

#include "emulator/machine/wave.hpp"

#include <fmt/format.h>

namespace fmha950::observe {

// A load that is ordered behind a plain store, and may miss it in a cache.
void MemoryOrder::see(Current& now, AccessTag earlier, int lane, uint64_t begin, uint32_t bytes) {
  if (earlier.same_workgroup(now.tag)) {
    if (!earlier.scalar()) // a workgroup's vector loads share a cache with its stores
      invisible(earlier, visibility_.missing_in_workgroup(now.event.wave.index, earlier), lane, begin, bytes);
    return;
  }
  const isa::Instruction* store = shadow_.instruction(earlier.instruction());
  invisible(earlier, visibility_.missing_behind_order(load_of(now), earlier, store), lane, begin, bytes);
}

void MemoryOrder::see_flag(Current& now, AccessTag earlier, int lane, uint64_t begin, uint32_t bytes) {
  if (earlier.same_workgroup(now.tag)) return;
  const isa::Instruction* store = shadow_.instruction(earlier.instruction());
  invisible(earlier, visibility_.missing_of_flag(load_of(now), earlier, store), lane, begin, bytes);
}

Visibility::Load MemoryOrder::load_of(const Current& now) const {
  const isa::Instruction& in = *now.event.access.instruction;
  return {.wave = now.event.wave.index,
          .scalar = now.tag.scalar(),
          .past_caches = !now.tag.scalar() && in.sc1,
          .instruction = &in,
          .polls = now.event.operation.polls};
}

void MemoryOrder::invisible(AccessTag earlier, std::string missing, int lane, uint64_t begin,
                            uint32_t bytes) {
  if (missing.empty()) return;
  for (Found& other : found_)
    if (other.earlier.any_lane() == earlier.any_lane() && other.invisible == missing) {
      if (other.end == begin) other.end += bytes;
      return;
    }
  found_.push_back({earlier, Use::write, false, lane, begin, begin + bytes, std::move(missing)});
}

// One hazard per earlier operation, with the bytes that follow each other.
void MemoryOrder::found(AccessTag earlier, Use use, bool equal, int lane, uint64_t begin, uint32_t bytes) {
  for (Found& other : found_)
    if (other.earlier.any_lane() == earlier.any_lane() && other.earlier_use == use && other.equal == equal &&
        other.invisible.empty()) {
      if (other.end == begin) other.end += bytes;
      return;
    }
  found_.push_back({earlier, use, equal, lane, begin, begin + bytes});
}

// Which of two workgroups came first depends on host threads: the lower one is named first. Tags hold a
// workgroup's low bits; the others are taken to be those of this one, as they are in all but huge launches.
void MemoryOrder::report(const Current& now, const Found& found) {
  const isa::Instruction* before = shadow_.instruction(found.earlier.instruction());
  const isa::Instruction* after = now.event.access.instruction;
  Hazard hazard;
  hazard.kernel = kernel_;
  hazard.earlier = {before ? before->address : 0, (workgroup_ & ~workgroup_mask) | found.earlier.workgroup(),
                    found.earlier.wave(), found.earlier.lane()};
  hazard.later = {after->address, workgroup_, now.event.wave.index, found.lane};
  hazard.begin = found.begin;
  hazard.end = found.end;
  if (!found.invisible.empty()) {
    hazard.type = HazardClass::visibility;
    hazard.what = stale_text(before, after);
    hazard.missing = found.invisible;
    return sink_.report(std::move(hazard));
  }
  hazard.type = HazardClass::memory_order;
  hazard.missing = missing(now, found.earlier);
  if (const Operation by = found.earlier.operation();
      found.earlier.same_workgroup(now.tag) && by.wave != now.event.wave.index)
    hazard.ahead = static_cast<int64_t>(now.completion.of(by.queue).issued) - by.clock;
  if (found.equal) hazard.severity = Severity::note;
  Use before_use = found.earlier_use, after_use = now.use;
  if (hazard.later.workgroup < hazard.earlier.workgroup) {
    std::swap(hazard.earlier, hazard.later);
    std::swap(before, after);
    std::swap(before_use, after_use);
  }
  hazard.what = found.equal ? equal_text("device", before, after)
                            : conflict_text("device", before, before_use, after, after_use);
  sink_.report(std::move(hazard));
}

std::string MemoryOrder::missing(const Current& now, AccessTag earlier) const {
  const int wave = now.event.wave.index;
  if (earlier.same_workgroup(now.tag))
    return clocks_.missing(wave, now.completion, earlier.operation(),
                           shadow_.instruction(earlier.instruction()));
  return clocks_.known_of(wave, earlier.workgroup())
             ? "s_waitcnt vmcnt(0) before the atomic that tells the other workgroup"
             : "an order between workgroups: an atomic, or launches of their own";
}

void MemoryOrder::note(const machine::Wave* wave, const isa::Instruction* in, std::string what) {
  Hazard hazard;
  hazard.type = HazardClass::memory_order;
  hazard.severity = Severity::note;
  hazard.kernel = kernel_;
  if (in) hazard.later = {in->address, workgroup_, wave->index, -1};
  hazard.what = std::move(what);
  sink_.report(std::move(hazard));
}

} // namespace fmha950::observe
