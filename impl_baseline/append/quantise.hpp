#pragma once
// Between 16-bit values and what the cache stores of them: fp8(x / scale).

#include "gfx950/convert.hpp"
#include "gfx950/mfma_chunk.hpp"
#include "gfx950/mutant.hpp"

namespace fmha950::baseline::append {

using namespace gfx950;

// 16 values, as the cache holds them and as the chunk does.
using CachePiece = Word4;
struct ChunkPiece {
  Word4 words[2];
};

template <class Element> FMHA950_INLINE uint32_t as_fp32(uint32_t word, int half) {
  if constexpr (__is_same(Element, bf16))
    return half == 0 ? word << 16 : word & 0xffff0000u;
  else
    return bits_as<uint32_t>(static_cast<float>(bits_as<Vector<fp16, 2>>(word)[half]));
}

// x / scale, correctly rounded, saturated at +-448; NaN stays what it is. The kernels are compiled as if
// there were none, hence its bits and not its value are compared.
FMHA950_INLINE float saturated_quotient(uint32_t value, float scale) {
  const float x = bits_as<float>(value);
  float quotient = protection("scale_inverted") ? x / scale : x * scale;
  if constexpr (protection("saturated")) quotient = __builtin_amdgcn_fmed3f(quotient, -448, 448);
  const bool is_nan = (value & 0x7fffffff) > 0x7f800000 && protection("nan_stays");
  return bits_as<float>(is_nan ? value : bits_as<uint32_t>(quotient));
}

// To nearest even.
template <class Element> FMHA950_INLINE CachePiece quantise(const ChunkPiece& piece, float scale) {
  CachePiece bytes;
  for (int w = 0; w < 4; ++w) {
    float quotients[4];
    for (int i = 0; i < 4; ++i) {
      const int word = 2 * w + i / 2;
      quotients[i] = saturated_quotient(as_fp32<Element>(piece.words[word / 4][word % 4], i % 2), scale);
    }
    bytes[w] = round_to_fp8(quotients[0], quotients[1], quotients[2], quotients[3]);
  }
  return bytes;
}

// x_stored * scale in fp32, rounded to the chunk's type.
template <class Element> FMHA950_INLINE ChunkPiece dequantise(CachePiece bytes, float scale) {
  ChunkPiece piece;
  for (int w = 0; w < 8; ++w) {
    const uint32_t four = bytes[w / 2];
    const Float2 pair = w % 2 == 0 ? __builtin_amdgcn_cvt_pk_f32_fp8(four, false)
                                   : __builtin_amdgcn_cvt_pk_f32_fp8(four, true);
    piece.words[w / 4][w % 4] =
        bits_as<uint32_t>(round_pair<Element>(pair * multiplier(scale, "cache_scale")));
  }
  return piece;
}

} // namespace fmha950::baseline::append
