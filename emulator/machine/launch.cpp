#include "emulator/machine/launch.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/machine/control.hpp"
#include "emulator/machine/initial_state.hpp"
#include "numerics/threads.hpp"

#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <mutex>
#include <optional>

namespace fmha950::machine {
namespace {

const isa::Instruction* entry_of(const Launch& launch) {
  const loader::Kernel& kernel = *launch.kernel;
  if (launch.code)
    if (const isa::Instruction* const changed = launch.code->at(kernel.entry)) return changed;
  const auto function = kernel.object->function_at(kernel.entry);
  if (!function) raise_fault(fmt::format("kernel {}: its entry {:#x} is no code", kernel.name, kernel.entry));
  return kernel.object->program()
      .decode(function->begin, function->end, kernel.accum_offset)
      .at(kernel.entry);
}

// The failure of the lowest workgroup is reported, whatever the threads' timing; later workgroups stop early.
class FirstFault {
 public:
  void record(uint64_t order, std::string text) {
    std::lock_guard lock(mutex_);
    if (!text_ || order < order_) text_ = std::move(text);
    order_ = std::min(order_, order);
    limit_ = order_;
  }
  bool needless(uint64_t order) const { return order > limit_.load(std::memory_order_relaxed); }
  const std::optional<std::string>& text() const { return text_; }

 private:
  std::mutex mutex_;
  uint64_t order_ = ~uint64_t{0};
  std::atomic<uint64_t> limit_ = ~uint64_t{0};
  std::optional<std::string> text_;
};

} // namespace

void run(const Launch& launch) {
  const uint64_t workgroups = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  const uint64_t count = launch.only ? launch.only->size() : workgroups;
  const isa::Instruction* entry = entry_of(launch);
  std::atomic<uint64_t> next = 0;
  FirstFault fault;
  std::optional<OldValues> old_values;
  const MemoryOrder order = launch.options.schedule.memory;
  if (order == MemoryOrder::timed && !launch.pacer)
    raise_fault("schedule timed: the launch has no cycle model");
  if (order != MemoryOrder::eager && order != MemoryOrder::timed) old_values.emplace(order);

  const auto work = [&] {
    std::optional<WorkgroupStorage> storage;
    const auto pacer = order == MemoryOrder::timed ? launch.pacer->join() : nullptr;
    for (uint64_t place; (place = next++) < count && !fault.needless(place);) {
      try {
        if (!storage) storage.emplace(launch, entry, old_values ? &*old_values : nullptr);
        Workgroup& workgroup = storage->start(launch.only ? (*launch.only)[place] : place);
        workgroup.pacer = pacer.get();
        workgroup.run();
      } catch (const Fault& failure) {
        fault.record(place, failure.what());
      }
    }
  };
  const uint64_t cores = std::max(1u, std::thread::hardware_concurrency());
  const uint64_t wanted = launch.options.threads > 0 ? static_cast<uint64_t>(launch.options.threads) : cores;
  numerics::run_on_threads(static_cast<int64_t>(std::min(wanted, count)), work);
  if (fault.text()) throw Fault(*fault.text());
}

} // namespace fmha950::machine
