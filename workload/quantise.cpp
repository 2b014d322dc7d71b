#include "workload/quantise.hpp"

#include "interface/error.hpp"
#include "interface/operator.hpp"
#include "numerics/formats.hpp"
#include "numerics/fp4_pair.hpp"
#include "numerics/threads.hpp"

#include <algorithm>
#include <cmath>

namespace fmha950::workload {
namespace {

Tensor scalar(float x) {
  Tensor tensor(ElementType::fp32, {1});
  tensor.as<float>()[0] = x;
  return tensor;
}

} // namespace

float largest_magnitude(std::span<const float> values) {
  float amax = 0;
  for (float x : values) amax = std::max(amax, std::abs(x));
  return amax;
}

float fp8_descale(float amax, bool power_of_two) {
  if (amax == 0) return 1;
  const float descale = amax / 448;
  return power_of_two ? std::exp2(std::ceil(std::log2(descale))) : descale;
}

uint8_t mx_scale(ElementType type, float amax) {
  constexpr int bias = 127;
  const int largest_exponent = type == ElementType::mxfp4 ? 2 : 8; // of the element's largest value
  if (amax == 0) return bias;
  return static_cast<uint8_t>(std::clamp(std::ilogb(amax) - largest_exponent + bias, 0, 254));
}

float round_to(ElementType type, float x) {
  switch (type) {
  case ElementType::bf16: return numerics::f32_from_bf16(numerics::bf16_from_f32(x));
  case ElementType::fp16: return numerics::f32_from_f16(numerics::f16_from_f32(x));
  default: return x;
  }
}

void store(Tensor& tensor, int64_t index, float x) {
  std::byte* const data = tensor.data();
  switch (tensor.type()) {
  case ElementType::fp8: reinterpret_cast<uint8_t*>(data)[index] = numerics::fp8_from_f32(x, true); return;
  case ElementType::bf16: reinterpret_cast<uint16_t*>(data)[index] = numerics::bf16_from_f32(x); return;
  case ElementType::fp16: reinterpret_cast<uint16_t*>(data)[index] = numerics::f16_from_f32(x); return;
  case ElementType::fp32: reinterpret_cast<float*>(data)[index] = x; return;
  case ElementType::mxfp4: {
    uint8_t& pair = reinterpret_cast<uint8_t*>(data)[index / 2];
    pair = numerics::with_fp4_code(pair, index, numerics::fp4_from_f32(x));
    return;
  }
  default: throw InvalidInput("element type", "e8m0 or int32", "must be a type of values to store one");
  }
}

ElementType compute_type(const Problem& problem) {
  return problem.query_type == ElementType::fp16 ? ElementType::fp16 : ElementType::bf16;
}

void quantise_query(const Problem& problem, bool power_of_two, Tensors& tensors) {
  const auto original = tensors.q_original.as<float>();
  const bool quantised = problem.query_type == ElementType::fp8;
  const bool scaled = problem.quantisation != Quantisation::none && !problem.op->facts().appends;
  const auto rows = tensors.q_original.elements() / problem.head_dim;
  tensors.q = Tensor(problem.query_type, tensors.q_original.shape());
  if (problem.quantisation == Quantisation::mx)
    tensors.q_descale = Tensor(ElementType::e8m0,
                               {problem.total_queries(), problem.query_heads, problem.head_dim / mx_block});
  else if (scaled)
    tensors.q_descale = scalar(quantised ? fp8_descale(largest_magnitude(original), power_of_two) : 1);

  numerics::parallel_for(rows, [&](int64_t row) {
    for (int column = 0; column < problem.head_dim; column += mx_block) {
      const int64_t first = row * problem.head_dim + column;
      const auto block = original.subspan(first, std::min(mx_block, problem.head_dim - column));
      float descale = 1;
      if (problem.quantisation == Quantisation::mx) {
        const uint8_t scale =
            quantised ? mx_scale(problem.query_type, largest_magnitude(block)) : numerics::e8m0_one;
        tensors.q_descale.as<uint8_t>()[first / mx_block] = scale;
        descale = numerics::f32_from_e8m0(scale);
      } else if (scaled) {
        descale = tensors.q_descale.as<const float>()[0];
      }
      for (size_t i = 0; i < block.size(); ++i)
        store(tensors.q, first + static_cast<int64_t>(i), block[i] / descale);
    }
  });
}

} // namespace fmha950::workload
