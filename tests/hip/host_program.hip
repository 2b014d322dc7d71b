// A single-source HIP program: clang makes the host stubs, the registration and the fat binary. The few
// declarations that hip_runtime.h would give stand here, so that no HIP headers are needed.
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __host__ __attribute__((host))

struct dim3 {
  unsigned x, y, z;
  constexpr __host__ __device__ dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};
using hipError_t = int;
using hipStream_t = struct ihipStream_t*;
extern "C" {
hipError_t __hipPushCallConfiguration(dim3, dim3, size_t = 0, hipStream_t = nullptr);
hipError_t hipLaunchKernel(const void*, dim3, dim3, void**, size_t, hipStream_t);
hipError_t hipMalloc(void**, size_t);
hipError_t hipFree(void*);
hipError_t hipMemcpy(void*, const void*, size_t, int);
hipError_t hipMemcpyToSymbol(const void*, const void*, size_t, size_t, int);
hipError_t hipMemcpyFromSymbol(void*, const void*, size_t, size_t, int);
hipError_t hipGetLastError();
const char* fmha950LastErrorDetail();
}

__device__ int offset = 5;

template <class T> __global__ void scale(T* data, T factor, int n) {
  const int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  if (i < n) data[i] = data[i] * factor + static_cast<T>(offset);
}

// Two workgroups store to one place: what each of them stores there decides how bad that is.
__global__ void store_once(int* data, int first, int second) {
  if (__builtin_amdgcn_workitem_id_x() == 0) *data = __builtin_amdgcn_workgroup_id_x() ? second : first;
}

#define CHECK(condition)                                                                                     \
  if (!(condition)) {                                                                                        \
    std::fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, fmha950LastErrorDetail());      \
    return 1;                                                                                                \
  }

// host_program FIRST SECOND: only store_once, with these values.
int main(int argc, char** argv) {
  if (argc == 3) {
    void* word = nullptr;
    CHECK(hipMalloc(&word, sizeof(int)) == 0);
    store_once<<<2, 64>>>(static_cast<int*>(word), std::atoi(argv[1]), std::atoi(argv[2]));
    CHECK(hipGetLastError() == 0);
    return 0;
  }
  constexpr int n = 100;
  float host[n];
  for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i);
  void* device = nullptr;
  CHECK(hipMalloc(&device, sizeof host) == 0);
  CHECK(hipMemcpy(device, host, sizeof host, 1) == 0);
  int value = 0;
  CHECK(hipMemcpyFromSymbol(&value, &offset, 4, 0, 2) == 0 && value == 5);
  value = 7;
  CHECK(hipMemcpyToSymbol(&offset, &value, 4, 0, 1) == 0);
  scale<<<2, 64>>>(static_cast<float*>(device), 2.0f, n);
  CHECK(hipGetLastError() == 0);
  CHECK(hipMemcpy(host, device, sizeof host, 2) == 0);
  for (int i = 0; i < n; ++i) CHECK(host[i] == 2.0f * i + 7);
  scale<<<dim3(1), dim3(2048)>>>(static_cast<float*>(device), 2.0f, n);
  CHECK(hipGetLastError() == 9);
  CHECK(hipFree(device) == 0);
  return 0;
}
