#pragma once
// Calls of clients beyond hip_calls.hpp: pools, contexts, pitches, graphs.

#include "tests/hip/hip_calls.hpp"

struct HipKernelNode {
  HipDim3 block;
  void** extra;
  void* function;
  HipDim3 grid;
  void** parameters;
  unsigned lds;
};
struct HipFillNode {
  void* to;
  unsigned element_bytes;
  size_t height, pitch;
  unsigned value;
  size_t width;
};
struct HipHostNode {
  void (*function)(void*);
  void* data;
};

extern "C" {
int hipGetProcAddress(const char*, void**, int, uint64_t, int*);
int hipMallocPitch(void**, size_t*, size_t, size_t);
int hipMemset2D(void*, size_t, int, size_t, size_t);
int hipMemset2DAsync(void*, size_t, int, size_t, size_t, void*);
int hipMemPrefetchAsync(const void*, size_t, int, void*);
int hipMemAdvise(const void*, size_t, int, int);
int hipExtHostAlloc(void**, size_t, unsigned);
int hipMemcpyPeer(void*, int, const void*, int, size_t);
int hipMemsetAsync(void*, int, size_t, void*);
int hipLaunchHostFunc(void*, void (*)(void*), void*);

int hipMallocAsync(void**, size_t, void*);
int hipFreeAsync(void*, void*);
int hipMallocFromPoolAsync(void**, size_t, void*, void*);
int hipDeviceGetDefaultMemPool(void**, int);
int hipDeviceGetMemPool(void**, int);
int hipDeviceSetMemPool(int, void*);
int hipMemPoolCreate(void**, const void*);
int hipMemPoolDestroy(void*);
int hipMemPoolGetAttribute(void*, int, void*);
int hipMemPoolSetAttribute(void*, int, const void*);

int hipCtxCreate(void**, unsigned, int);
int hipCtxDestroy(void*);
int hipCtxGetCurrent(void**);
int hipCtxSetCurrent(void*);
int hipCtxPushCurrent(void*);
int hipCtxPopCurrent(void**);
int hipDevicePrimaryCtxRetain(void**, int);
int hipDeviceGetUuid(char*, int);
int hipDeviceCanAccessPeer(int*, int, int);
int hipDeviceEnablePeerAccess(int, unsigned);

int hipStreamBeginCapture(void*, int);
int hipStreamEndCapture(void*, void**);
int hipStreamIsCapturing(void*, int*);
int hipGraphCreate(void**, unsigned);
int hipGraphDestroy(void*);
int hipGraphInstantiate(void**, void*, void**, char*, size_t);
int hipGraphLaunch(void*, void*);
int hipGraphExecDestroy(void*);
int hipGraphExecUpdate(void*, void*, void**, int*);
int hipGraphGetNodes(void*, void**, size_t*);
int hipGraphGetRootNodes(void*, void**, size_t*);
int hipGraphNodeGetType(void*, int*);
int hipGraphAddDependencies(void*, void* const*, void* const*, size_t);
int hipGraphAddKernelNode(void**, void*, void* const*, size_t, const HipKernelNode*);
int hipGraphAddMemcpyNode1D(void**, void*, void* const*, size_t, void*, const void*, size_t, int);
int hipGraphAddMemsetNode(void**, void*, void* const*, size_t, const HipFillNode*);
int hipGraphAddHostNode(void**, void*, void* const*, size_t, const HipHostNode*);
}

constexpr int invalid_context = 201, illegal_state = 401, not_supported = 801;
