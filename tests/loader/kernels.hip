// Kernels and variables whose symbols, descriptors and relocations the loader tests look for.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
extern "C" {
__device__ int counter = 7;
__device__ int* pointer_to_counter = &counter;
__device__ int zeros[1000];

__device__ __attribute__((noinline)) int helper(int x) { return x * 3 + counter; }

__global__ void add(int* out, const int* in, int n, char c) {
  const int i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  if (i < n) out[i] = in[i] + c + helper(i) + *pointer_to_counter + zeros[i];
}

__global__ __attribute__((amdgpu_flat_work_group_size(1, 256))) void uses_lds(float* data) {
  __shared__ float tile[1000];
  tile[__builtin_amdgcn_workitem_id_y()] = data[__builtin_amdgcn_workitem_id_z()];
  __builtin_amdgcn_s_barrier();
  data[0] = tile[3];
}

__global__ void uses_scratch(int* data, int n) {
  volatile int stack[32];
  for (int i = 0; i < 32; ++i) stack[i] = data[i];
  data[0] = stack[n];
}

typedef float float16 __attribute__((ext_vector_type(16)));
typedef short bf16x4 __attribute__((ext_vector_type(4)));
__global__ __attribute__((amdgpu_flat_work_group_size(1, 64))) void uses_acc(float16* data, bf16x4* a,
                                                                             int n) {
  float16 sum[20];
  for (int i = 0; i < 20; ++i) sum[i] = data[i];
  for (int k = 0; k < n; ++k)
    for (int i = 0; i < 20; ++i)
      sum[i] = __builtin_amdgcn_mfma_f32_32x32x8bf16_1k(a[k], a[k + i], sum[i], 0, 0, 0);
  for (int i = 0; i < 20; ++i) data[i] = sum[i];
}

__global__ void nothing() {}
}
