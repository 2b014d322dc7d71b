// Kernels as somebody else might bring them to `device run`.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))

namespace {
__device__ inline int item() {
  return __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
}
} // namespace

extern "C" {

__global__ __attribute__((amdgpu_flat_work_group_size(1, 64))) void scale_add(const float* x, float* y, int n,
                                                                              float a) {
  if (item() < n) y[item()] = a * x[item()] + y[item()];
}

struct Packed {
  int n;
  float* out;
  double factor;
  short shift;
};
__global__ void by_struct(Packed p, long base) {
  if (item() < p.n) p.out[item()] = static_cast<float>(p.factor * item() + base + p.shift);
}

// Reads what another wave writes, without a barrier.
__global__ __attribute__((amdgpu_flat_work_group_size(128, 128))) void racing(int* out) {
  __shared__ int exchanged[128];
  const int lane = __builtin_amdgcn_workitem_id_x();
  exchanged[lane] = lane + 1;
  out[lane] = exchanged[127 - lane];
}

// No allocation lies in the first pages; behind `out` another one may, by where the host maps them.
__global__ void outside(int* out) { *reinterpret_cast<int*>(0x1000) = out[0]; }
}
