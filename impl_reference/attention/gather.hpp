#pragma once
// Queries, keys and values as dense matrices of numbers. Where they come from is the business of an operator's gather.

#include "interface/oracle.hpp"
#include "interface/visibility.hpp"

#include <Eigen/Core>
#include <cmath>
#include <span>
#include <vector>

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

struct QueryHead {
  QueryRow row;
  int head = 0;
  size_t place = 0; // index of (row, head) in AttentionRows::lse
};

// Its functions are called for blocks of keys, so that it costs nothing that they are virtual.
class Gather {
 public:
  Gather(const Problem& problem, const Tensors& tensors) : problem_(problem), tensors_(tensors) {}
  virtual ~Gather() = default;

  const Problem& problem() const { return problem_; }
  const Tensors& tensors() const { return tensors_; }
  // Which keys a row sees.
  virtual Visibility visibility(const QueryRow& row) const = 0;
  template <class Scalar> Gathered<Scalar> queries(std::span<const QueryHead> rows) const {
    return queries_as(rows, Scalar());
  }
  // Keys [first, first + count) of the row, and of all rows that are attended together with it; their values.
  template <class Scalar> Gathered<Scalar> keys(const QueryHead& row, int first, int count) const {
    return keys_as(row, first, count, Scalar());
  }
  template <class Scalar> Gathered<Scalar> values(const QueryHead& row, int first, int count) const {
    return values_as(row, first, count, Scalar());
  }
  // Whether a score may be -inf, so that its row does not see the key, though visibility() says so.
  virtual bool scores_hide_keys() const { return false; }
  // Descales of these values.
  virtual ValueScales value_scales(const QueryHead& row, int first, int count) const = 0;
  // Where kinds of keys end that are parts of their own: {keys} if there are none.
  virtual std::vector<int> segments(const QueryHead& row) const = 0;
  // Keys of a page, 0 where keys have none.
  virtual int page_keys() const = 0;
  // Of each of the row's first keys, how many of them are the same stored one. Empty where no table or
  // list names one twice.
  virtual std::vector<float> copies(const QueryHead& row, int keys) const = 0;

 protected:
  const Problem& problem_;
  const Tensors& tensors_;

 private:
  virtual Gathered<float> queries_as(std::span<const QueryHead>, float) const = 0;
  virtual Gathered<double> queries_as(std::span<const QueryHead>, double) const = 0;
  virtual Gathered<float> keys_as(const QueryHead&, int first, int count, float) const = 0;
  virtual Gathered<double> keys_as(const QueryHead&, int first, int count, double) const = 0;
  virtual Gathered<float> values_as(const QueryHead&, int first, int count, float) const = 0;
  virtual Gathered<double> values_as(const QueryHead&, int first, int count, double) const = 0;
};

// The base of an operator's gather, which has queries(), keys() and values() as templates.
template <class Derived> class GatherOf : public Gather {
 public:
  using Gather::Gather;

 private:
  const Derived& self() const { return static_cast<const Derived&>(*this); }
  Gathered<float> queries_as(std::span<const QueryHead> rows, float) const final {
    return self().template queries<float>(rows);
  }
  Gathered<double> queries_as(std::span<const QueryHead> rows, double) const final {
    return self().template queries<double>(rows);
  }
  Gathered<float> keys_as(const QueryHead& row, int first, int count, float) const final {
    return self().template keys<float>(row, first, count);
  }
  Gathered<double> keys_as(const QueryHead& row, int first, int count, double) const final {
    return self().template keys<double>(row, first, count);
  }
  Gathered<float> values_as(const QueryHead& row, int first, int count, float) const final {
    return self().template values<float>(row, first, count);
  }
  Gathered<double> values_as(const QueryHead& row, int first, int count, double) const final {
    return self().template values<double>(row, first, count);
  }
};

// What a rounded product of P and a descale is made with:
// of a unit that follows the descale, its significand.
inline ValueScales rounded_scales(const Gather& gather, const QueryHead& row, int first, int count,
                                  bool unit_follows) {
  ValueScales scales = gather.value_scales(row, first, count);
  if (unit_follows)
    scales.of_key = scales.of_key.unaryExpr(
        [](float scale) { return scale > 0 ? std::ldexp(scale, -std::ilogb(scale)) : scale; });
  return scales;
}

} // namespace fmha950::reference::FMHA950_SIMD
