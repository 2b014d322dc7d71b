#include "workload/activation_values.hpp"

#include "interface/error.hpp"
#include "interface/npy.hpp"
#include "workload/data_directory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace fmha950::workload {
namespace {

constexpr int recorded_columns = 64, recorded_kv_heads = 3, recorded_heads_per_kv_head = 3;
constexpr int recorded_heads = recorded_kv_heads * recorded_heads_per_kv_head;
constexpr int recorded_tokens = 4096, recorded_queries = 1024;
constexpr int request_shift = 613, head_shift = 1021; // primes, so that shifts of few requests differ
constexpr int wide_head_shift = 23;                   // likewise
constexpr int widest_head = 256; // wider rows are those of many query heads that share one KV head
constexpr std::array<std::string_view, 4> layers{"L00", "L10", "L18", "L28"};

Tensor read(const std::string& name, const std::vector<int64_t>& shape) {
  const auto file = data_file(fmt::format("activations/{}.npy", name));
  Tensor tensor = read_npy(file, ElementType::fp16);
  if (tensor.shape() != shape)
    throw InvalidInput("activations", file.string(),
                       fmt::format("must have {} rows of recorded heads", shape[0]));
  return tensor;
}

void copy_head(const Tensor& recorded, int64_t head, std::span<float> segment) {
  for (size_t i = 0; i < segment.size(); ++i)
    segment[i] = recorded.value(head * recorded_columns + static_cast<int64_t>(i));
}

} // namespace

ActivationValues::ActivationValues(const Problem& problem, const std::string& layer)
    : requests_(problem.requests),
      heads_per_kv_head_(std::max(1, problem.query_heads / std::max(1, problem.kv_heads))),
      wide_(problem.head_dim > widest_head) {
  if (std::ranges::find(layers, layer) == layers.end())
    throw InvalidInput("values", problem.values,
                       fmt::format("the layer must be one of {}", fmt::join(layers, ", ")));
  q_ = read(layer + "_Q_pos3072-4095", {recorded_queries, recorded_heads, recorded_columns});
  k_ = read(layer + "_K", {recorded_tokens, recorded_kv_heads, recorded_columns});
  v_ = read(layer + "_V", {recorded_tokens, recorded_kv_heads, recorded_columns});
}

int ActivationValues::recorded_head(int kv_head, int segment) const {
  const int step = 1 + kv_head / recorded_kv_heads % 2;
  return (kv_head + segment * step) % recorded_kv_heads;
}

int ActivationValues::token_step(int segment) const { return wide_ ? segment / recorded_kv_heads : 0; }

void ActivationValues::query(int request, int query, int head, std::span<float> row) const {
  const Request& lengths = requests_[request];
  const int head_step = wide_ ? head / recorded_heads_per_kv_head * wide_head_shift : 0;
  const int position =
      lengths.key_length - lengths.query_length + query + request * request_shift + head_step;
  for (int segment = 0; segment * recorded_columns < static_cast<int>(row.size()); ++segment) {
    const int place = (position + token_step(segment)) % recorded_queries;
    const int64_t recorded = (place + recorded_queries) % recorded_queries;
    const int member = head % heads_per_kv_head_ %
                       recorded_heads_per_kv_head; // of the three recorded query heads of a KV head
    const int recorded_query_head =
        recorded_head(head / heads_per_kv_head_, segment) * recorded_heads_per_kv_head + member;
    copy_head(q_, recorded * recorded_heads + recorded_query_head,
              row.subspan(segment * recorded_columns, recorded_columns));
  }
}

void ActivationValues::key_or_value(const Tensor& recorded, int request, int token, int kv_head,
                                    std::span<float> row) const {
  constexpr int repeating = recorded_tokens - 1; // all but token 0
  const int64_t shift = int64_t{request} * request_shift + int64_t{kv_head / recorded_kv_heads} * head_shift;
  for (int segment = 0; segment * recorded_columns < static_cast<int>(row.size()); ++segment) {
    const int64_t source = token == 0 ? 0 : 1 + (token - 1 + shift + token_step(segment)) % repeating;
    copy_head(recorded, source * recorded_kv_heads + recorded_head(kv_head, segment),
              row.subspan(segment * recorded_columns, recorded_columns));
  }
}

void ActivationValues::key(int request, int token, int kv_head, std::span<float> row) const {
  key_or_value(k_, request, token, kv_head, row);
}

void ActivationValues::value(int request, int token, int kv_head, std::span<float> row) const {
  key_or_value(v_, request, token, kv_head, row);
}

} // namespace fmha950::workload
