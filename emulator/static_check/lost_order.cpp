#include "emulator/static_check/lost_order.hpp"

#include "emulator/program/row.hpp"
#include "emulator/static_check/effects.hpp"

#include <algorithm>

namespace fmha950::static_check {
namespace {

using machine::Queue;
using observe::MemoryOperation;
using Role = observe::InstructionInfo::Role;

// A load into registers. (LDS DMA writes LDS, atomics write memory.)
bool is_load(const Code& code, size_t index) {
  const MemoryOperation& operation = code.info(index).operation;
  return operation.kind == MemoryOperation::Kind::load && !operation.lds_dma;
}
// Likewise, or into LDS: no device memory changes.
bool reads_only(const Code& code, size_t index) {
  return code.info(index).operation.kind == MemoryOperation::Kind::load;
}
bool touches_memory(const Code& code, size_t index) {
  const isa::MemoryKind kind = isa::memory_of(code.instruction(index)).kind;
  return kind != isa::MemoryKind::lane_exchange && kind != isa::MemoryKind::clock;
}

// Whether a flag may be read by it that says that other data is there: in LDS, or past the caches (sc0, sc1).
bool may_read_flag(const Code& code, const Flight& flight) {
  const isa::Instruction& in = code.instruction(flight.producer);
  return flight.queue == Queue::ds ? code.lds_may_announce() : in.sc0 || in.sc1;
}

class Order {
 public:
  Order(const Code& code, const Waves& waves, const Steps& steps, const Flights& flights, size_t later)
      : code_(code), waves_(waves), steps_(steps), flights_(flights), later_(later) {}

  const char* lost() const {
    const Flight& flight = flights_.all().front();
    const size_t earlier = flight.producer;
    if (steps_[later_].leaves != Leaves::no) return "in flight where the code leaves what is followed";
    if (!touches_memory(code_, earlier)) return nullptr;
    // When a load happens that nothing depends on does not matter.
    if (is_load(code_, earlier) && !code_.reads_from(later_, flight.destination)) return nullptr;
    if (code_.info(later_).role == Role::barrier)
      return barrier_orders(earlier) && !waves_.order.is_kept(steps_) ? "in flight at a barrier" : nullptr;
    if (steps_[later_].issues().empty() || !touches_memory(code_, later_)) return nullptr;
    const auto in_its_queue = [&](const Issue& issue) {
      return issue.queue == flight.queue && issue.in_order && flight.in_order && flight.queue != Queue::smem;
    };
    const bool in_order = std::ranges::all_of(steps_[later_].issues(), in_its_queue);
    // LDS operations of a wave take effect one after the other.
    if (in_order && flight.queue == Queue::ds) return nullptr;
    // Loads of one queue return in order, those into LDS among them.
    if (in_order && reads_only(code_, earlier) && reads_only(code_, later_)) return nullptr;
    if (touches_only_lds(later_) || code_.info(later_).operation.lds_dma)
      if (reads_only(code_, earlier) && meets_nothing_in_lds(earlier) && nobody_stores(earlier))
        return nullptr;
    // Nobody sees the order of two accesses of device memory that are apart; and the later one tells nothing through LDS.
    if (waves_.bases.apart(earlier, later_) && !code_.info(later_).operation.lds_dma) return nullptr;
    if (code_.info(earlier).operation.lds_dma) return "LDS DMA in flight at a memory operation";
    if (is_load(code_, later_) && touches_only_lds(earlier) && nobody_stores(earlier)) return nullptr;
    if (!is_load(code_, earlier) || !is_load(code_, later_)) return "in flight at a memory operation";
    return in_order || !may_read_flag(code_, flight) ? nullptr : "in flight at a load";
  }

 private:
  bool touches_only_lds(size_t index) const {
    const Effect effect = effect_of(code_, index);
    return has_known_effect(code_, index) && !effect.reads_memory && !effect.writes_memory;
  }

  // Of other waves, beside the operation.
  template <class Disturbs> bool is_undisturbed(size_t earlier, const Disturbs& disturbs) const {
    if (!has_known_effect(code_, earlier)) return false;
    const auto beside = waves_.phases.beside(flights_, later_, steps_);
    if (!beside) return false;
    for (size_t i = 0; i < beside->instructions.size(); ++i)
      if (beside->instructions[i] && (!has_known_effect(code_, i) || disturbs(i))) return false;
    return true;
  }
  bool disturbs_in_lds(size_t earlier, size_t other) const {
    return may_disturb_in_lds(effect_of(code_, earlier), effect_of(code_, other)) &&
           waves_.lds.may_meet_between_waves(earlier, other);
  }

  // Whether another wave that has passed the barrier may meet the operation.
  bool barrier_orders(size_t earlier) const {
    return !is_undisturbed(earlier, [&](size_t other) {
      return (may_disturb_in_memory(effect_of(code_, earlier), effect_of(code_, other)) &&
              !waves_.bases.apart(earlier, other)) ||
             disturbs_in_lds(earlier, other);
    });
  }
  // What it reads or writes in LDS is not what `later` does, nor what other waves do meanwhile.
  bool meets_nothing_in_lds(size_t earlier) const {
    if (may_disturb_in_lds(effect_of(code_, earlier), effect_of(code_, later_)) &&
        waves_.lds.may_meet_in_wave(earlier, later_))
      return false;
    return is_undisturbed(earlier, [&](size_t other) { return disturbs_in_lds(earlier, other); });
  }
  // What the two read of device memory does not change meanwhile, nor does any wave tell another that it may. So it does not
  // matter what the operation tells through LDS, or is told.
  bool nobody_stores(size_t earlier) const {
    const auto concerns = [&](size_t store) {
      return may_concern(store, earlier) || may_concern(store, later_);
    };
    return !effect_of(code_, earlier).writes_memory && is_undisturbed(earlier, [&](size_t other) {
      return effect_of(code_, other).writes_memory && concerns(other);
    }) && std::ranges::none_of(waves_.phases.beside(flights_, later_, steps_)->arriving, concerns);
  }
  bool may_concern(size_t store, size_t index) const {
    return !touches_only_lds(index) && !waves_.bases.apart(store, index);
  }

  const Code& code_;
  const Waves& waves_;
  const Steps& steps_;
  const Flights& flights_;
  const size_t later_;
};

} // namespace

const char* order_lost(const Code& code, const Waves& waves, const Steps& steps, const Flights& flights,
                       size_t later) {
  return Order(code, waves, steps, flights, later).lost();
}

} // namespace fmha950::static_check
