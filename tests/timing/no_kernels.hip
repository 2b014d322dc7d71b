// A code object without kernels.
extern "C" __attribute__((device)) __attribute__((used)) int twice(int x) { return 2 * x; }
