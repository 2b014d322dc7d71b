#pragma once
// The gather of append_prefill: old tokens from the cache, dequantised, and the chunk as it is. In double a
// dequantised value is exact; in float it is what the matrix instruction gets, the fp32 product rounded to
// Q's type.

#include "impl_reference/paged_gather.hpp"

namespace fmha950::reference {

class AppendGather {
 public:
  AppendGather(const Problem& problem, const Tensors& tensors, OracleInput input);

  const Problem& problem() const { return paged_.problem(); }
  const Tensors& tensors() const { return paged_.tensors(); }
  Visibility visibility(const QueryRow& row) const { return paged_.visibility(row); }
  template <class Scalar> Gathered<Scalar> queries(std::span<const QueryHead> rows) const {
    return paged_.queries<Scalar>(rows);
  }
  template <class Scalar> Gathered<Scalar> keys(const QueryHead& row, int first, int count) const;
  template <class Scalar> Gathered<Scalar> values(const QueryHead& row, int first, int count) const;

 private:
  // `cached` old tokens, then those of the chunk.
  template <class Scalar>
  Gathered<Scalar> joined(const Gathered<Scalar>& cached, const Tensor& chunk, const QueryHead& row,
                          int first, int count) const;
  int old_tokens(const QueryHead& row, int first, int count) const; // among these

  PagedGather paged_;
  OracleInput input_;
};

} // namespace fmha950::reference
