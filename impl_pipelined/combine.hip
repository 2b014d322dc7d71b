// Key split: joins the parts of every row (attention/joined_parts.hpp). LSEs are to the base of 2; a part that saw
// nothing has lse = -inf and output 0.

#include "attention/joined_parts.hpp"
#include "gfx950/convert.hpp"
#include "impl_pipelined/partial_rows.hpp"

namespace fmha950::pipelined {

using namespace gfx950;

// A wave joins a block of rows. Lane l joins row l % 8; it has every eighth chunk of it from l / 8 on.
FMHA950_KERNEL(combine_threads, 4) void combine_parts(CombineArguments arguments) {
  constexpr uint32_t at_once = 4; // parts whose loads are under way together
  constexpr uint32_t lanes_of_row = wave_lanes / PartialRows::rows_of_block;
  constexpr uint32_t row_chunks = head_dim / PartialRows::chunk_columns;
  constexpr int chunks = row_chunks / lanes_of_row;
  // Tiles come longest first: the blocks of a workgroup lie far apart, so that each has about as many parts.
  const uint32_t place = wave_id() * arguments.workgroups + workgroup_id_x();
  if (!below(place, arguments.blocks, "combine_blocks_end")) return;
  const CombineItem item = arguments.items[place];
  const uint32_t row_of_block = lane_id() % PartialRows::rows_of_block;
  const uint32_t chunk = lane_id() / PartialRows::rows_of_block;
  const uint32_t row = item.first_row + row_of_block;
  if (!below(row, item.end_row, "combine_row_end")) return;

  attention::JoinedParts<chunks> joined;
  for (uint32_t first = 0; first < item.parts; first += at_once) {
    float lses[at_once];
    Float4 outputs[at_once][chunks];
    for (uint32_t i = 0; i < at_once; ++i) {
      const uint32_t part = minimum(first + i, item.parts - 1);
      const uint32_t block = item.block + part * item.block_stride;
      lses[i] = arguments.partial_lse[PartialRows::lse(block, row_of_block)];
      if (first + i != part) lses[i] = negative_infinity; // past the last one: that one again, without weight
      for (int c = 0; c < chunks; ++c)
        outputs[i][c] = *reinterpret_cast<const Float4*>(
            arguments.partial_output + PartialRows::output(block, row_of_block, chunk + lanes_of_row * c));
    }
    joined.add(lses, outputs);
  }

  const bool nothing = joined.weights == 0;
  const float inverse = nothing && protection("combine_nothing") ? 0 : 1 / joined.weights;
  const uint64_t index =
      static_cast<uint64_t>(item.query_begin + row / arguments.heads_per_kv_head) * arguments.query_heads +
      item.kv_head * arguments.heads_per_kv_head + row % arguments.heads_per_kv_head;
  auto* output = static_cast<Word2*>(arguments.output) + index * row_chunks + chunk;
  for (int c = 0; c < chunks; ++c) {
    const Float4 mean = joined.sums[c] * inverse;
    output[lanes_of_row * c] = Word2{bits_as<uint32_t>(round_pair<bf16>(Float2{mean[0], mean[1]})),
                                     bits_as<uint32_t>(round_pair<bf16>(Float2{mean[2], mean[3]}))};
  }
  if (arguments.lse != nullptr && chunk == 0)
    arguments.lse[index] = nothing
                               ? negative_infinity
                               : natural_lse(joined.largest + log2_fast(joined.weights), "combine_lse_base");
}

} // namespace fmha950::pipelined
