#pragma once
// The gather of batch_prefill: a request's tokens, through page table, layout and descales.

#include "impl_reference/attention/gather.hpp"

namespace fmha950::reference::FMHA950_SIMD {

class PagedGather final : public GatherOf<PagedGather> {
 public:
  PagedGather(const Problem& problem, const Tensors& tensors, OracleInput input, HiddenKeys hidden = {});

  Visibility visibility(const QueryRow& row) const override;
  template <class Scalar> Gathered<Scalar> queries(std::span<const QueryHead> rows) const;
  // Tokens of the row's request. Slots beyond a request's last token are never read.
  template <class Scalar> Gathered<Scalar> keys(const QueryHead& row, int first, int count) const;
  template <class Scalar> Gathered<Scalar> values(const QueryHead& row, int first, int count) const;
  ValueScales value_scales(const QueryHead& row, int first, int count) const override;
  std::vector<int> segments(const QueryHead& row) const override {
    return {problem_.requests[static_cast<size_t>(row.row.request)].key_length};
  }
  int page_keys() const override { return problem_.page_size; }
  std::vector<float> copies(const QueryHead& row, int keys) const override;

 private:
  struct Pool;
  template <class Scalar>
  Gathered<Scalar> tokens(const Pool& pool, const QueryHead& row, int first, int count) const;

  OracleInput input_;
  HiddenKeys hidden_;
};

} // namespace fmha950::reference::FMHA950_SIMD
