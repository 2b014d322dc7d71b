// Refers to a variable and a function that nothing defines.
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
extern "C" {
extern __device__ __attribute__((visibility("default"))) int defined_nowhere;
__device__ int* address_of_it = &defined_nowhere;
__global__ void reads_it(int* out) { *out = **&address_of_it; }
}
