// merge: joins the parts of every row (attention/joined_parts.hpp). A row is a token and head. Lanes share a row, each
// has eight columns of it: a wave has 1 to 64 rows. Where a row's lanes are more than it has columns for, the last ones
// have none.

#include "attention/joined_parts.hpp"
#include "gfx950/convert.hpp"
#include "impl_combine/kernel_arguments.hpp"
#include "impl_combine/part_row.hpp"

namespace fmha950::combine {

using namespace gfx950;

// LSEs to any base. What an empty part has for an output is never looked at: it may be NaN.
struct PartsOfCalls {
  float binary; // log2 of the base

  FMHA950_INLINE float power(float difference) const {
    return exp2_fast(difference * (protection("merge_base") ? binary : 1));
  }
  FMHA950_INLINE static Float4 weighted(float weight, Float4 output) {
    if constexpr (!protection("merge_empty")) return weight * output;
    return weight == 0 ? Float4{} : weight * output;
  }
};

// +inf is how FlashAttention 2 says that a row saw no key.
FMHA950_INLINE float known_lse(float lse) {
  return protection("merge_positive") && lse == -negative_infinity ? negative_infinity : lse;
}

template <class In, class Out> FMHA950_INLINE void combine_rows(const CombineArguments& arguments) {
  const uint32_t rows_of_wave = wave_lanes >> arguments.lanes_shift;
  const uint32_t wave = workgroup_id_x() * (threads / wave_lanes) + wave_id();
  const uint32_t row = wave * rows_of_wave + (lane_id() >> arguments.lanes_shift);
  const uint32_t chunk = lane_id() & low_bits(arguments.lanes_shift);
  if (!below(row, arguments.rows, "merge_row_end")) return;
  if (!below(chunk, arguments.chunks, "merge_column_end")) return;

  const uint32_t token = row / arguments.heads, head = row % arguments.heads;
  const auto first_of = [&](const Strides& strides) {
    return uint64_t{token} * strides.token + uint64_t{head} * strides.head;
  };
  const uint32_t columns = arguments.chunks * columns_of_lane;
  const float* const lses = arguments.partial_lse + first_of(arguments.lses);
  const uint64_t first_row = first_of(arguments.output_rows);

  attention::JoinedParts<row_chunks, PartsOfCalls> joined{{arguments.binary}};
  for (uint32_t first = 0; first < arguments.parts; first += parts_at_once) {
    float of_parts[parts_at_once];
    Float4 outputs[parts_at_once][row_chunks];
    for (uint32_t i = 0; i < parts_at_once; ++i) {
      const uint32_t part = minimum(first + i, arguments.parts - 1);
      of_parts[i] = known_lse(lses[uint64_t{part} * arguments.lses.part]);
      // Past the last one: that one again, without weight.
      if (protection("merge_part_end") && first + i != part) of_parts[i] = negative_infinity;
      const uint64_t part_row = first_row + uint64_t{part} * arguments.output_rows.part;
      load_columns<In>(arguments.partial_output, part_row * columns + chunk * columns_of_lane, outputs[i]);
    }
    joined.add(of_parts, outputs);
  }

  const bool nothing = joined.weights == 0;
  const float inverse = nothing && protection("merge_nothing") ? 0 : 1 / joined.weights;
  for (Float4& sum : joined.sums) sum *= inverse;
  store_columns<Out>(arguments.output, uint64_t{row} * columns + chunk * columns_of_lane, joined.sums);
  if (arguments.lse != nullptr && chunk == 0)
    arguments.lse[row] = nothing
                             ? negative_infinity
                             : joined.largest * (protection("merge_lse_largest") ? arguments.natural : 1) +
                                   natural_lse(log2_fast(joined.weights), "merge_lse_weights");
}

#define FMHA950_COMBINE(NAME, IN, OUT)                                                                       \
  FMHA950_KERNEL(threads, 4) void NAME(CombineArguments arguments) { combine_rows<IN, OUT>(arguments); }

FMHA950_COMBINE(combine_fp32_to_fp32, float, float)
FMHA950_COMBINE(combine_fp32_to_bf16, float, bf16)
FMHA950_COMBINE(combine_fp32_to_fp16, float, fp16)
FMHA950_COMBINE(combine_bf16_to_bf16, bf16, bf16)
FMHA950_COMBINE(combine_fp16_to_fp16, fp16, fp16)

} // namespace fmha950::combine
