// K, V and Q that are scaled, of another place or of another head; descales.
#include "harness/sabotage/changed_tensors.hpp"
#include "harness/sabotage/defect.hpp"
#include "interface/operator.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

constexpr float factors[] = {0.9f, 1.1f, 2};
constexpr int tile = 64;

const char* letter(Stored which) { return which == Stored::k ? "k" : "v"; }

void add_scaled(const SabotagedCase& of, Stored which, std::vector<Defect>& defects) {
  for (const KeyTarget& target : targets(of, tile))
    for (const float factor : factors)
      defects.push_back({.kind = fmt::format("{}_tile_x{}", letter(which), factor),
                         .place = target.text(of.problem),
                         .inputs = [=](Problem& problem, Tensors& tensors) {
                           StoredKeys keys(problem, tensors, which);
                           for (int key = target.first; key < target.last; ++key)
                             keys.scale(target.request, key, target.kv_head, factor);
                         }});
}

void add_descales(const SabotagedCase& of, Stored which, std::vector<Defect>& defects) {
  if (of.problem.quantisation != Quantisation::page) return;
  for (const KeyTarget& target : targets(of, of.problem.page_size))
    for (const float factor : factors)
      defects.push_back({.kind = fmt::format("{}_descale_x{}", letter(which), factor),
                         .place = "page of " + target.text(of.problem),
                         .inputs = [=](Problem& problem, Tensors& tensors) {
                           Tensor& descale = which == Stored::k ? tensors.k_descale : tensors.v_descale;
                           descale = copy_of(descale);
                           const int64_t page = page_of(problem, tensors, target.request, target.first);
                           descale.as<float>()[page * problem.kv_heads + target.kv_head] *= factor;
                         }});
}

// E8M0: the next power of two, of V for 32 keys of a column, of K for 32 columns of a key.
void add_block_scales(const SabotagedCase& of, Stored which, std::vector<Defect>& defects) {
  const Tensor& scales = which == Stored::k ? of.tensors.k_descale : of.tensors.v_descale;
  if (scales.type() != ElementType::e8m0) return;
  const int dim = which == Stored::k ? of.problem.head_dim : of.problem.value_columns();
  for (const KeyTarget& target : targets(of, 32))
    for (const int columns : {1, dim}) {
      const auto change = [=](Problem& problem, Tensors& tensors) {
        Tensor& descale = which == Stored::k ? tensors.k_descale : tensors.v_descale;
        descale = copy_of(descale);
        for (int key = target.first; key < target.last; ++key) {
          const int64_t page = page_of(problem, tensors, target.request, key);
          const int slot = key % problem.page_size;
          for (int column = 0; column < columns; column += which == Stored::k ? 32 : 1) {
            if (which == Stored::v && key % 32 != 0) continue;
            const int64_t index =
                which == Stored::k
                    ? (((page * problem.page_size + slot) * problem.kv_heads + target.kv_head) * dim +
                       column) /
                          32
                    : ((page * problem.page_size + slot) / 32 * problem.kv_heads + target.kv_head) * dim +
                          column;
            ++descale.as<uint8_t>()[static_cast<size_t>(index)];
          }
        }
      };
      defects.push_back(
          {.kind = fmt::format("{}_block_scale_x2_{}", letter(which), columns == 1 ? "one" : "all"),
           .place = target.text(of.problem),
           .inputs = change});
    }
}

// The keys that are stored as the target's first one is: old tokens, or a chunk that is appended.
std::pair<int, int> stored_beside(const Problem& problem, const KeyTarget& target) {
  const Request& request = problem.requests[static_cast<size_t>(target.request)];
  const int old = problem.op->facts().appends ? old_tokens(problem, request) : 0;
  return target.first < old ? std::pair(0, old) : std::pair(old, request.key_length);
}

void add_elsewhere(const SabotagedCase& of, Stored which, std::vector<Defect>& defects) {
  const auto add = [&](const char* what, int keys) {
    for (const KeyTarget& target : targets(of, keys)) {
      const auto [begin, end] = stored_beside(of.problem, target);
      const int length = end - begin, count = target.last - target.first;
      if (length < 2 * count) continue;
      const int from =
          begin + (target.first - begin + std::max(count, length / 2 / count * count)) % (length - count + 1);
      defects.push_back({.kind = fmt::format("{}_{}_elsewhere", letter(which), what),
                         .place = fmt::format("{} from {}", target.text(of.problem), from),
                         .inputs = [=](Problem& problem, Tensors& tensors) {
                           StoredKeys stored(problem, tensors, which);
                           for (int i = 0; i < count; ++i)
                             if (stored.alike(target.request, from + i, target.first + i))
                               stored.copy(target.request, from + i, target.kv_head, target.first + i,
                                           target.kv_head);
                         }});
    }
  };
  add("tile", tile);
  if (of.problem.page_size != 1 && of.problem.page_size != tile) add("page", of.problem.page_size);
  add("row", 1);
}

void add_wrong_head(const SabotagedCase& of, Stored which, std::vector<Defect>& defects) {
  if (of.problem.kv_heads < 2) return;
  for (const KeyTarget& target : targets(of, tile))
    defects.push_back({.kind = fmt::format("{}_of_wrong_head", letter(which)),
                       .place = target.text(of.problem),
                       .inputs = [=](Problem& problem, Tensors& tensors) {
                         StoredKeys stored(problem, tensors, which);
                         const int other = (target.kv_head + 1) % problem.kv_heads;
                         for (int key = target.first; key < target.last; ++key)
                           stored.copy(target.request, key, other, key, target.kv_head);
                       }});
}

// A row of Q is the one after it, for all heads.
void add_shifted_query(const SabotagedCase& of, std::vector<Defect>& defects) {
  if (!of.problem.op->facts().pages || of.problem.quantisation == Quantisation::mx) return;
  for (const QueryRow& row : {of.rows[of.rows.size() / 2], of.rows.front()}) {
    if (row.query + 1 >= of.problem.requests[static_cast<size_t>(row.request)].query_length) continue;
    defects.push_back({.kind = "query_row_shifted",
                       .place = fmt::format("query {} of request {}", row.query, row.request),
                       .inputs = [=](Problem&, Tensors& tensors) {
                         tensors.q = copy_of(tensors.q);
                         const size_t bytes = tensors.q.bytes() / static_cast<size_t>(tensors.q.shape()[0]);
                         const auto at =
                             static_cast<size_t>(tensors.q_indptr.as<int32_t>()[row.request] + row.query) *
                             bytes;
                         std::copy_n(tensors.q.data() + at + bytes, bytes, tensors.q.data() + at);
                       }});
  }
}

} // namespace

std::vector<Defect> wrong_values(const SabotagedCase& of) {
  std::vector<Defect> defects;
  if (!of.problem.op->facts().pages) return defects;
  for (const Stored which : {Stored::v, Stored::k}) {
    add_scaled(of, which, defects);
    add_descales(of, which, defects);
    add_block_scales(of, which, defects);
    add_elsewhere(of, which, defects);
    add_wrong_head(of, which, defects);
  }
  add_shifted_query(of, defects);
  return defects;
}

} // namespace fmha950::harness
