#include "interface/validate_detail.hpp"
#include "operators/paged/keys.hpp"
#include "operators/sparse_prefill/definition.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace fmha950::operators {
namespace {

using namespace validation;
using enum ElementType;

constexpr int64_t most_ids = std::numeric_limits<int32_t>::max() - 64; // with room for padding

std::string text_of(const std::vector<int>& lengths) { return fmt::format("{}", fmt::join(lengths, ",")); }

std::string text_of_requests(const Problem& p) {
  std::string text;
  for (const Request& request : p.requests)
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",", request.query_length, request.key_length);
  return text;
}

// A length for every token where they are given, and none elsewhere.
bool has_lengths(const SparseLists& lists, const std::vector<int>& lengths) {
  return std::ssize(lengths) == (lists.kind == ListKind::lengths ? lists.tokens : 0);
}

bool are_lengths(const std::vector<int>& lengths, int rows) {
  const int most = rows > 0 ? most_sparse_rows : 0;
  return std::all_of(lengths.begin(), lengths.end(), [=](int n) { return n >= 0 && n <= most; });
}

// At most: how long the lists of other kinds are is known with the tensors.
int64_t ids(const SparseLists& lists, const std::vector<int>& lengths, int rows) {
  if (lists.kind == ListKind::lengths) return std::accumulate(lengths.begin(), lengths.end(), int64_t{0});
  return int64_t{lists.tokens} * most_listed(lists.kind, rows);
}

constexpr const char* lengths_expected =
    "must be one length for each of n tokens with lists of given lengths, and absent with others";
constexpr const char* rows_expected = "must be rows from 0 to 134217728, and 0 where there are none to list";
constexpr const char* ids_expected = "must sum to less than 2^31 ids, as their indptr is int32";

