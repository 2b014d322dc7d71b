#include "emulator/machine/launch.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/machine/initial_state.hpp"

#include <atomic>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <tbb/task_arena.h>
#include <tbb/task_group.h>

namespace fmha950::machine {
namespace {

const isa::Instruction* entry_of(const loader::Kernel& kernel) {
  const auto function = kernel.object->function_at(kernel.entry);
  if (!function) raise_fault(fmt::format("kernel {}: its entry {:#x} is no code", kernel.name, kernel.entry));
  return kernel.object->program()
      .decode(function->begin, function->end, kernel.accum_offset)
      .at(kernel.entry);
}

// The failure of the lowest workgroup is reported, whatever the threads' timing; later groups stop early.
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
  const uint64_t groups = uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  const uint64_t count = launch.only ? launch.only->size() : groups;
  const isa::Instruction* entry = entry_of(*launch.kernel);
  std::atomic<uint64_t> next = 0;
  FirstFault fault;

  const auto work = [&] {
    std::optional<WorkgroupStorage> storage;
    for (uint64_t order; (order = next++) < count && !fault.needless(order);) {
      try {
        if (!storage) storage.emplace(launch, entry);
        storage->start(launch.only ? (*launch.only)[order] : order).run();
      } catch (const Fault& failure) {
        fault.record(order, failure.what());
      }
    }
  };
  const int threads =
      launch.options.threads > 0 ? launch.options.threads : tbb::this_task_arena::max_concurrency();
  if (threads == 1 || count <= 1) {
    work();
  } else {
    tbb::task_arena arena(threads);
    arena.execute([&] {
      tbb::task_group tasks;
      for (int i = 1; i < threads; ++i) tasks.run(work);
      work();
      tasks.wait();
    });
  }
  if (fault.text()) throw Fault(*fault.text());
}

} // namespace fmha950::machine
