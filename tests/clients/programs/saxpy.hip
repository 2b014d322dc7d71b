// What a first HIP program looks like: nothing in it knows of this project.
#include <hip/hip_runtime.h>

#include <cstdio>
#include <vector>

__global__ void saxpy(float* y, const float* x, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}

int main() {
  constexpr int n = 1000;
  std::vector<float> x(n), y(n, 1);
  for (int i = 0; i < n; ++i) x[i] = i;
  float *on_device_x, *on_device_y;
  if (hipMalloc(&on_device_x, n * sizeof(float)) || hipMalloc(&on_device_y, n * sizeof(float))) return 1;
  (void)hipMemcpy(on_device_x, x.data(), n * sizeof(float), hipMemcpyHostToDevice);
  (void)hipMemcpy(on_device_y, y.data(), n * sizeof(float), hipMemcpyHostToDevice);
  saxpy<<<(n + 255) / 256, 256>>>(on_device_y, on_device_x, 2, n);
  if (hipMemcpy(y.data(), on_device_y, n * sizeof(float), hipMemcpyDeviceToHost)) return 1;
  for (int i = 0; i < n; ++i) {
    if (y[i] != 2 * x[i] + 1) return 2;
  }
  std::puts("right");
}
