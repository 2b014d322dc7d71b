#pragma once
// The hazard engine: follows launches and runs every check that is asked for. One for the process, because
// what is known of device memory outlives launches.

#include "emulator/machine/launch.hpp"
#include "emulator/machine/listener.hpp"
#include "emulator/observe/shared_state.hpp"

#include <atomic>
#include <span>

namespace fmha950::observe {

class HazardEngine final : public machine::Listener {
 public:
  static HazardEngine& get();

  // Before every launch; one that is not followed (no checks) may write any memory.
  void begin_launch(const machine::Launch& launch, uint32_t checks);
  std::unique_ptr<machine::WorkgroupListener> join() override;

  // What the host does with device memory, whether or not launches are checked. Pointers may be the host's;
  // copied() says whether the host got bytes that nobody wrote.
  void allocated(const void* pointer, size_t bytes);
  void released(const void* pointer, size_t bytes);
  void unloading(std::span<const loader::Kernel> kernels); // that hazards may still name
  void host_wrote(const void* pointer, size_t bytes);
  bool copied(const void* to, const void* from, size_t bytes);

  ReportLog& log() { return shared_.log; }
  ClampTotals& clamped() { return shared_.clamped; }

 private:
  HazardEngine() = default;
  const machine::Launch* launch_ = nullptr;
  std::atomic<uint32_t> checks_ = 0;
  SharedState shared_;
};

} // namespace fmha950::observe
