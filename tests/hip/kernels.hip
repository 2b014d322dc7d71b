// Kernels that show what a launch hands to them, and ways to go wrong.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __constant_as__ __attribute__((address_space(4)))

extern "C" {
__device__ int variable = 11;

struct Mixed {
  char a;
  double b;
  short c;
};

__global__ void arguments(double* out, char a, int b, Mixed c, long d) {
  out[0] = a;
  out[1] = b;
  out[2] = c.a;
  out[3] = c.b;
  out[4] = c.c;
  out[5] = d;
  out[6] = variable;
}

extern __shared__ int dynamic[];

// Through dynamic LDS, because only kernels that use it are told its size.
__global__ void hidden_arguments(int* out) {
  const auto* implicit = (const __constant_as__ int*)__builtin_amdgcn_implicitarg_ptr();
  const int lane = __builtin_amdgcn_workitem_id_x();
  if (__builtin_amdgcn_workgroup_id_x() != 0 || __builtin_amdgcn_workgroup_id_y() != 0 || lane >= 64) return;
  dynamic[lane] = implicit[lane];
  out[lane] = dynamic[lane];
}

__global__ void dispatch_packet(int* out) {
  if (__builtin_amdgcn_workgroup_id_x() != 0 || __builtin_amdgcn_workgroup_id_z() != 0) return;
  const auto* packet = (const __constant_as__ int*)__builtin_amdgcn_dispatch_ptr();
  for (int i = 0; i < 16; ++i) out[i] = packet[i];
}

// Static LDS of 512 bytes, dynamic LDS behind it.
__global__ void lds(int* out, int n) {
  __shared__ int fixed[128];
  const int lane = __builtin_amdgcn_workitem_id_x();
  fixed[lane] = lane;
  for (int i = lane; i < n; i += 64) dynamic[i] = i * 3;
  __builtin_amdgcn_s_barrier();
  for (int i = lane; i < n; i += 64) out[i] = dynamic[i] + fixed[i % 64];
}

__global__ __attribute__((amdgpu_flat_work_group_size(1, 64))) void bounded(int* out) { out[0] = 1; }

__global__ void mark_workgroup(int* out, int columns) {
  if (__builtin_amdgcn_workitem_id_x() == 0)
    out[__builtin_amdgcn_workgroup_id_y() * columns + __builtin_amdgcn_workgroup_id_x()] += 1;
}

__global__ void store_to(int* address) { *address = 5; }

// Polls `in` and passes on what another kernel or the host writes there.
__global__ void relay(int* in, int* out) {
  int value = 0, nothing = 0;
  asm("" : "+v"(nothing)); // or the compiler makes it a load
  while ((value = __atomic_fetch_or(in, nothing, __ATOMIC_RELAXED)) == 0) __builtin_amdgcn_s_sleep(1);
  __atomic_fetch_or(out, value, __ATOMIC_RELAXED);
}
__global__ void relay_by_loads(int* in, int* out) {
  int value = 0;
  while ((value = __atomic_load_n(in, __ATOMIC_RELAXED)) == 0) __builtin_amdgcn_s_sleep(1);
  __atomic_store_n(out, value, __ATOMIC_RELAXED);
}

__global__ void count(int* counter) { __atomic_fetch_add(counter, 1, __ATOMIC_RELAXED); }
}
