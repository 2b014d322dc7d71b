// What HIP's headers give a kernel beside math: atomics, shuffles, votes, LDS of both kinds, cooperative groups, half and
// bfloat16, variables of the device. Each case counts its wrong results.
#include <hip/hip_bf16.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

#include <cstdio>

namespace groups = cooperative_groups;

__constant__ int weights[4] = {1, 2, 3, 4};
__device__ unsigned counter = 5;

struct Totals {
  int sum, largest, smallest, exchanged;
  unsigned long long wide;
  float single;
  double full;
};

__global__ void atomics(Totals* totals) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&totals->sum, weights[i % 4]);
  atomicMax(&totals->largest, i);
  atomicMin(&totals->smallest, -i);
  atomicAdd(&totals->wide, 1ull << 32);
  atomicAdd(&totals->single, 1.0f);
  atomicAdd(&totals->full, 0.5);
  atomicInc(&counter, 0xffffffffu);
  int old = 0, seen;
  do {
    seen = old;
    old = atomicCAS(&totals->exchanged, seen, seen + 1);
  } while (old != seen);
}

__global__ void waves(int* wrong) {
  const int lane = threadIdx.x % warpSize;
  int bad = __shfl_xor(lane, 5) != (lane ^ 5);
  bad += __shfl_down(lane, 1) != (lane < 63 ? lane + 1 : lane);
  bad += __shfl(lane * 2.5f, 3) != 7.5f;
  bad += __ballot(lane % 2) != 0xaaaaaaaaaaaaaaaaull;
  bad += !__any(lane == 7) || __all(lane == 7);
  bad += __popcll(__ballot(1)) != 64 || __clz(1 << 4) != 27 || __brev(1u) != 0x80000000u;
  atomicAdd(wrong, bad);
}

__global__ void reduce(const int* in, int* out, int n) {
  extern __shared__ int dynamic[];
  __shared__ int fixed;
  if (threadIdx.x == 0) fixed = 100;
  int sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += in[i];
  dynamic[threadIdx.x] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) dynamic[threadIdx.x] += dynamic[threadIdx.x + half];
  }
  if (threadIdx.x == 0) *out = dynamic[0] + fixed;
}

__global__ void cooperative(int* wrong) {
  const groups::thread_block block = groups::this_thread_block();
  const auto tile = groups::tiled_partition<16>(block);
  int sum = tile.thread_rank();
  for (int step = tile.size() / 2; step > 0; step /= 2) sum += tile.shfl_xor(sum, step);
  block.sync();
  atomicAdd(wrong,
            (sum != 120) + (block.thread_rank() != threadIdx.x) + (tile.thread_rank() != threadIdx.x % 16));
}

__global__ void small_floats(int* wrong) {
  const float x = 0.25f * threadIdx.x;
  const __half h = __float2half(x);
  int bad = __half2float(__hadd(h, h)) != 2 * x;
  bad += __half2float(hsqrt(__hmul(h, h))) != x;
  const __half2 pair = __hfma2(__halves2half2(h, h), __float2half2_rn(2), __float2half2_rn(1));
  bad += __high2float(pair) != 2 * x + 1;
  bad += __bfloat162float(__float2bfloat16(x)) != x;
  atomicAdd(wrong, bad);
}

int failed = 0;
#define EXPECT(condition)                                                                                    \
  if (!(condition)) {                                                                                        \
    std::printf("features.hip:%d: %s is wrong\n", __LINE__, #condition);                                     \
    failed = 1;                                                                                              \
  }

template <class T> T on_host(const T* address) {
  T value{};
  EXPECT(hipMemcpy(&value, address, sizeof value, hipMemcpyDeviceToHost) == hipSuccess);
  return value;
}

int main() {
  Totals* totals;
  int* words;
  EXPECT(hipMalloc(&totals, sizeof *totals) == hipSuccess &&
         hipMemset(totals, 0, sizeof *totals) == hipSuccess);
  EXPECT(hipMalloc(&words, 1001 * sizeof *words) == hipSuccess &&
         hipMemset(words, 0, 1001 * sizeof *words) == hipSuccess);

  atomics<<<4, 128>>>(totals);
  const Totals t = on_host(totals);
  EXPECT(t.sum == 1280 && t.largest == 511 && t.smallest == -511 && t.exchanged == 512);
  EXPECT(t.wide == 512ull << 32 && t.single == 512 && t.full == 256);
  unsigned count = 0;
  EXPECT(hipMemcpyFromSymbol(&count, HIP_SYMBOL(counter), sizeof count) == hipSuccess && count == 517);

  waves<<<2, 128>>>(words);
  cooperative<<<2, 64>>>(words);
  small_floats<<<1, 64>>>(words);
  EXPECT(on_host(words) == 0);

  int values[1000], right = 100;
  for (int i = 0; i < 1000; ++i) right += values[i] = 7 * i;
  EXPECT(hipMemcpy(words + 1, values, sizeof values, hipMemcpyHostToDevice) == hipSuccess);
  reduce<<<1, 256, 256 * sizeof(int)>>>(words + 1, words, 1000);
  EXPECT(on_host(words) == right);
  return failed;
}
