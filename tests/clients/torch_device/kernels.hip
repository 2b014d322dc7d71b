// Kernels without HIP's headers, for tests of tensors without Triton.
#define KERNEL extern "C" __attribute__((global)) void
#define ITEM (__builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x())

KERNEL scale(const float* x, float* out, float factor, int n) {
  const int i = ITEM;
  if (i < n) out[i] = x[i] * factor;
}

// One item adds 1 `n` times, in memory: it takes a while.
KERNEL count(int* out, int n) {
  if (ITEM != 0) return;
  volatile int* total = out;
  for (int i = 0; i < n; ++i) *total = *total + 1;
}

KERNEL stray(float* x) { x[1ll << 40] = 1; }
