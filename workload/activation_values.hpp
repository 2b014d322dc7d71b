#pragma once
// Recorded Q, K and V of SmolLM2-135M-Instruct (data/activations/README.md) as values of any problem
// (head_dim 64, 128, 256 or sparse_prefill's 512).
//
// - A head of D = 64 n columns is n recorded 64-wide heads side by side, so its score is the sum of theirs.
//   KV head g starts at recorded head g % 3 and goes on in steps of 1 (in steps of 2 for odd g / 3); query
//   heads take the recorded query heads of the same KV heads.
// - Q is used unscaled. The recorded scale is 1/8; with the usual 1/sqrt(D) a sum of n independent scores
//   keeps the spread of one recorded score, so the softmax is as peaked as the recorded one.
// - Key 0 of a request is the recorded token 0, the attention sink. Key t >= 1 is recorded token
//   1 + (t - 1 + shift) mod 4095 with shift = 613 * request + 1021 * (g / 3), so that requests and heads
//   differ and long prompts repeat; V goes with K. Query i of a request is recorded position
//   3072 + (Lk - Lq + i + request * 613) mod 1024: a real query that sees real keys, though beyond 4,096 keys
//   or in later requests not at the recorded distance.
// - A row of sparse_prefill is the three recorded KV heads of recorded token s, those of token s + 1 and two
//   of token s + 2, where key t has the s given above; row 0 is token 0 throughout. Queries take consecutive
//   positions in the same way. So the distance is the same in all 8 recorded scores whose sum is a score. As
//   there are only three recorded query heads to a KV head, query head h starts 23 * (h / 3) positions later.
//   Only keys are used. The three KV heads of one token lie beside each other, so channels that stand out do
//   so in the same columns of every row.
// - h=9:3, d=64, sq=1024, sk=4096, causal is exactly the recorded chunked prefill.

#include "interface/tensors.hpp"
#include "workload/value_source.hpp"

namespace fmha950::workload {

class ActivationValues : public ValueSource {
 public:
  // Throws InvalidInput for an unknown layer.
  ActivationValues(const Problem& problem, const std::string& layer);
  void query(int request, int query, int head, std::span<float> row) const override;
  void key(int request, int token, int kv_head, std::span<float> row) const override;
  void value(int request, int token, int kv_head, std::span<float> row) const override;

 private:
  int token_step(int segment) const; // recorded tokens from a row's first segment on
  int recorded_head(int kv_head, int segment) const;
  void key_or_value(const Tensor& recorded, int request, int token, int kv_head, std::span<float> row) const;

  std::vector<Request> requests_;
  int heads_per_kv_head_;
  bool wide_;        // rows of sparse_prefill
  Tensor q_, k_, v_; // fp16 [1024, 9, 64], [4096, 3, 64], [4096, 3, 64]
};

} // namespace fmha950::workload
