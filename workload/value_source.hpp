#pragma once
// Where the numbers of Q, K and V come from, before any quantisation. A row is named by what it means
// (request, token, head), never by the page it lies in: the same problem under another page order, page
// size, layout or table has the same values. A shared page belongs to the first request that names it.
//
//   normal             N(0, 1) throughout.
//   outlier            Seeded random shaped as real tensors are: outlier_values.hpp.
//   negative_zero      N(0, 1) with -0 strewn in: negative_zero_values.hpp.
//   uneven             N(0, 1) with scales that change every 16 tokens: uneven_values.hpp.
//   sharp:F, mean, peak, alike:N, onehot, flat  N(0, 1) but for one property: shaped_values.hpp.
//   count, count:KEY   One-hot V, Q of 0: count_values.hpp.
//   activations:LAYER  Recorded Q, K, V of SmolLM2-135M (L00, L10, L18, L28): activation_values.hpp.
//   ...+pow2           Any of these, with fp32 descales rounded up to powers of two.

#include "interface/problem.hpp"
#include "workload/philox.hpp"

#include <memory>
#include <optional>
#include <span>

namespace fmha950::workload {

class ValueSource {
 public:
  virtual ~ValueSource() = default;
  // Each fills one row, of Problem::head_dim or value_columns() values. Safe to call from several threads.
  virtual void query(int request, int query, int head, std::span<float> row) const = 0;
  virtual void key(int request, int token, int kv_head, std::span<float> row) const = 0;
  virtual void value(int request, int token, int kv_head, std::span<float> row) const = 0;
};

struct ValuesSpec { // Problem.values, taken apart
  std::string source;
  std::string argument; // layer of activations, key of count, factor of sharp, keys of alike
  bool power_of_two_descales = false;
};
ValuesSpec parse_values(const std::string& values); // throws InvalidInput

// Throws InvalidInput for an unknown `values`.
std::unique_ptr<ValueSource> make_value_source(const Problem& problem);

// Where a row of random numbers lies in the generator's counter space.
struct RowCounter {
  Stream stream;
  int request, position, head;
};
void fill_normal(std::span<float> row, uint64_t seed, RowCounter where);

} // namespace fmha950::workload
