// rocPRIM's sort, scan and reduce, with one block, with several and with many, against the standard library's.
#include <hip/hip_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include <rocprim/rocprim.hpp>

template <class T> T* on_device(const std::vector<T>& values) {
  T* address;
  if (hipMalloc(&address, values.size() * sizeof(T))) std::exit(1);
  (void)hipMemcpy(address, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice);
  return address;
}

template <class T> bool holds(const T* address, const std::vector<T>& right) {
  std::vector<T> values(right.size());
  return hipMemcpy(values.data(), address, values.size() * sizeof(T), hipMemcpyDeviceToHost) == hipSuccess &&
         values == right;
}

// rocPRIM's functions first say how much memory they need.
template <class Function> bool done(Function function) {
  size_t bytes = 0;
  void* memory;
  if (function(nullptr, bytes) || hipMalloc(&memory, bytes)) return false;
  return function(memory, bytes) == hipSuccess;
}

int main() {
  bool right = true;
  for (const size_t n : {1000, 20000, 150000}) {
    std::mt19937 random(n);
    std::vector<unsigned> values(n), sorted, sums(n);
    for (unsigned& value : values) value = random();
    sorted = values;
    std::sort(sorted.begin(), sorted.end());
    std::partial_sum(values.begin(), values.end(), sums.begin());

    const unsigned* in = on_device(values);
    unsigned* out = on_device(std::vector<unsigned>(n));
    const auto plus = rocprim::plus<unsigned>();
    const bool before = holds(out, sorted) || holds(out, sums);
    const bool sorts = done([&](void* m, size_t& b) { return rocprim::radix_sort_keys(m, b, in, out, n); }) &&
                       holds(out, sorted);
    const bool scans =
        done([&](void* m, size_t& b) { return rocprim::inclusive_scan(m, b, in, out, n, plus); }) &&
        holds(out, sums);
    const bool reduces =
        done([&](void* m, size_t& b) { return rocprim::reduce(m, b, in, out, 0u, n, plus); }) &&
        holds(out, std::vector<unsigned>{sums.back()});
    if (before || !sorts || !scans || !reduces) {
      std::printf("%zu values: sort %d, scan %d, reduce %d\n", n, sorts, scans, reduces);
      right = false;
    }
  }
  return right ? 0 : 1;
}
