// Key split: joins the parts of every row. Each part's output is normalised by its own denominator, 2^lse; so
// the whole is the mean of the parts weighted by 2^(lse - largest). A part that saw nothing has lse = -inf,
// weight 0 and output 0.

#include "gfx950/convert.hpp"
#include "gfx950/mutant.hpp"
#include "gfx950/online_softmax.hpp"
#include "impl_pipelined/kernel_arguments.hpp"

namespace fmha950::pipelined {

using namespace gfx950;

// A wave joins a row, a lane two of its columns.
FMHA950_KERNEL(combine_threads, 4) void combine_parts(CombineArguments arguments) {
  const uint64_t row = static_cast<uint64_t>(workgroup_id_x()) * (combine_threads / wave_lanes) + wave_id();
  if (row >= arguments.rows && protection("combine_row_end")) return;
  const float* lses = arguments.partial_lse + row;
  float largest = negative_infinity;
  for (uint32_t part = 0; part < arguments.parts; ++part)
    largest = __builtin_fmaxf(largest, lses[part * arguments.rows]);
  const bool nothing = largest == negative_infinity;

  Float2 sum = {0, 0};
  float weights = 0;
  for (uint32_t part = 0; part < arguments.parts; ++part) {
    const uint64_t place = part * arguments.rows + row;
    const float difference =
        arguments.partial_lse[place] - (nothing && protection("combine_masked") ? 0 : largest);
    const float weight = exp2_fast(protection("combine_base") ? difference : difference * 1.44269504f);
    weights += weight;
    sum += weight * reinterpret_cast<const Float2*>(arguments.partial_output + place * head_dim)[lane_id()];
  }
  const float inverse = nothing && protection("combine_nothing") ? 0 : 1 / weights;
  reinterpret_cast<Vector<bf16, 2>*>(arguments.output)[row * (head_dim / 2) + lane_id()] =
      round_pair<bf16>(sum * inverse);
  constexpr float ln2 = protection("combine_lse_base") ? 0.693147180559945309f : 1;
  if (arguments.lse != nullptr && lane_id() == 0)
    arguments.lse[row] = nothing ? negative_infinity : (largest + log2_fast(weights)) * ln2;
}

} // namespace fmha950::pipelined
