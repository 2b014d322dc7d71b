// Contexts of the driver-style calls: one primary context, and those that a program creates. They are handles alone: all
// share the device's memory, modules and streams.
#include "emulator/hip/device_facts.hpp"
#include "emulator/hip/handles.hpp"
#include "emulator/hip/streams.hpp"

struct ihipCtx_t {
  unsigned flags = 0;
};
using hipCtx_t = ihipCtx_t*;

namespace fmha950::hip {
namespace {

Handles<ihipCtx_t>& contexts() {
  static auto& handles = *new Handles<ihipCtx_t>;
  return handles;
}

hipCtx_t primary() {
  static const hipCtx_t context = contexts().add(std::make_unique<ihipCtx_t>());
  return context;
}

// Of the thread; empty: the primary one is current, as HIP has it without any call.
thread_local std::vector<hipCtx_t> stack;

hipCtx_t current() { return stack.empty() ? primary() : stack.back(); }

void require_device(int device) {
  if (device != 0) throw CallError(hipErrorInvalidDevice, fmt::format("device = {}: must be 0", device));
}

void require_context(hipCtx_t context) {
  try {
    primary();
    contexts().get(context, "context");
  } catch (const CallError& error) {
    throw CallError(hipErrorInvalidContext, error.what());
  }
}

template <class T> hipError_t answer(T* to, T value) {
  return call([&] {
    require(to, hipErrorInvalidValue, "the pointer to write is null");
    *to = value;
  });
}

hipError_t nothing_for(int device) {
  return call([&] { require_device(device); });
}

hipError_t no_peer() {
  return call(
      [] { throw CallError(hipErrorInvalidDevice, "peer: must be another device, and there is only one"); });
}

} // namespace

FMHA950_HIP_API hipError_t hipCtxCreate(hipCtx_t* context, unsigned flags, hipDevice_t device) {
  return call([&] {
    require(context, hipErrorInvalidValue, "ctx is null");
    require_device(device);
    stack.push_back(contexts().add(std::make_unique<ihipCtx_t>(ihipCtx_t{flags})));
    *context = stack.back();
  });
}
FMHA950_HIP_API hipError_t hipCtxDestroy(hipCtx_t context) {
  return call(AfterFault::release, [&] {
    require(context != primary(), hipErrorInvalidContext,
            "ctx is the primary context: it is released, not destroyed");
    require_context(context);
    std::erase(stack, context);
    contexts().remove(context, "context");
  });
}
FMHA950_HIP_API hipError_t hipCtxGetCurrent(hipCtx_t* context) { return answer(context, current()); }
FMHA950_HIP_API hipError_t hipCtxSetCurrent(hipCtx_t context) {
  return call([&] {
    if (context) require_context(context);
    if (!stack.empty()) stack.pop_back();
    if (context) stack.push_back(context);
  });
}
FMHA950_HIP_API hipError_t hipCtxPushCurrent(hipCtx_t context) {
  return call([&] {
    require_context(context);
    stack.push_back(context);
  });
}
FMHA950_HIP_API hipError_t hipCtxPopCurrent(hipCtx_t* context) {
  return call([&] {
    if (context) *context = current();
    if (!stack.empty()) stack.pop_back();
  });
}
FMHA950_HIP_API hipError_t hipCtxGetDevice(hipDevice_t* device) { return answer(device, 0); }
FMHA950_HIP_API hipError_t hipCtxGetApiVersion(hipCtx_t, unsigned* version) {
  return answer(version, static_cast<unsigned>(facts::runtime_version));
}
FMHA950_HIP_API hipError_t hipCtxGetFlags(unsigned* flags) { return answer(flags, current()->flags); }
FMHA950_HIP_API hipError_t hipCtxSynchronize() { return call(synchronise_device); }
// gfx950: LDS and L1 are separate.
FMHA950_HIP_API hipError_t hipCtxSetCacheConfig(int) { return nothing_for(0); }
FMHA950_HIP_API hipError_t hipCtxGetCacheConfig(int* config) { return answer(config, 0); }
FMHA950_HIP_API hipError_t hipCtxSetSharedMemConfig(int) { return nothing_for(0); }
FMHA950_HIP_API hipError_t hipCtxGetSharedMemConfig(int* config) { return answer(config, 0); }

FMHA950_HIP_API hipError_t hipDevicePrimaryCtxRetain(hipCtx_t* context, hipDevice_t device) {
  return call([&] {
    require(context, hipErrorInvalidValue, "pctx is null");
    require_device(device);
    *context = primary();
  });
}
FMHA950_HIP_API hipError_t hipDevicePrimaryCtxRelease(hipDevice_t device) { return nothing_for(device); }
FMHA950_HIP_API hipError_t hipDevicePrimaryCtxReset(hipDevice_t device) { return nothing_for(device); }
FMHA950_HIP_API hipError_t hipDevicePrimaryCtxSetFlags(hipDevice_t device, unsigned) {
  return nothing_for(device);
}
FMHA950_HIP_API hipError_t hipDevicePrimaryCtxGetState(hipDevice_t device, unsigned* flags, int* active) {
  return call([&] {
    require(flags && active, hipErrorInvalidValue, "flags or active is null");
    require_device(device);
    *flags = 0;
    *active = 1;
  });
}

FMHA950_HIP_API hipError_t hipDeviceCanAccessPeer(int* can_access, int device, int peer) {
  return call([&] {
    require(can_access, hipErrorInvalidValue, "canAccessPeer is null");
    require_device(device);
    require_device(peer);
    *can_access = 0;
  });
}
FMHA950_HIP_API hipError_t hipDeviceEnablePeerAccess(int, unsigned) { return no_peer(); }
FMHA950_HIP_API hipError_t hipDeviceDisablePeerAccess(int) { return no_peer(); }
FMHA950_HIP_API hipError_t hipCtxEnablePeerAccess(hipCtx_t, unsigned) { return no_peer(); }
FMHA950_HIP_API hipError_t hipCtxDisablePeerAccess(hipCtx_t) { return no_peer(); }
FMHA950_HIP_API hipError_t hipDeviceGetP2PAttribute(int*, int, int, int) { return no_peer(); }

} // namespace fmha950::hip
