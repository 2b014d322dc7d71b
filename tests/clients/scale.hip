// A module without HIP's headers, for clients that load one.
extern "C" __attribute__((global)) void scale(float* x, float factor, int n) {
  const int i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  if (i < n) x[i] *= factor;
}
