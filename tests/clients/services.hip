// What kernels ask of the host, in a program that `fmha950 hipcc` compiles: the first argument says what.
#include <hip/hip_runtime.h>

#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void prints(int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % 100 == 0) printf("item %d of %d: %s %.2f\n", i, n, "half is", i * 0.5);
}

struct Node {
  int value;
  Node* next;
};

// A list on the device's heap, made by one launch and read by another.
__global__ void makes_list(Node** first, int count) {
  for (int i = 0; i < count; ++i) {
    Node* node = static_cast<Node*>(malloc(sizeof(Node)));
    node->value = i;
    node->next = first[threadIdx.x];
    first[threadIdx.x] = node;
  }
}
__global__ void takes_list(Node** first, int* sum) {
  while (Node* node = first[threadIdx.x]) {
    sum[threadIdx.x] += node->value;
    first[threadIdx.x] = node->next;
    free(node);
  }
}
__global__ void makes_large(int* right) {
  auto* block = static_cast<int*>(malloc(1 << 22));
  block[0] = 7;
  block[(1 << 20) - 1] = 9;
  *right = block[0] + block[(1 << 20) - 1] == 16;
  free(block);
}

__global__ void asserts(int limit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(i < limit && "item is beyond the limit");
}

__global__ void aborts(int who) {
  if (threadIdx.x == who) abort();
}

int list() {
  constexpr int lanes = 64, count = 10;
  Node** first;
  int *sum, right = 0;
  if (hipMallocManaged(reinterpret_cast<void**>(&first), lanes * sizeof(Node*)) ||
      hipMallocManaged(reinterpret_cast<void**>(&sum), (lanes + 1) * sizeof(int)))
    return 1;
  memset(first, 0, lanes * sizeof(Node*));
  memset(sum, 0, (lanes + 1) * sizeof(int));
  makes_list<<<1, lanes>>>(first, count);
  takes_list<<<1, lanes>>>(first, sum);
  makes_large<<<1, 1>>>(sum + lanes);
  if (hipDeviceSynchronize() != hipSuccess) return 1;
  for (int i = 0; i < lanes; ++i) right += sum[i] == count * (count - 1) / 2;
  return right == lanes && sum[lanes] ? 0 : 2;
}

int main(int arguments, char** argument) {
  if (arguments != 2) return 3;
  const char* what = argument[1];
  if (!strcmp(what, "malloc")) return list();
  if (!strcmp(what, "printf")) prints<<<4, 64>>>(256);
  if (!strcmp(what, "assert")) asserts<<<3, 64>>>(150);
  if (!strcmp(what, "abort")) aborts<<<1, 64>>>(5);
  return hipDeviceSynchronize() == hipSuccess ? 0 : 4;
}
