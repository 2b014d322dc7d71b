#pragma once
// Collects queries, keys and values from the tensors of a problem into dense matrices of numbers.

#include "interface/oracle.hpp"

#include <Eigen/Core>

namespace fmha950::reference {

template <class Scalar> using Matrix = Eigen::Matrix<Scalar, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Row r stands for values.row(r) * factor[r]. E8M0 scales are powers of two and are part of the values; fp32
// descales are the factors, because a kernel applies them outside the matrix instruction.
template <class Scalar> struct Gathered {
  Matrix<Scalar> values;
  Eigen::Matrix<Scalar, Eigen::Dynamic, 1> factor;
};

struct QueryHead {
  QueryRow row;
  int head = 0;
  size_t place = 0; // index of (row, head) in AttentionRows::lse
};

class Gather {
 public:
  Gather(const Problem& problem, const Tensors& tensors, OracleInput input);

  const Problem& problem() const { return problem_; }
  const Tensors& tensors() const { return tensors_; }
  template <class Scalar> Gathered<Scalar> queries(std::span<const QueryHead> rows) const;
  // Tokens [first, first + count) of a request. Slots beyond a request's last token are never read.
  template <class Scalar> Gathered<Scalar> keys(int request, int head, int first, int count) const;
  template <class Scalar> Gathered<Scalar> values(int request, int head, int first, int count) const;

 private:
  struct Pool;
  template <class Scalar>
  Gathered<Scalar> tokens(const Pool& pool, int request, int head, int first, int count) const;

  const Problem& problem_;
  const Tensors& tensors_;
  OracleInput input_;
};

} // namespace fmha950::reference
