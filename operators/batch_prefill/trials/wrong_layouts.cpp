// Pools that are read as if they lay otherwise in memory. Only pages that are full change.
#include "harness/sabotage/changed_tensors.hpp"
#include "harness/sabotage/defect.hpp"
#include "operators/batch_prefill/trials/trials.hpp"

#include <algorithm>
#include <cstring>

namespace fmha950::harness {

namespace {

size_t page_bytes(const Tensor& pool) { return pool.bytes() / static_cast<size_t>(pool.shape()[0]); }

// HND: every row is the one that a LINEAR pool has at its place.
void read_as_linear(Problem& problem, Tensors& tensors) {
  Problem linear = problem;
  linear.kv_layout = KvLayout::linear;
  const auto bytes = [&](int64_t elements) {
    return static_cast<size_t>(stored_bytes(problem.kv_type, elements));
  };
  struct Pool {
    Tensor& tensor;
    int columns;
    int64_t (*index)(const Problem&, int64_t page, int slot, int head, int column);
  };
  for (const Pool& pool : {Pool{tensors.k_pool, problem.head_dim, k_index},
                           Pool{tensors.v_pool, problem.value_columns(), v_index}}) {
    const Tensor right = pool.tensor;
    pool.tensor = copy_of(right);
    const auto place = [&](const Problem& of, int64_t page, int slot, int head) {
      return bytes(pool.index(of, page, slot, head, 0));
    };
    for (const int32_t page : full_pages(problem, tensors))
      for (int slot = 0; slot < problem.page_size; ++slot)
        for (int head = 0; head < problem.kv_heads; ++head)
          std::memcpy(pool.tensor.data() + place(problem, page, slot, head),
                      right.data() + place(linear, page, slot, head), bytes(pool.columns));
  }
}

// Rows of V begin as far from one another as those of K, which have more columns; those that would lie behind the page, in
// one that may be poison, are right.
void read_v_at_k_stride(Problem& problem, Tensors& tensors) {
  const Tensor right = tensors.v_pool;
  tensors.v_pool = copy_of(right);
  const auto row = static_cast<size_t>(stored_bytes(problem.kv_type, problem.value_columns())),
             wrong_row = static_cast<size_t>(stored_bytes(problem.kv_type, problem.head_dim));
  const auto rows_of_page = static_cast<size_t>(problem.page_size) * static_cast<size_t>(problem.kv_heads);
  for (const int32_t page : full_pages(problem, tensors)) {
    const size_t begin = static_cast<size_t>(page) * rows_of_page * row;
    for (size_t i = 0; i < rows_of_page; ++i)
      if (i * wrong_row + row <= rows_of_page * row)
        std::memcpy(tensors.v_pool.data() + begin + i * row, right.data() + begin + i * wrong_row, row);
  }
}

// K and V of one pool: pages are counted by one page instead of by two.
void read_as_apart(Problem& problem, Tensors& tensors) {
  const Tensor right[] = {tensors.k_pool, tensors.v_pool};
  const size_t bytes = page_bytes(tensors.k_pool);
  const std::set<int32_t> full = full_pages(problem, tensors);
  for (const int is_v : {0, 1}) {
    Tensor& pool = is_v == 0 ? tensors.k_pool : tensors.v_pool;
    pool = copy_of(pool);
    for (const int32_t page : full) {
      const int32_t place = page + is_v; // in pages of either
      if (!full.contains(place / 2)) continue;
      std::memcpy(pool.data() + static_cast<size_t>(page) * bytes,
                  right[place % 2].data() + static_cast<size_t>(place / 2) * bytes, bytes);
    }
  }
}

// mxfp4: the upper half of a byte comes first.
void swap_halves(const Problem& problem, const Tensors& tensors, Tensor& pool) {
  const std::set<int32_t> full = full_pages(problem, tensors);
  pool = copy_of(pool);
  const size_t bytes = page_bytes(pool);
  for (const int32_t page : full)
    for (uint8_t& pair : pool.as<uint8_t>().subspan(static_cast<size_t>(page) * bytes, bytes))
      pair = static_cast<uint8_t>(pair << 4 | pair >> 4);
}
void swap_halves_of_k(Problem& problem, Tensors& tensors) { swap_halves(problem, tensors, tensors.k_pool); }
void swap_halves_of_v(Problem& problem, Tensors& tensors) { swap_halves(problem, tensors, tensors.v_pool); }

void read_k_as_v(Problem& problem, Tensors& tensors) {
  const size_t bytes = page_bytes(tensors.k_pool);
  tensors.v_pool = copy_of(tensors.v_pool);
  for (const int32_t page : full_pages(problem, tensors)) {
    const size_t begin = static_cast<size_t>(page) * bytes;
    std::memcpy(tensors.v_pool.data() + begin, tensors.k_pool.data() + begin, bytes);
  }
}

} // namespace

std::vector<Defect> wrong_layouts(const SabotagedCase& of) {
  std::vector<Defect> defects;
  const std::set<int32_t> full = full_pages(of.problem, of.tensors);
  if (full.empty()) return defects;
  const auto add = [&](const char* kind, void (*change)(Problem&, Tensors&)) {
    defects.push_back({.kind = kind, .place = "all full pages", .inputs = change});
  };
  const bool heads_lie_apart = of.problem.kv_heads > 1 && of.problem.page_size > 1;
  if (of.problem.kv_layout == KvLayout::hnd && heads_lie_apart) add("hnd_read_as_linear", read_as_linear);
  const bool in_rows = of.problem.kv_layout != KvLayout::vectorized;
  if (in_rows && of.problem.head_dim > of.problem.value_columns())
    add("v_rows_at_k_stride", read_v_at_k_stride);
  if (of.problem.kv_type == ElementType::mxfp4) {
    add("k_halves_swapped", swap_halves_of_k);
    add("v_halves_swapped", swap_halves_of_v);
  }
  if (!of.problem.interleaved) return defects;
  add("v_offset_left_out", read_k_as_v);
  const auto moves = [&](int32_t page) {
    return page > 0 && (full.contains(page / 2) || full.contains((page + 1) / 2));
  };
  if (std::ranges::any_of(full, moves)) add("one_pool_read_as_two", read_as_apart);
  return defects;
}

} // namespace fmha950::harness
