#pragma once
// append_prefill: the rotary embedding that Q and the chunk's K still lack when they come in (case key `rope`). V has none, and the
// keys of old tokens had theirs when they were appended.
//
// The first `rotated` columns of a head form rotated / 2 pairs (x, y); the others stay as they are. Pair i of a token turns by the
// angle whose cosine and sine are in row positions[token] of cos_sin_cache (append_tensors.hpp), at i and at rotated / 2 + i:
//
//   x' = fma(x, cos, -(y sin)),   y' = fma(y, cos, x sin)
//
// x and y as fp32; the product with the sine is rounded to fp32, then the fma to fp32, then x' and y' to Q's type, to nearest even:
// what a kernel stores that only rotates. So these roundings are part of the operator, and append_prefill of what such a kernel
// has stored has the same bits.

#include "interface/names.hpp"
#include "interface/problem.hpp"
#include "interface/tensors.hpp"

#include <span>
#include <vector>

namespace fmha950 {

enum class RotaryPairs : uint8_t {
  half,        // columns i and i + rotated / 2 (GPT-NeoX, Llama)
  interleaved, // columns 2 i and 2 i + 1 (GPT-J)
};

// append_prefill's own part of a problem that rotates; one that does not has none.
struct RotaryEmbedding {
  RotaryPairs pairs = RotaryPairs::half;
  int rotated = 0; // columns, even, at most head_dim

  std::string text() const; // "half:64"
  InvalidInput misplaced() const;
  std::vector<Feature> features(const Problem& problem) const;
  bool operator==(const RotaryEmbedding&) const = default;
};

// Null: the problem does not rotate.
inline const RotaryEmbedding* rotary_embedding(const Problem& problem) {
  return problem.own.get<RotaryEmbedding>();
}

template <> std::span<const std::string_view> names_of<RotaryPairs>();

namespace operators {

// Rotates a row of one token and head, whose columns are numbers of Q's type, by a row of cos_sin_cache.
void rotate(const RotaryEmbedding& embedding, ElementType type, std::span<const float> cos_sin,
            std::span<float> row);
// By the row that the token has, numbered in the batch. A problem that does not rotate leaves the row as it is.
void rotate(const Problem& problem, const Tensors& tensors, int64_t token, std::span<float> row);

// Q and k_new with the embedding that they lack, as a kernel that only rotates would leave them.
Tensor rotated(const Problem& problem, const Tensors& tensors, const Tensor& rows);

// The positions of the new tokens, and angles of all positions: pair i turns by position / 10000^(2 i / rotated).
void make_rotary_tensors(const Problem& problem, Tensors& tensors);

} // namespace operators
} // namespace fmha950
