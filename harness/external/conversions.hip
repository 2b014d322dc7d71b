// Conversions before and behind a kernel that wants its tensors in another form than the case has them. They run on the
// device, at every enqueue: what a case does to the tensors reaches the kernel behind them.
#include "gfx950/convert.hpp"
#include "gfx950/kernel.hpp"
#include "harness/external/conversion_arguments.hpp"

namespace fmha950::harness::external {

using namespace gfx950;

FMHA950_INLINE float loaded(const void* from, uint64_t index, ConvertedType type) {
  switch (type) {
  case ConvertedType::fp8: return fp8_pair(static_cast<const uint8_t*>(from)[index])[0];
  case ConvertedType::bf16: return static_cast<float>(static_cast<const bf16*>(from)[index]);
  case ConvertedType::fp16: return static_cast<float>(static_cast<const fp16*>(from)[index]);
  default: return static_cast<const float*>(from)[index];
  }
}

FMHA950_INLINE void store(void* to, uint64_t index, ConvertedType type, float value) {
  switch (type) {
  case ConvertedType::fp8: { // saturating, as caches are written
    constexpr float most = 448;
    const float kept = value != value ? value : maximum(minimum(value, most), -most);
    static_cast<uint8_t*>(to)[index] = static_cast<uint8_t>(round_to_fp8(kept, 0, 0, 0));
    return;
  }
  case ConvertedType::bf16: static_cast<bf16*>(to)[index] = static_cast<bf16>(value); return;
  case ConvertedType::fp16: static_cast<fp16*>(to)[index] = static_cast<fp16>(value); return;
  default: static_cast<float*>(to)[index] = value; return;
  }
}

// Bytes as they are, where neither type nor unit changes: NaN payloads too.
FMHA950_INLINE void copy(const void* from, uint64_t at, void* to, uint64_t place, ConvertedType type) {
  switch (type) {
  case ConvertedType::fp8: static_cast<uint8_t*>(to)[place] = static_cast<const uint8_t*>(from)[at]; return;
  case ConvertedType::bf16:
  case ConvertedType::fp16:
    static_cast<uint16_t*>(to)[place] = static_cast<const uint16_t*>(from)[at];
    return;
  default: static_cast<uint32_t*>(to)[place] = static_cast<const uint32_t*>(from)[at]; return;
  }
}

// Eight elements that lie together, of one type: one load and one store. Both places are multiples of eight elements from an
// allocation's begin.
FMHA950_INLINE void copy_eight(const void* from, uint64_t at, void* to, uint64_t place, ConvertedType type) {
  switch (type) {
  case ConvertedType::fp8:
    reinterpret_cast<Word2*>(to)[place / 8] = reinterpret_cast<const Word2*>(from)[at / 8];
    return;
  case ConvertedType::bf16:
  case ConvertedType::fp16:
    reinterpret_cast<Word4*>(to)[place / 8] = reinterpret_cast<const Word4*>(from)[at / 8];
    return;
  default:
    for (uint32_t half = 0; half < 2; ++half)
      reinterpret_cast<Word4*>(to)[place / 4 + half] = reinterpret_cast<const Word4*>(from)[at / 4 + half];
    return;
  }
}

FMHA950_KERNEL(conversion_threads, 8) void arrange(ArrangeArguments arguments) {
  uint64_t rest = static_cast<uint64_t>(workgroup_id_x()) * conversion_threads + thread_id();
  if (rest >= arguments.runs) return;
  const uint32_t last = arguments.shape[conversion_axes - 1] / arguments.run;
  uint64_t from = rest % last * arguments.run * arguments.from_stride[conversion_axes - 1];
  uint64_t to = rest % last * arguments.run * arguments.to_stride[conversion_axes - 1];
  rest /= last;
  for (int axis = conversion_axes - 2; axis >= 0; --axis) {
    from += rest % arguments.shape[axis] * arguments.from_stride[axis];
    to += rest % arguments.shape[axis] * arguments.to_stride[axis];
    rest /= arguments.shape[axis];
  }
  const bool same = arguments.from_type == arguments.to_type && arguments.scale == 1;
  for (uint32_t i = 0; i < arguments.run; ++i) {
    const uint64_t at = from + i * arguments.from_stride[conversion_axes - 1];
    const uint64_t place = to + i * arguments.to_stride[conversion_axes - 1];
    if (same)
      copy(arguments.from, at, arguments.to, place, arguments.to_type);
    else
      store(arguments.to, place, arguments.to_type,
            loaded(arguments.from, at, arguments.from_type) * arguments.scale);
  }
}

FMHA950_KERNEL(conversion_threads, 8) void gather(GatherArguments arguments) {
  constexpr uint32_t run = 8; // columns of a thread; head_dim is a multiple
  const GatheredRequest request = arguments.requests[workgroup_id_y()];
  const uint32_t runs_of_head = arguments.head_dim / run;
  const uint32_t rest = workgroup_id_x() * conversion_threads + thread_id(); // the host keeps it below 2^32
  const uint32_t column = rest % runs_of_head * run;
  const uint32_t head = rest / runs_of_head % arguments.kv_heads;
  const uint32_t key = rest / runs_of_head / arguments.kv_heads;
  if (key >= static_cast<uint32_t>(request.key_length)) return;
  const int64_t page = arguments.page_ids[request.table_begin + key / arguments.page_size];
  const uint32_t slot = key % arguments.page_size;
  const int64_t row = page * arguments.page_stride + head * arguments.head_stride +
                      slot / arguments.slot_chunk * arguments.slot_chunk_stride +
                      slot % arguments.slot_chunk * arguments.slot_stride;
  const float scale =
      arguments.scale * (arguments.descale ? arguments.descale[page * arguments.kv_heads + head] : 1.0f);
  const uint64_t to = ((request.to_row + key) * arguments.kv_heads + head) * arguments.head_dim + column;
  const bool same = arguments.from_type == arguments.to_type && scale == 1;
  if (same && arguments.column_stride == 1 && arguments.column_chunk % run == 0 && row % run == 0) {
    const int64_t from = row + column / arguments.column_chunk * arguments.column_chunk_stride +
                         column % arguments.column_chunk;
    if (from % run == 0) return copy_eight(arguments.pool, from, arguments.to, to, arguments.to_type);
  }
  for (uint32_t i = 0; i < run; ++i) {
    const uint32_t at = column + i;
    const int64_t from = row + at / arguments.column_chunk * arguments.column_chunk_stride +
                         at % arguments.column_chunk * arguments.column_stride;
    if (same)
      copy(arguments.pool, from, arguments.to, to + i, arguments.to_type);
    else
      store(arguments.to, to + i, arguments.to_type,
            loaded(arguments.pool, from, arguments.from_type) * scale);
  }
}

FMHA950_KERNEL(conversion_threads, 8) void lay_page_table(PageTableArguments arguments) {
  const TableRow row = arguments.rows[workgroup_id_y()];
  const int32_t entry = static_cast<int32_t>(workgroup_id_x() * conversion_threads + thread_id());
  if (entry >= row.length) return;
  int32_t id = arguments.fill;
  if (entry < row.pages)
    id = arguments.page_ids[row.from + entry];
  else if (arguments.repeat_last && row.pages > 0)
    id = arguments.page_ids[row.from + row.pages - 1];
  arguments.to[row.to + entry] = id;
}

} // namespace fmha950::harness::external
