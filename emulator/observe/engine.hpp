#pragma once
// The hazard engine: follows launches and runs every check that is asked for. One for the process, because
// what is known of device memory outlives launches. Launches may run at once: each has a MemoryShadow of its own, so that
// accesses of two launches are never compared.

#include "emulator/machine/launch.hpp"
#include "emulator/machine/listener.hpp"
#include "emulator/observe/order/memory_shadow.hpp"
#include "emulator/observe/shared_state.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace fmha950::observe {

class HazardEngine {
 public:
  static HazardEngine& get();

  // Before every launch; one that is not followed (no checks) may write any memory. The listener is null without checks,
  // and lives as long as the launch.
  std::unique_ptr<machine::Listener> begin_launch(const machine::Launch& launch, uint32_t checks);

  // What the host does with device memory, whether or not launches are checked. Pointers may be the host's;
  // copied() says whether the host got bytes that nobody wrote.
  void allocated(const void* pointer, size_t bytes);
  void released(const void* pointer, size_t bytes);
  void unloading(std::span<const loader::Kernel> kernels); // that hazards may still name
  void host_wrote(const void* pointer, size_t bytes);
  bool copied(const void* to, const void* from, size_t bytes);
  // Likewise of pieces of `bytes` each, as one reading: whether nobody wrote some.
  bool host_read(std::span<const void* const> pieces, size_t bytes);

  ReportLog& log() { return shared_.log; }
  ClampTotals& clamped() { return shared_.clamped; }

 private:
  class LaunchChecks;
  HazardEngine() = default;
  MemoryShadow& take_shadow();
  void give_back(MemoryShadow& shadow);

  std::atomic<uint32_t> checks_ = 0; // of the last launch
  SharedState shared_;
  std::mutex mutex_; // of the shadows
  std::vector<std::unique_ptr<MemoryShadow>> shadows_;
  std::vector<MemoryShadow*> idle_; // of no launch at present
};

} // namespace fmha950::observe
