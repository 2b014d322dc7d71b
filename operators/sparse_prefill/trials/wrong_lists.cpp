// What sparse_prefill can do wrong: rows of other lists, of other places, with other scales.
#include "harness/sabotage/changed_tensors.hpp"
#include "harness/sabotage/defect.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_rows.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "operators/sparse_prefill/trials/trials.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

// An entry of a token's lists, which is the tensors' own from here on.
int32_t& entry_of(Tensors& tensors, int token, int position) {
  SparseTensors& sparse = sparse_tensors(tensors);
  const auto prefix = sparse.prefix_indptr.as<int32_t>();
  const int of_pool = prefix[token + 1] - prefix[token];
  const bool in_pool = position < of_pool;
  Tensor& indices = in_pool ? sparse.prefix_indices : sparse.extend_indices;
  indices = copy_of(indices);
  const auto indptr = (in_pool ? sparse.prefix_indptr : sparse.extend_indptr).as<int32_t>();
  const int within = in_pool ? position : position - of_pool;
  return indices.as<int32_t>()[static_cast<size_t>(indptr[token]) + static_cast<size_t>(within)];
}

// One entry less of the list: those behind it move up.
void drop_last(Problem& problem, Tensors& tensors, int token, bool pool) {
  Tensor& indptr = pool ? sparse_tensors(tensors).prefix_indptr : sparse_tensors(tensors).extend_indptr;
  Tensor& indices = pool ? sparse_tensors(tensors).prefix_indices : sparse_tensors(tensors).extend_indices;
  indptr = copy_of(indptr);
  indices = copy_of(indices);
  auto ids = indices.as<int32_t>();
  std::copy(ids.begin() + indptr.as<int32_t>()[token + 1], ids.end(),
            ids.begin() + indptr.as<int32_t>()[token + 1] - 1);
  for (size_t t = static_cast<size_t>(token) + 1; t < indptr.as<int32_t>().size(); ++t)
    --indptr.as<int32_t>()[t];
  SparseLists& lists = *sparse_lists(problem); // lengths as given from here on
  const auto prefix = sparse_tensors(tensors).prefix_indptr.as<int32_t>(),
             extend = sparse_tensors(tensors).extend_indptr.as<int32_t>();
  lists.kind = ListKind::lengths;
  lists.prefix_lengths.clear();
  lists.extend_lengths.clear();
  int most = 0;
  for (int t = 0; t < lists.tokens; ++t) {
    lists.prefix_lengths.push_back(prefix[t + 1] - prefix[t]);
    lists.extend_lengths.push_back(extend[t + 1] - extend[t]);
    most = std::max(most, lists.prefix_lengths.back() + lists.extend_lengths.back());
  }
  problem.requests = {{lists.tokens, most}};
}

SparseRows& rows_of(Tensors& tensors, const ListedRow& listed, const Tensors& original) {
  return listed.of == &sparse_tensors(original).pool ? sparse_tensors(tensors).pool
                                                     : sparse_tensors(tensors).chunk;
}

void add_entries(const SabotagedCase& of, std::vector<Defect>& defects) {
  for (const KeyTarget& target : targets(of, 1)) {
    const int token = target.request, position = target.first;
    const ListedRow listed = TokenLists(sparse_tensors(of.tensors), token)[position];
    const auto rows = static_cast<int32_t>(listed.of->rows());
    const std::vector<int32_t> known =
        listed.of == &sparse_tensors(of.tensors).pool
            ? listed_rows(sparse_tensors(of.tensors).prefix_indptr, sparse_tensors(of.tensors).prefix_indices)
            : listed_rows(sparse_tensors(of.tensors).extend_indptr,
                          sparse_tensors(of.tensors).extend_indices);
    if (known.size() < 2 || rows < 2) continue;
    // The next row that holds values: others are poison, which anybody sees.
    const auto next = std::ranges::upper_bound(known, listed.row);
    const int32_t other = next == known.end() ? known.front() : *next;
    defects.push_back(
        {.kind = "row_of_neighbour",
         .place = target.text(of.problem),
         .inputs = [=](Problem&, Tensors& tensors) { entry_of(tensors, token, position) = other; }});
  }
}

void add_scales(const SabotagedCase& of, std::vector<Defect>& defects) {
  if (of.problem.kv_type != ElementType::fp8) return;
  for (const KeyTarget& target : targets(of, 1)) {
    const ListedRow listed = TokenLists(sparse_tensors(of.tensors), target.request)[target.first];
    const auto change = [&](std::string kind, auto edit) {
      const Tensors* original = &of.tensors;
      defects.push_back(
          {.kind = std::move(kind),
           .place = target.text(of.problem),
           .inputs = [=](Problem& problem, Tensors& tensors) {
             SparseRows& rows = rows_of(tensors, listed, *original);
             const bool split = row_format(problem) == RowFormat::split;
             Tensor& scales = split ? rows.scale : rows.nope;
             scales = copy_of(scales);
             for (int block = split ? sparse::nope_columns / sparse::split_block
                                    : sparse::nope_columns / sparse::packed_block;
                  --block > 0;) {
               if (split) {
                 float* const of_row =
                     &scales.as<float>()[listed.row * int64_t{sparse::nope_columns / sparse::split_block}];
                 edit(of_row, block);
               } else {
                 edit(&scales.as<uint8_t>()[int64_t{listed.row} * sparse::head_dim +
                                            sparse::packed_scales_begin],
                      block);
               }
             }
           }});
    };
    change("scale_of_block_before", [](auto* scales, int block) { scales[block] = scales[block - 1]; });
    change("row_scale_x2", [](auto* scales, int block) {
      if constexpr (std::is_same_v<decltype(scales), float*>)
        scales[block] *= 2;
      else
        ++scales[block];
    });
  }
}

} // namespace

std::vector<Defect> wrong_lists(const SabotagedCase& of) {
  std::vector<Defect> defects;
  if (!sparse_lists(of.problem)) return defects;
  add_entries(of, defects);
  add_scales(of, defects);
  const int token = of.rows[of.rows.size() / 2].query;
  const TokenLists lists(sparse_tensors(of.tensors), token);
  for (const bool pool : {true, false})
    if (!(pool ? lists.prefix : lists.extend).empty())
      defects.push_back(
          {.kind = "list_one_short",
           .place = fmt::format("{} list of token {}", pool ? "prefix" : "extend", token),
           .inputs = [=](Problem& problem, Tensors& tensors) { drop_last(problem, tensors, token, pool); }});
  if (token + 1 < sparse_lists(of.problem)->tokens)
    defects.push_back(
        {.kind = "query_row_shifted",
         .place = fmt::format("token {}", token),
         .inputs = [=](Problem& problem, Tensors& tensors) {
           for (Tensor* part : {&sparse_tensors(tensors).q.nope, &sparse_tensors(tensors).q.rope,
                                &sparse_tensors(tensors).q.scale}) {
             if (part->empty()) continue;
             *part = copy_of(*part);
             const size_t bytes = part->bytes() / static_cast<size_t>(sparse_lists(problem)->tokens),
                          at = static_cast<size_t>(token) * bytes;
             std::copy_n(part->data() + at + bytes, bytes, part->data() + at);
           }
         }});
  return defects;
}

} // namespace fmha950::harness
