#pragma once
// N(0, 1) but for one property that the rounding noise of attention depends on: what a clean run must pass
// the audit with, too (docs/audit.md).
//
//   sharp:F   Q times F: few keys have most of a row's weight.
//   mean      V has a mean of 1 in every column, so that errors along the output are louder than across.
//   peak      Q has a direction in common, along which the middle key of every request has some 90 % of the
//             weight of most rows.
//   alike:N   V of N keys one after the other is one row: errors of many keys point in few directions.
//   onehot    V of key j is 1 in column j mod D, and 0 else.
//   flat      V of a key is the same number in all columns, that of another key another one.

#include "workload/value_source.hpp"

namespace fmha950::workload {

struct Shape {
  float query_factor = 1, value_mean = 0;
  bool peak = false;
  int alike = 1; // keys
  bool one_hot = false, flat = false;
};

// Nothing where `source` names none of them. Throws InvalidInput for an argument that is no positive number.
std::optional<Shape> parse_shape(const ValuesSpec& spec);

class ShapedValues : public ValueSource {
 public:
  ShapedValues(const Problem& problem, const Shape& shape);
  void query(int request, int query, int head, std::span<float> row) const override;
  void key(int request, int token, int kv_head, std::span<float> row) const override;
  void value(int request, int token, int kv_head, std::span<float> row) const override;

 private:
  const Problem& problem_;
  Shape shape_;
};

} // namespace fmha950::workload
