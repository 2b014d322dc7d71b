// Tensors of append_prefill: the chunk, the scales, and that no page is written to which another also uses.
// The page tables are checked as batch_prefill's are.
#include "interface/validate_detail.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "operators/append_prefill/definition.hpp"
#include "operators/append_prefill/rotary.hpp"
#include "operators/paged/definition.hpp"
#include "workload/finite.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace fmha950::operators {
namespace {

using namespace validation;
using enum ElementType;
using Shape = std::vector<int64_t>;

void check_append_shapes(const Problem& p, const Tensors& t) {
  const int64_t batch = static_cast<int64_t>(p.requests.size());
  const AppendTensors& own = append_tensors(t);
  const Shape pool{t.pool_pages(), p.page_size, p.kv_heads, p.head_dim}, none;
  const Shape q{p.total_queries(), p.query_heads, p.head_dim};
  const RotaryEmbedding* const embedding = rotary_embedding(p);
  const auto& angles = own.cos_sin_cache.shape();
  const int64_t positions =
      angles.empty() ? 1 : std::max<int64_t>(angles[0], 1); // as many as there are, but one
  const Shape chunk{p.total_queries(), p.kv_heads, p.head_dim};
  const auto original = [&](const Tensor& tensor, const Shape& shape) {
    return tensor.empty() ? none : shape;
  };
  const Expected table[] = {
      {"q", t.q, p.query_type, q},
      {"k_new", own.k_new, p.query_type, chunk},
      {"v_new", own.v_new, p.query_type, chunk},
      {"k_cache", t.k_pool, fp8, pool},
      {"v_cache", t.v_pool, fp8, pool},
      {"k_scale", t.k_descale, fp32, {1}},
      {"v_scale", t.v_descale, fp32, {1}},
      {"q_descale", t.q_descale, fp32, none},
      {"sink_logit", t.sink_logit, fp32, p.sink_logit ? Shape{p.query_heads} : none},
      {"q_indptr", t.q_indptr, int32, {batch + 1}},
      {"call_cuts", own.call_cuts, int32,
       p.calls > 1 && !own.call_cuts.empty() ? Shape{batch, p.calls - 1} : none},
      {"positions", own.positions, int32, embedding ? Shape{p.total_queries()} : none},
      {"cos_sin_cache", own.cos_sin_cache, fp32, embedding ? Shape{positions, embedding->rotated} : none},
      {"q_original", t.q_original, fp32, original(t.q_original, q)},
      {"k_original", t.k_original, fp32, original(t.k_original, pool)},
      {"v_original", t.v_original, fp32, original(t.v_original, pool)},
  };
  check_expected(table);
}

// The cache would fill with NaN, infinity or zeros, and say nothing. Subnormal numbers may count as 0. Beyond
// the largest scale the cache's largest value, 448, would be infinite where it is read, in the chunk's type.
void check_scale(const char* name, const Tensor& tensor, ElementType chunk_type) {
  const float value = tensor.as<float>()[0];
  const float most = (chunk_type == fp16 ? 65504.0f : 0x1.fep127f) / 448;
  if (!(std::isnormal(value) && value > 0))
    refuse(name, value, "must be finite, > 0 and no subnormal number", 0);
  if (value > most)
    refuse(name, value,
           fmt::format("must be at most {}, or 448 times it is infinite in {}", most, name_of(chunk_type)),
           0);
}

void check_call_cuts(const Problem& p, const Tensor& tensor) {
  if (tensor.empty()) return;
  const auto cuts = tensor.as<int32_t>();
  const auto later = static_cast<size_t>(p.calls - 1);
  for (size_t r = 0; r < p.requests.size(); ++r)
    for (size_t c = 0; c < later; ++c) {
      const int32_t cut = cuts[r * later + c], before = c == 0 ? 0 : cuts[r * later + c - 1];
      const int length = p.requests[r].query_length;
      if (cut < 0 || cut > length)
        refuse("call_cuts", cut,
               fmt::format("must be from 0 to {}, the length of the request's chunk", length), r, c);
      if (cut < before)
        refuse("call_cuts", cut, fmt::format("must be at least {}, the cut before it", before), r, c);
      if (p.mode == BatchMode::batch && cut != cuts[c])
        refuse("call_cuts", cut, fmt::format("must be {}, as request 0's: mode=batch", cuts[c]), r, c);
    }
}

void check_positions(const AppendTensors& t) {
  if (t.positions.empty()) return;
  const auto positions = t.positions.as<int32_t>();
  const int64_t rows = t.cos_sin_cache.shape()[0];
  for (size_t i = 0; i < positions.size(); ++i)
    if (positions[i] < 0 || positions[i] >= rows)
      refuse("positions", positions[i], fmt::format("must be from 0 to {}, a row of cos_sin_cache", rows - 1),
             i);
}

struct Place { // in the page tables
  int request = 0, page = 0;
  bool written = false;
};

[[noreturn]] void refuse_conflict(const Problem& p, int32_t id, const Place& a, const Place& b) {
  const Place& writer = a.written ? a : b;
  const Place& other = a.written ? b : a;
  const Request& request = p.requests[static_cast<size_t>(writer.request)];
  const char* name = p.page_table == PageTable::sglang ? "kv_page_indices" : "block_table";
  throw InvalidInput(
      fmt::format("{} of request {}, page {}", name, writer.request, writer.page), fmt::format("{}", id),
      fmt::format("must be a page of its own, as the request appends tokens {} to {}, but request "
                  "{} names it as its page {}, too",
                  request.key_length - request.query_length, request.key_length - 1, other.request,
                  other.page));
}

// Pages of old tokens may be shared (a common prefix); one that is written to belongs to one place only.
void check_written_pages(const Problem& p, const Tensors& t) {
  std::unordered_map<int32_t, Place> first;
  for (int r = 0; r < static_cast<int>(p.requests.size()); ++r) {
    const Request& request = p.requests[static_cast<size_t>(r)];
    const int old = request.key_length - request.query_length;
    for (int page = 0; page < p.pages_of(request); ++page) {
      const int64_t end = std::min<int64_t>(int64_t{page + 1} * p.page_size, request.key_length);
      const Place place{r, page, end > old};
      const int32_t id = page_of(p, t, r, page * p.page_size);
      const auto [known, fresh] = first.try_emplace(id, place);
      if (!fresh && (place.written || known->second.written)) refuse_conflict(p, id, known->second, place);
    }
  }
}

} // namespace

void check_angles(const Problem& p, const Tensors& tensors) {
  const RotaryEmbedding* const embedding = rotary_embedding(p);
  if (embedding == nullptr) return;
  const AppendTensors& t = append_tensors(tensors);
  for (const int32_t position : t.positions.as<int32_t>()) {
    const int64_t row = int64_t{position} * embedding->rotated;
    if (const int64_t index = workload::first_not_finite(t.cos_sin_cache, row, embedding->rotated);
        index >= 0)
      workload::refuse_value(fmt::format("cos_sin_cache[{}, {}]", position, index - row), t.cos_sin_cache,
                             index);
  }
}

void check_append(const Problem& p, const Tensors& t) {
  check_append_shapes(p, t);
  check_tables(p, t);
  check_scale("k_scale", t.k_descale, p.query_type);
  check_scale("v_scale", t.v_descale, p.query_type);
  check_sink_logits(t);
  check_call_cuts(p, append_tensors(t).call_cuts);
  check_positions(append_tensors(t));
  check_written_pages(p, t);
}

} // namespace fmha950::operators