// A rule may rely on those before it.
const Rule rules[] = {
    {"lists", [](const Problem& p) { return (sparse_lists(p) != nullptr); },
     [](const Problem&) -> std::string { return "absent"; }, "must be given for sparse_prefill"},
    {"h", [](const Problem& p) { return p.query_heads >= 16 && p.query_heads % 16 == 0; },
     [](const Problem& p) { return fmt::format("{}", p.query_heads); }, "must be a multiple of 16"},
    {"h", [](const Problem& p) { return p.kv_heads == 1; },
     [](const Problem& p) { return fmt::format("{}:{}", p.query_heads, p.kv_heads); },
     "query heads must share one KV head"},
    {"n",
     [](const Problem& p) {
       return sparse_lists(p)->tokens >= 1 && sparse_lists(p)->tokens <= most_sparse_tokens;
     },
     [](const Problem& p) { return fmt::format("{}", sparse_lists(p)->tokens); },
     "must be from 1 to 1048576 tokens"},
    {"n", [](const Problem& p) { return int64_t{sparse_lists(p)->tokens} * p.query_heads <= most_ids; },
     [](const Problem& p) { return fmt::format("{}", sparse_lists(p)->tokens); },
     "must have less than 2^31 rows of Q, n * h"},
    {"pool",
     [](const Problem& p) {
       return sparse_lists(p)->pool_rows >= 0 && sparse_lists(p)->pool_rows <= most_sparse_rows;
     },
     [](const Problem& p) { return fmt::format("{}", sparse_lists(p)->pool_rows); },
     "must be from 0 to 134217728 rows"},
    {"chunk",
     [](const Problem& p) {
       return sparse_lists(p)->chunk_rows >= 0 && sparse_lists(p)->chunk_rows <= most_sparse_rows;
     },
     [](const Problem& p) { return fmt::format("{}", sparse_lists(p)->chunk_rows); },
     "must be from 0 to 134217728 rows"},
    {"prefix",
     [](const Problem& p) { return has_lengths(*sparse_lists(p), sparse_lists(p)->prefix_lengths); },
     [](const Problem& p) { return text_of(sparse_lists(p)->prefix_lengths); }, lengths_expected},
    {"extend",
     [](const Problem& p) { return has_lengths(*sparse_lists(p), sparse_lists(p)->extend_lengths); },
     [](const Problem& p) { return text_of(sparse_lists(p)->extend_lengths); }, lengths_expected},
    {"prefix",
     [](const Problem& p) {
       return are_lengths(sparse_lists(p)->prefix_lengths, sparse_lists(p)->pool_rows);
     },
     [](const Problem& p) { return text_of(sparse_lists(p)->prefix_lengths); }, rows_expected},
    {"extend",
     [](const Problem& p) {
       return are_lengths(sparse_lists(p)->extend_lengths, sparse_lists(p)->chunk_rows);
     },
     [](const Problem& p) { return text_of(sparse_lists(p)->extend_lengths); }, rows_expected},
    {"prefix",
     [](const Problem& p) {
       return ids(*sparse_lists(p), sparse_lists(p)->prefix_lengths, sparse_lists(p)->pool_rows) <= most_ids;
     },
     [](const Problem& p) {
       return fmt::format("{} ids",
                          ids(*sparse_lists(p), sparse_lists(p)->prefix_lengths, sparse_lists(p)->pool_rows));
     },
     ids_expected},
    {"extend",
     [](const Problem& p) {
       return ids(*sparse_lists(p), sparse_lists(p)->extend_lengths, sparse_lists(p)->chunk_rows) <= most_ids;
     },
     [](const Problem& p) {
       return fmt::format(
           "{} ids", ids(*sparse_lists(p), sparse_lists(p)->extend_lengths, sparse_lists(p)->chunk_rows));
     },
     ids_expected},
    {"requests",
     [](const Problem& p) {
       return p.requests ==
              std::vector<Request>{{sparse_lists(p)->tokens, most_listed_rows(*sparse_lists(p))}};
     },
     text_of_requests, "must be one, of all tokens and the most rows that one of them can list"},
    {"calls", [](const Problem& p) { return p.calls == 1; },
     [](const Problem& p) { return fmt::format("{}", p.calls); },
     "must be absent, only append_prefill comes in several calls"},
    {"d", [](const Problem& p) { return p.head_dim == sparse::head_dim; },
     [](const Problem& p) { return fmt::format("{}", p.head_dim); }, "must be 512"},
    {"kv", [](const Problem& p) { return p.kv_type == bf16 || p.kv_type == fp8; },
     [](const Problem& p) { return std::string(name_of(p.kv_type)); }, "must be bf16 or fp8"},
    {"q", [](const Problem& p) { return p.query_type == p.kv_type; },
     [](const Problem& p) { return std::string(name_of(p.query_type)); }, "must be KV's type"},
    {"o", [](const Problem& p) { return p.output_type == bf16; },
     [](const Problem& p) { return std::string(name_of(p.output_type)); }, "must be bf16"},
    {"format", [](const Problem& p) { return row_format(p) == RowFormat::split || p.kv_type == fp8; },
     [](const Problem& p) { return std::string(name_of(row_format(p))); }, "needs kv=fp8"},
    // Subnormal numbers may count as 0.
    {"scale", [](const Problem& p) { return p.scale && std::isnormal(*p.scale) && *p.scale > 0; },
     [](const Problem& p) { return p.scale ? fmt::format("{}", *p.scale) : "absent"; },
     "must be given, finite, > 0 and no subnormal number"},
};

// That a case string could not name.
void refuse_paged_fields(const Problem& p) {
  using namespace case_keys;
  constexpr std::string_view judged_by_rules[] = {"h", "sq", "sk", "d", "q", "o"};
  for (const Key& key : paged_keys.keys) {
    const bool shared = std::ranges::find(sparse_keys.keys, key.name, &Key::name) != sparse_keys.keys.end();
    if (shared || std::ranges::find(judged_by_rules, key.name) != std::end(judged_by_rules)) continue;
    if (const std::string value = key.print(p); !value.empty())
      throw InvalidInput(std::string(key.name), value, "must be absent, sparse_prefill has none");
  }
}

} // namespace

void check_sparse(const Problem& problem) {
  check_rules(problem, rules);
  refuse_paged_fields(problem);
}

} // namespace fmha950::operators
