#pragma once
// Queries, keys and values as dense matrices of numbers. Where they come from is the business of a gather,
// a class with
//
//   problem(), tensors()
//   visibility(row)                      which keys a row sees
//   queries<Scalar>(rows)
//   keys<Scalar>(row, first, count)      keys [first, first + count) of the row, and of all rows attended
//   values<Scalar>(row, first, count)    together with it
//   value_scales(row, first, count)      descales of these values
//   segments(row)                        where kinds of keys end that are parts of their own: {keys} if none
//   page_keys()                          keys of a page, 0 where keys have none
//   copies(row, keys)                    of each of the row's first keys, how many of them are the same
//                                        stored one; empty where no table or list names one twice

#include "interface/oracle.hpp"

#include <Eigen/Core>
#include <cmath>

namespace fmha950::reference::FMHA950_SIMD {

template <class Scalar> using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
template <class Scalar> using Vector = Eigen::Matrix<Scalar, Eigen::Dynamic, 1>;

// Row r stands for values.row(r) * factor[r]. Scales that are powers of two are part of the values; other
// descales are the factors, because a kernel applies them outside the matrix instruction.
template <class Scalar> struct Gathered {
  Matrix<Scalar> values;
  Vector<Scalar> factor;
};

// What a kernel may multiply P by before it rounds it: descale (key, block) of a value's `columns` columns
// from columns * block on.
struct ValueScales {
  Matrix<float> of_key; // [keys, scale blocks]
  int columns = 0;
};

// What a rounded product of P and a descale is made with:
// of a unit that follows the descale, its significand.
template <class Gather>
ValueScales rounded_scales(const Gather& gather, const auto& row, int first, int count, bool unit_follows) {
  ValueScales scales = gather.value_scales(row, first, count);
  if (unit_follows)
    scales.of_key = scales.of_key.unaryExpr(
        [](float scale) { return scale > 0 ? std::ldexp(scale, -std::ilogb(scale)) : scale; });
  return scales;
}

struct QueryHead {
  QueryRow row;
  int head = 0;
  size_t place = 0; // index of (row, head) in AttentionRows::lse
};

} // namespace fmha950::reference::FMHA950_SIMD
