#include "interface/error.hpp"
#include "operators/sparse_prefill/definition.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"

namespace fmha950::operators {
namespace {

using namespace case_keys;
using namespace case_text;

// What becomes lists when all keys are known.
struct SparseDraft {
  std::optional<ListKind> kind;
  std::vector<int> prefix_lengths, extend_lengths;
};

SparseDraft& own(Draft& draft) {
  if (!draft.own.has_value()) draft.own = SparseDraft();
  return *std::any_cast<SparseDraft>(&draft.own);
}

SparseLists& lists_of(Draft& draft) {
  SparseLists* const lists = sparse_lists(draft.problem);
  return lists != nullptr ? *lists : draft.problem.own.emplace<SparseLists>();
}

// A problem may be printed before it is validated.
const SparseLists& lists_of(const Problem& problem) {
  static const SparseLists none;
  return sparse_lists(problem) != nullptr ? *sparse_lists(problem) : none;
}

// Q and KV are of one type.
bool read_row_type(std::string_view text, Problem& problem) {
  if (!read_name(text, problem.kv_type)) return false;
  problem.query_type = problem.kv_type;
  return problem.kv_type == ElementType::bf16 || problem.kv_type == ElementType::fp8;
}

bool read_lists(std::string_view text, Draft& draft) {
  ListKind& kind = own(draft).kind.emplace();
  return read_name(text, kind) && kind != ListKind::lengths;
}

std::string print_lists(const Problem& problem) {
  const ListKind kind = lists_of(problem).kind;
  return kind == ListKind::sparse || kind == ListKind::lengths ? "" : std::string(name_of(kind));
}

std::string print_list_lengths(const Problem& problem, std::vector<int> SparseLists::* lengths) {
  return print_lengths(lists_of(problem).*lengths);
}

static_assert(most_sparse_tokens == 1048576 && most_sparse_rows == 134217728, "as the texts below say");

KeyWords row_types() {
  static constexpr std::string_view types[] = {"bf16", "fp8"};
  return types;
}

constexpr Key keys[] = {
    {"h", "must be Hq, a multiple of 16 query heads (they share one KV head)",
     [](auto text, Draft& d) { return read_number(text, d.problem.query_heads, 1); },
     [](const Problem& p) { return std::to_string(p.query_heads); }},
    {"n", "must be a number of tokens from 1 to 1048576",
     [](auto text, Draft& d) { return read_number(text, lists_of(d).tokens, 1, most_sparse_tokens); },
     [](const Problem& p) { return std::to_string(lists_of(p).tokens); }},
    {"pool", "must be a number of rows from 0 to 134217728",
     [](auto text, Draft& d) { return read_number(text, lists_of(d).pool_rows, 0, most_sparse_rows); },
     [](const Problem& p) { return std::to_string(lists_of(p).pool_rows); }},
    {"chunk", "must be a number of rows from 0 to 134217728",
     [](auto text, Draft& d) { return read_number(text, lists_of(d).chunk_rows, 0, most_sparse_rows); },
     [](const Problem& p) { return std::to_string(lists_of(p).chunk_rows); }},
    {"kv", "must be one of bf16, fp8", [](auto text, Draft& d) { return read_row_type(text, d.problem); },
     print_field<&Problem::kv_type>, row_types},
    {"format", "must be one of split, packed",
     [](auto text, Draft& d) { return read_name(text, lists_of(d).format); },
     [](const Problem& p) {
       const RowFormat format = lists_of(p).format;
       return format == RowFormat::split ? "" : std::string(name_of(format));
     },
     names_of<RowFormat>},
    {"lists", "must be one of sparse, dense, empty (or give prefix and extend)", read_lists, print_lists},
    {"prefix", "must be numbers of rows from 0 to 134217728, separated by commas",
     [](auto text, Draft& d) { return read_lengths(text, own(d).prefix_lengths, most_sparse_rows); },
     [](const Problem& p) { return print_list_lengths(p, &SparseLists::prefix_lengths); }},
    {"extend", "must be numbers of rows from 0 to 134217728, separated by commas",
     [](auto text, Draft& d) { return read_lengths(text, own(d).extend_lengths, most_sparse_rows); },
     [](const Problem& p) { return print_list_lengths(p, &SparseLists::extend_lengths); }},
    scale_key,
    sink_logit_key,
    lse_key,
    values_key,
    seed_key,
};

std::vector<int> for_all_tokens(std::string_view key, const std::vector<int>& lengths, int tokens) {
  if (lengths.empty())
    throw InvalidInput("case string key", std::string(key),
                       "is missing, prefix and extend belong together (or give lists)");
  require_count(key, lengths, static_cast<size_t>(tokens), "tokens");
  return lengths.size() == 1 ? std::vector<int>(static_cast<size_t>(tokens), lengths[0]) : lengths;
}

void complete(Draft& draft) {
  const SparseDraft& said = own(draft);
  SparseLists& lists = lists_of(draft);
  draft.problem.kv_heads = 1;
  draft.problem.head_dim = 512;
  if (!said.prefix_lengths.empty() || !said.extend_lengths.empty()) {
    if (said.kind)
      throw InvalidInput("lists", std::string(name_of(*said.kind)),
                         "must be absent where prefix and extend give the lengths of the lists");
    lists.kind = ListKind::lengths;
    lists.prefix_lengths = for_all_tokens("prefix", said.prefix_lengths, lists.tokens);
    lists.extend_lengths = for_all_tokens("extend", said.extend_lengths, lists.tokens);
  } else {
    lists.kind = said.kind.value_or(ListKind::sparse);
  }
  draft.problem.requests = {{lists.tokens, most_listed_rows(lists)}};
}

constexpr std::string_view required[] = {"h", "n", "pool", "chunk", "scale"};

} // namespace

constinit const OperatorKeys sparse_keys{keys, required, complete};

} // namespace fmha950::operators
