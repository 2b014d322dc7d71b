#include "emulator/observe/engine.hpp"

#include "emulator/observe/workgroup_checks.hpp"

#include <fmt/format.h>
#include <optional>

namespace fmha950::observe {

// Never destroyed: programs make HIP calls from their own static destructors.
HazardEngine& HazardEngine::get() {
  static HazardEngine& engine = *new HazardEngine;
  return engine;
}

class HazardEngine::LaunchChecks final : public machine::Listener {
 public:
  LaunchChecks(HazardEngine& engine, const machine::Launch& launch, uint32_t checks)
      : engine_(engine), launch_(launch), checks_(checks), shadow_(engine.take_shadow()) {
    shadow_.begin_launch();
  }
  ~LaunchChecks() override { engine_.give_back(shadow_); }
  std::unique_ptr<machine::WorkgroupListener> join() override {
    return std::make_unique<WorkgroupChecks>(launch_, checks_, engine_.shared_, shadow_);
  }

 private:
  HazardEngine& engine_;
  const machine::Launch& launch_;
  const uint32_t checks_;
  MemoryShadow& shadow_;
};

std::unique_ptr<machine::Listener> HazardEngine::begin_launch(const machine::Launch& launch,
                                                              uint32_t checks) {
  checks_ = checks;
  if (!includes(checks, HazardClass::uninitialised)) shared_.initialised.forget();
  return checks ? std::make_unique<LaunchChecks>(*this, launch, checks) : nullptr;
}

MemoryShadow& HazardEngine::take_shadow() {
  const std::lock_guard lock(mutex_);
  if (idle_.empty()) return *shadows_.emplace_back(std::make_unique<MemoryShadow>());
  MemoryShadow& shadow = *idle_.back();
  idle_.pop_back();
  return shadow;
}

void HazardEngine::give_back(MemoryShadow& shadow) {
  const std::lock_guard lock(mutex_);
  idle_.push_back(&shadow);
}

void HazardEngine::allocated(const void* pointer, size_t bytes) {
  const auto begin = reinterpret_cast<uint64_t>(pointer);
  shared_.initialised.allocated(begin, begin + bytes);
}

void HazardEngine::released(const void* pointer, size_t bytes) {
  const auto begin = reinterpret_cast<uint64_t>(pointer);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& shadow : shadows_) shadow->forget(begin, begin + bytes);
  }
  shared_.initialised.released(begin);
}

void HazardEngine::unloading(std::span<const loader::Kernel> kernels) {
  shared_.initialised.forget_writers(kernels);
  shared_.log.unloading();
}

void HazardEngine::host_wrote(const void* pointer, size_t bytes) {
  shared_.initialised.host_wrote(reinterpret_cast<uint64_t>(pointer), bytes);
}

bool HazardEngine::copied(const void* to, const void* from, size_t bytes) {
  const auto target = reinterpret_cast<uint64_t>(to), source = reinterpret_cast<uint64_t>(from);
  const bool from_device = shared_.initialised.find(source) != nullptr,
             to_device = shared_.initialised.find(target) != nullptr;
  if (from_device && to_device) shared_.initialised.copied(target, source, bytes);
  if (!from_device && to_device) shared_.initialised.host_wrote(target, bytes);
  return from_device && !to_device && includes(checks_, HazardClass::uninitialised) &&
         host_read({&from, 1}, bytes);
}

bool HazardEngine::host_read(std::span<const void* const> pieces, size_t bytes) {
  std::optional<Hazard> first;
  size_t more = 0;
  for (const void* piece : pieces) {
    auto hazard = shared_.initialised.host_read(reinterpret_cast<uint64_t>(piece), bytes);
    if (hazard && first) ++more;
    if (hazard && !first) first = std::move(hazard);
  }
  if (!first) return false;
  if (more)
    first->what +=
        fmt::format(", as are parts of {} more of the {} pieces that it reads", more, pieces.size());
  shared_.log.report(std::move(*first));
  return true;
}

} // namespace fmha950::observe
