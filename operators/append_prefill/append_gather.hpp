#pragma once
// The gather of append_prefill: old tokens from the cache, dequantised to Q's type (tensors.hpp), and the
// chunk as it is, but for the rotary embedding that Q and the chunk's K may lack (rotary.hpp).

#include "operators/paged/paged_gather.hpp"

namespace fmha950::reference::FMHA950_SIMD {

class AppendGather final : public GatherOf<AppendGather> {
 public:
  AppendGather(const Problem& problem, const Tensors& tensors, OracleInput input, HiddenKeys hidden = {});

  Visibility visibility(const QueryRow& row) const override { return paged_.visibility(row); }
  template <class Scalar> Gathered<Scalar> queries(std::span<const QueryHead> rows) const;
  template <class Scalar> Gathered<Scalar> keys(const QueryHead& row, int first, int count) const;
  template <class Scalar> Gathered<Scalar> values(const QueryHead& row, int first, int count) const;
  ValueScales value_scales(const QueryHead&, int, int count) const override { // of what is dequantised
    return {Matrix<float>::Ones(count, 1), problem().head_dim};
  }
  std::vector<int> segments(const QueryHead& row) const override; // old tokens, chunk
  int page_keys() const override { return paged_.page_keys(); }
  std::vector<float> copies(const QueryHead& row, int keys) const override {
    return paged_.copies(row, keys);
  }

 private:
  // `cached` old tokens, then those of the chunk, which lack their rotary embedding if there is one.
  template <class Scalar>
  Gathered<Scalar> joined(const Gathered<Scalar>& cached, const Tensor& chunk, bool rotary,
                          const QueryHead& row, int first, int count) const;
  int old_tokens(const QueryHead& row, int first, int count) const; // among these

  PagedGather paged_;
  OracleInput input_;
};

} // namespace fmha950::reference::FMHA950_SIMD
