#pragma once
// Appends the chunk to the cache. A workgroup appends a token of its request and KV head if it has the first
// row of the token's queries. So exactly one workgroup appends each token.

#include "impl_baseline/append/cache_rows.hpp"
#include "impl_baseline/append/quantise.hpp"
#include "impl_baseline/append/rotation.hpp"

namespace fmha950::baseline::append {

// Rotary: K is rotated before it is quantised.
template <class Element, int HEAD_DIM, bool Rotary>
FMHA950_INLINE void append_chunk(const AppendArguments& arguments, const attention::WorkItem& item) {
  constexpr int pieces_of_row = HEAD_DIM / 16;
  const int heads_per_kv_head = static_cast<int>(arguments.attention.heads_per_kv_head);
  const int rows = minimum(item.first_row + rows_per_tile, item.query_length * heads_per_kv_head);
  const int first = (item.first_row + heads_per_kv_head - 1) / heads_per_kv_head,
            end = (rows + heads_per_kv_head - 1) / heads_per_kv_head;
  const auto own_head = static_cast<uint32_t>(item.kv_head);
  const uint32_t head = protection("append_head")
                            ? own_head
                            : own_head * arguments.attention.heads_per_kv_head % arguments.attention.kv_heads;
  const CacheRows cache(arguments, item, head);
  const int position = old_length(item) - off_by_one("append_position");
  int pieces = (end - first) * pieces_of_row;
  if constexpr (!protection("chunk_tail")) pieces = pieces / threads * threads;
  const auto chunk_piece = [](const void* chunk, uint64_t from) {
    return *reinterpret_cast<const ChunkPiece*>(static_cast<const char*>(chunk) + from);
  };
  const auto append = [](const ChunkPiece& piece, void* pool, uint64_t to, float scale) {
    *reinterpret_cast<CachePiece*>(static_cast<char*>(pool) + to) = quantise<Element>(piece, scale);
  };
  const auto rotate = [&](ChunkPiece& unrotated, const void* chunk, int token, int piece) {
    const char* const row =
        static_cast<const char*>(chunk) + chunk_place(arguments.attention, item, 2 * HEAD_DIM, token);
    const Rotation<Element> rotation(
        arguments.rotary, position_of(arguments.rotary, static_cast<uint32_t>(item.query_begin + token)));
    for (int half = 0; half < 2; ++half)
      unrotated.words[half] =
          rotation.rotate(unrotated.words[half], row, static_cast<uint32_t>(piece * 16 + half * 8));
  };
  for (int i = static_cast<int>(thread_id()); i < pieces; i += threads) {
    const int token = first + i / pieces_of_row, piece = i % pieces_of_row;
    const uint64_t from = chunk_place(arguments.attention, item, 2 * HEAD_DIM, token) + piece * 32;
    const uint64_t to = cache.place(cache.page_of(position + token), position + token) + piece * 16;
    ChunkPiece k = chunk_piece(arguments.k_new, from);
    if constexpr (Rotary && protection("rope_append")) rotate(k, arguments.k_new, token, piece);
    append(k, arguments.k_cache, to, arguments.k_scale);
    ChunkPiece v = chunk_piece(arguments.v_new, from);
    if constexpr (Rotary && !protection("rope_values")) rotate(v, arguments.v_new, token, piece);
    append(v, arguments.v_cache, to, arguments.v_scale);
  }
}

} // namespace fmha950::baseline::append
