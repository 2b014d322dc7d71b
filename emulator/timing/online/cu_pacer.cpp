#include "emulator/timing/online/cu_pacer.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/program/row.hpp"
#include "emulator/rates/latencies.hpp"
#include "emulator/timing/record/access_record.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace fmha950::timing {
namespace {

// CUs of a chiplet that the launch keeps busy: they share its L2.
double busy_cus(const machine::Launch& launch) {
  const uint64_t grid = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  return static_cast<double>(std::clamp<uint64_t>((grid + chiplets - 1) / chiplets, 1, cus_per_chiplet));
}

} // namespace

class CuPacer::Feed final : public WaveFeed {
 public:
  Feed(CuPacer& pacer, machine::Wave& wave, WaveRecord& record)
      : WaveFeed(wave.listener), pacer_(pacer), wave_(wave), record_(record) {}

  uint32_t execute() override {
    pacer_.count();
    catch_up();
    pacer_.workgroup_->step(wave_);
    return wave_.state == machine::WaveState::ended ? none : pacer_.ops_.number_of(*wave_.next);
  }
  // What its registers are to get; false: at once.
  bool deliver_later(uint32_t operation) {
    if (held_back_ == 0 && deliveries_.empty()) return false;
    deliveries_.push_back({held_back_, operation});
    held_back_ = 0;
    return true;
  }
  // Vector memory operations of a wave take effect in order (machine_gfx950.md section 1.1).
  void started(uint64_t effect, uint64_t delivery) override {
    Event next = issued_.front();
    issued_.erase(issued_.begin());
    Operation& operation = pacer_.operations_[next.operation];
    if (operation.queue == machine::Queue::vm) effect = last_effect_ = std::max(effect, last_effect_);
    operation.delivery = std::max(effect, delivery);
    next.clock = effect;
    pacer_.add(next);
  }
  WaveRecord& record() override { return record_; }

  // Does what was held back.
  void catch_up() {
    for (const auto& [instructions, operation] : deliveries_) {
      run(instructions);
      pacer_.deliver(operation);
    }
    deliveries_.clear();
    run(std::exchange(held_back_, 0));
  }
  void issue(const Event& event, uint32_t lds_bytes) {
    const Operation& operation = pacer_.operations_[event.operation];
    record_access(pacer_.infos_.of(*operation.access->instruction).operation, *operation.access,
                  operation.queue, lds_bytes, record_);
    issued_.push_back(event);
  }

 private:
  struct Delivery {
    uint32_t instructions; // before it
    uint32_t operation;
  };

  void run(uint32_t instructions) {
    if (instructions != 0) pacer_.workgroup_->step(wave_, instructions);
  }

  CuPacer& pacer_;
  machine::Wave& wave_;
  WaveRecord& record_;
  std::vector<Event> issued_;        // by the instruction at hand: FLAT issues two
  std::vector<Delivery> deliveries_; // that were held back
  uint64_t last_effect_ = 0;
};

CuPacer::CuPacer(const machine::Launch& launch, const Assumptions& assumptions,
                 std::function<void()> now_and_then)
    : launch_(launch), assumptions_(assumptions), ops_(*launch.kernel, launch.code, assumptions),
      now_and_then_(std::move(now_and_then)) {
  infos_.start(launch.kernel->object->program(), launch.kernel->accum_offset);
}
CuPacer::~CuPacer() = default;

void CuPacer::count() {
  constexpr uint32_t now_and_then = 1 << 15;
  if (++executed_ < now_and_then) return;
  executed_ = 0;
  now_and_then_();
}

WaveFeed& CuPacer::wave(size_t index) { return feeds_[index]; }

void CuPacer::issued(machine::Wave& wave, std::unique_ptr<machine::Access> access, machine::Queue queue) {
  if (free_.empty()) {
    free_.push_back(static_cast<uint32_t>(operations_.size()));
    operations_.emplace_back();
  }
  const uint32_t place = free_.back();
  free_.pop_back();
  operations_[place] = {.wave = &wave, .access = std::move(access), .queue = queue};
  feeds_[static_cast<size_t>(wave.index)].issue({.clock = 0, .number = issued_++, .operation = place},
                                                workgroup_->lds_bytes);
}

void CuPacer::happen(Event event) {
  Operation& operation = operations_[event.operation];
  machine::Access& access = *operation.access;
  if (!operation.delivers) {
    clock_ = event.clock;
    if (access.effect) access.effect(*operation.wave, access);
    operation.delivers = true;
    if (operation.delivery != event.clock) { // else no other comes between
      event.clock = operation.delivery;
      return add(event);
    }
  }
  const bool to_registers = !isa::is_lds_dma(*access.instruction);
  if (to_registers && feeds_[static_cast<size_t>(operation.wave->index)].deliver_later(event.operation))
    return;
  deliver(event.operation);
}

void CuPacer::deliver(uint32_t number) {
  Operation& operation = operations_[number];
  machine::Access& access = *operation.access;
  if (access.deliver) access.deliver(*operation.wave, access);
  operation.wave->memory.give_back(std::move(operation.access));
  free_.push_back(number);
}

void CuPacer::run(machine::Workgroup& workgroup) {
  workgroup_ = &workgroup;
  const uint32_t entry = ops_.number_of(*workgroup.waves.front().next);
  if (!model_) model_ = std::make_unique<Model>(ops_.all(), assumptions_, busy_cus(launch_));
  record_.linear_id = workgroup.linear_id;
  record_.waves.assign(workgroup.waves.size(), {});
  feeds_.clear();
  operations_.clear(); // some are left where the one before has faulted
  free_.clear();
  events_.begin(model_->simulation.clocks);
  due_ = events_.first();
  for (machine::Wave& each : workgroup.waves) {
    WaveRecord& record = record_.waves[static_cast<size_t>(each.index)];
    record.ops.push_back(entry);
    feeds_.emplace_back(*this, each, record);
  }
  try {
    run_clock_by_clock();
  } catch (const machine::Fault&) {
    model_.reset(); // the workgroup stands on it
    throw;
  }
}

void CuPacer::run_clock_by_clock() {
  ComputeUnit& unit = model_->unit;
  unit.enter(record_, *this, model_->simulation.clocks);
  run_to_the_end(std::span(&unit, 1));
  happen_until(Events::never - 1); // stores of waves that have ended
}

} // namespace fmha950::timing
