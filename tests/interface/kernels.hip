// Kernels for the tests of interface/hip.hpp.
struct Doubling {
  const unsigned* input;
  unsigned* output;
  unsigned count;
};

extern "C" __attribute__((global)) void double_elements(Doubling arguments) {
  const unsigned i = __builtin_amdgcn_workgroup_id_x() * 64 + __builtin_amdgcn_workitem_id_x();
  if (i < arguments.count) arguments.output[i] = 2 * arguments.input[i];
}
