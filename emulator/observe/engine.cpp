#include "emulator/observe/engine.hpp"

#include "emulator/observe/workgroup_checks.hpp"

namespace fmha950::observe {

// Never destroyed: programs make HIP calls from their own static destructors.
HazardEngine& HazardEngine::get() {
  static HazardEngine& engine = *new HazardEngine;
  return engine;
}

void HazardEngine::begin_launch(const machine::Launch& launch, uint32_t checks) {
  launch_ = &launch;
  checks_ = checks;
  shared_.memory.begin_launch();
  if (!includes(checks, HazardClass::uninitialised)) shared_.initialised.forget();
}

void HazardEngine::allocated(const void* pointer, size_t bytes) {
  const auto begin = reinterpret_cast<uint64_t>(pointer);
  shared_.initialised.allocated(begin, begin + bytes);
}

void HazardEngine::released(const void* pointer, size_t bytes) {
  const auto begin = reinterpret_cast<uint64_t>(pointer);
  shared_.memory.forget(begin, begin + bytes);
  shared_.initialised.released(begin);
}

void HazardEngine::unloading(std::span<const loader::Kernel> kernels) {
  shared_.initialised.forget_writers(kernels);
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
  if (!from_device || to_device || !includes(checks_, HazardClass::uninitialised)) return false;
  auto hazard = shared_.initialised.host_read(source, bytes);
  if (hazard) shared_.log.report(std::move(*hazard));
  return hazard.has_value();
}

std::unique_ptr<machine::WorkgroupListener> HazardEngine::join() {
  return std::make_unique<WorkgroupChecks>(*launch_, checks_, shared_);
}

} // namespace fmha950::observe
