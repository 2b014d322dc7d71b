// Lengths, masks and scales of a neighbouring problem.
#include "harness/sabotage/changed_tensors.hpp"
#include "harness/sabotage/defect.hpp"
#include "interface/operator.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace fmha950::harness {

namespace {

// A page that no request names.
int32_t unnamed_page(const std::vector<std::vector<int32_t>>& lists) {
  std::set<int32_t> named;
  for (const auto& list : lists) named.insert(list.begin(), list.end());
  int32_t page = 0;
  while (named.contains(page)) ++page;
  return page;
}

// The E8M0 scales of a key become those of request 0's first: of K, and of V if the key begins a block of 32.
void copy_block_scales(const Problem& problem, Tensors& tensors, int key) {
  // `row` scales for each block of keys.
  const auto copy = [&](Tensor& scales, int64_t keys_of_scale, int64_t row) {
    if (scales.type() != ElementType::e8m0 || key % keys_of_scale != 0) return;
    scales = copy_of(scales);
    const auto place = [&](int of_key) {
      const int64_t slot =
          int64_t{page_of(problem, tensors, 0, of_key)} * problem.page_size + of_key % problem.page_size;
      return scales.data() + slot / keys_of_scale * row;
    };
    std::copy_n(place(0), row, place(key));
  };
  copy(tensors.k_descale, 1, int64_t{problem.kv_heads} * problem.head_dim / 32);
  copy(tensors.v_descale, 32, int64_t{problem.kv_heads} * problem.value_columns());
}

// What stands behind the last key of request 0 is key 0 again, so that reading it is no NaN.
void add_key(Problem& problem, Tensors& tensors) {
  auto lists = page_lists(problem, tensors);
  const int key = problem.requests[0].key_length++;
  if (key % problem.page_size == 0) {
    const int32_t page = unnamed_page(lists);
    lists[0].push_back(page);
    for (Tensor* descale : {&tensors.k_descale, &tensors.v_descale})
      if (descale->shape().size() > 1) {
        *descale = copy_of(*descale);
        const size_t bytes = descale->bytes() / static_cast<size_t>(descale->shape()[0]);
        std::copy_n(descale->data() + static_cast<size_t>(lists[0][0]) * bytes, bytes,
                    descale->data() + static_cast<size_t>(page) * bytes);
      }
  }
  set_page_lists(problem, lists, tensors);
  copy_block_scales(problem, tensors, key);
  for (const Stored which : {Stored::k, Stored::v}) {
    StoredKeys stored(problem, tensors, which);
    for (int head = 0; head < problem.kv_heads; ++head) stored.copy(0, 0, head, key, head);
  }
}

void take_key(Problem& problem, Tensors& tensors) {
  auto lists = page_lists(problem, tensors);
  --problem.requests[0].key_length;
  lists[0].resize(static_cast<size_t>(problem.pages_of(problem.requests[0])));
  set_page_lists(problem, lists, tensors);
}

using Change = void (*)(Problem&);

Defect neighbour(std::string kind, Change change) {
  return {.kind = std::move(kind), .place = "all rows", .inputs = [=](Problem& problem, Tensors&) {
            change(problem);
          }};
}

void add_window_edges(const Problem& problem, std::vector<Defect>& defects) {
  defects.push_back(neighbour("window_left_less", [](Problem& p) { --p.window->left; }));
  defects.push_back(neighbour("window_left_more", [](Problem& p) { ++p.window->left; }));
  if (!problem.causal) {
    defects.push_back(neighbour("window_right_more", [](Problem& p) { ++p.window->right; }));
    if (problem.window->right > 0)
      defects.push_back(neighbour("window_right_less", [](Problem& p) { --p.window->right; }));
  }
  if (problem.sink_tokens == 0) return;
  defects.push_back(neighbour("sink_one_less", [](Problem& p) { --p.sink_tokens; }));
  defects.push_back(neighbour("sink_one_more", [](Problem& p) { ++p.sink_tokens; }));
}

} // namespace

std::vector<Defect> wrong_masks(const SabotagedCase& of) {
  const Problem& problem = of.problem;
  std::vector<Defect> defects;
  for (const auto& [kind, factor] : {std::pair("scale_less", 0.99f), std::pair("scale_more", 1.01f)})
    defects.push_back({.kind = kind, .place = "all rows", .inputs = [factor = factor](Problem& p, Tensors&) {
                         p.scale = p.softmax_scale() * factor;
                       }});
  if (problem.sink_logit)
    defects.push_back(
        {.kind = "sink_logit_of_next_head", .place = "all rows", .inputs = [](Problem&, Tensors& tensors) {
           tensors.sink_logit = copy_of(tensors.sink_logit);
           std::ranges::rotate(tensors.sink_logit.as<float>(), tensors.sink_logit.as<float>().begin() + 1);
         }});
  if (!problem.op->facts().pages) return defects;
  if (problem.window) add_window_edges(problem, defects);
  if (problem.op->facts().appends) {
    if (problem.causal) defects.push_back(neighbour("causal_left_out", [](Problem& p) { p.causal = false; }));
    return defects;
  }
  const bool masked = problem.causal || problem.window;
  if (problem.requests[0].key_length > 1 && problem.paged) {
    defects.push_back(
        {.kind = masked ? "mask_one_less" : "last_key_missing", .place = "request 0", .inputs = take_key});
    defects.push_back(
        {.kind = masked ? "mask_one_more" : "one_key_too_many", .place = "request 0", .inputs = add_key});
  }
  return defects;
}

} // namespace fmha950::harness
