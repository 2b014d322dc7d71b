// The validator of page tables: tables that are right, with some entries, lengths or types changed. It must
// refuse exactly what the rules of interface/tensors.hpp, written once more below, refuse.
#include "interface/error.hpp"
#include "interface/validate.hpp"
#include "operators/append_prefill/append_prefill.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "tests/fuzz/target.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace fmha950::fuzz {
namespace {

using Table = std::vector<int32_t>;

Tensor tensor_of(const Table& values, std::vector<int64_t> shape, ElementType type = ElementType::int32) {
  Tensor tensor(type, std::move(shape));
  std::ranges::copy(values, tensor.as<int32_t>().begin());
  return tensor;
}

// What the tables say, free to be wrong.
struct Tables {
  Table q_indptr, kv_indptr, pages, last_lengths, lengths;
  int64_t block_columns = 0; // of `pages` as a block table
  bool wrong_type = false;   // of `pages`
  std::vector<float> descales;
};

struct Case {
  Problem problem;
  int pool_pages = 0;
  Tables tables;
};

int pages_of(int keys, int page_size) { return keys / page_size + (keys % page_size != 0); }

// Pages may be drawn twice, and one that is written to must not be.
void make_append(Problem& p) {
  p.op = append_prefill;
  p.kv_type = ElementType::fp8;
  p.quantisation = Quantisation::per_tensor;
  p.paged = true;
  for (Request& request : p.requests) request.key_length += request.query_length;
}

Case right_case(Choices& choices) {
  Case c;
  Problem& p = c.problem;
  p.head_dim = 64;
  p.kv_heads = 1 + choices.below(2);
  p.query_heads = p.kv_heads;
  p.page_size = choices.one_of({1, 16, 32});
  p.page_table = choices.one_of({PageTable::sglang, PageTable::vllm});
  const uint8_t form = choices.byte();
  if (form & 1) p.quantisation = Quantisation::page;
  p.paged = form / 2 % 4 != 3;
  if (p.quantisation != Quantisation::none) p.kv_type = ElementType::fp8;
  const int batch = 1 + choices.below(3);
  for (int i = 0; i < batch; ++i) p.requests.push_back({choices.below(4), choices.below(80)});
  if (form / 8 % 4 == 3) make_append(p);
  c.pool_pages = choices.below(8);

  Tables& t = c.tables;
  t.q_indptr = t.kv_indptr = {0};
  for (const Request& request : p.requests)
    t.block_columns = std::max<int64_t>(t.block_columns, pages_of(request.key_length, p.page_size));
  t.block_columns += choices.below(2);
  int next_page = 0;
  for (const Request& request : p.requests) {
    const int pages = pages_of(request.key_length, p.page_size);
    t.q_indptr.push_back(t.q_indptr.back() + request.query_length);
    t.kv_indptr.push_back(t.kv_indptr.back() + pages);
    t.last_lengths.push_back(request.key_length - p.page_size * std::max(pages - 1, 0));
    t.lengths.push_back(request.key_length);
    const int64_t entries = p.page_table == PageTable::sglang ? pages : t.block_columns;
    for (int64_t i = 0; i < entries; ++i) {
      const bool padding = i >= pages;
      const int page = padding ? -1 : choices.below(std::max(c.pool_pages, 1));
      t.pages.push_back(padding || p.paged ? page : next_page++);
    }
  }
  const bool append = p.op == append_prefill; // one scale each for K and V
  t.descales.assign(append ? 2 : static_cast<size_t>(c.pool_pages * p.kv_heads), 0.5f);
  return c;
}

void change(Tables& t, Choices& choices) {
  Table* const tables[] = {&t.q_indptr, &t.kv_indptr, &t.pages, &t.last_lengths, &t.lengths};
  Table& table = *tables[choices.below(5)];
  switch (choices.below(6)) {
  case 0:
    if (!table.empty())
      table[choices.below(static_cast<int>(table.size()))] = static_cast<int32_t>(choices.word());
    break;
  case 1:
    if (!table.empty()) {
      int32_t& entry = table[choices.below(static_cast<int>(table.size()))];
      entry = static_cast<int32_t>(static_cast<uint32_t>(entry) + choices.one_of({1u, ~0u}));
    }
    break;
  case 2: table.push_back(static_cast<int32_t>(choices.word())); break;
  case 3:
    if (!table.empty()) table.pop_back();
    break;
  case 4: t.wrong_type = !t.wrong_type; break;
  case 5:
    if (!t.descales.empty())
      t.descales[choices.below(static_cast<int>(t.descales.size()))] =
          choices.one_of({0.0f, -1.0f, NAN, INFINITY, 2.0f, 1e-45f, 1e36f});
  }
}

Tensors tensors_of(const Case& c) {
  const Problem& p = c.problem;
  const Tables& t = c.tables;
  Tensors tensors;
  const auto vector = [](const Table& table) {
    return tensor_of(table, {static_cast<int64_t>(table.size())});
  };
  tensors.q = Tensor(p.query_type, {p.total_queries(), p.query_heads, p.head_dim});
  tensors.k_pool = tensors.v_pool = Tensor(p.kv_type, {c.pool_pages, p.page_size, p.kv_heads, p.head_dim});
  tensors.q_indptr = vector(t.q_indptr);
  const ElementType type = t.wrong_type ? ElementType::fp32 : ElementType::int32;
  if (p.page_table == PageTable::sglang) {
    tensors.kv_indptr = vector(t.kv_indptr);
    tensors.kv_page_indices = tensor_of(t.pages, {static_cast<int64_t>(t.pages.size())}, type);
    tensors.kv_last_page_lens = vector(t.last_lengths);
  } else {
    const auto batch = static_cast<int64_t>(p.requests.size());
    Table whole = t.pages; // a block table has whole rows
    const int64_t columns = static_cast<int64_t>(whole.size()) / batch;
    whole.resize(static_cast<size_t>(columns * batch));
    tensors.block_table = tensor_of(whole, {batch, columns}, type);
    tensors.seqlen_k = vector(t.lengths);
  }
  if (p.quantisation == Quantisation::page) {
    tensors.q_descale = Tensor(ElementType::fp32, {1});
    tensors.q_descale.as<float>()[0] = 1;
    Tensor descale(ElementType::fp32, {c.pool_pages, p.kv_heads});
    std::ranges::copy(t.descales, descale.as<float>().begin());
    tensors.k_descale = tensors.v_descale = descale;
  }
  if (p.op == append_prefill) {
    append_tensors(tensors).k_new = append_tensors(tensors).v_new =
        Tensor(p.query_type, {p.total_queries(), p.kv_heads, p.head_dim});
    tensors.k_descale = Tensor(ElementType::fp32, {1});
    tensors.v_descale = Tensor(ElementType::fp32, {1});
    tensors.k_descale.as<float>()[0] = t.descales[0];
    tensors.v_descale.as<float>()[0] = t.descales[1];
  }
  return tensors;
}

// The rules, for themselves.
bool is_right(const Case& c) {
  const Problem& p = c.problem;
  const Tables& t = c.tables;
  const size_t batch = p.requests.size();
  const bool sglang = p.page_table == PageTable::sglang;
  if (t.q_indptr.size() != batch + 1) return false;
  if (sglang && (t.kv_indptr.size() != batch + 1 || t.last_lengths.size() != batch)) return false;
  if (!sglang && t.lengths.size() != batch) return false;
  const size_t columns = t.pages.size() / batch;
  size_t used = 0, widest = 0;
  int64_t queries = 0;
  for (size_t i = 0; i <= batch; ++i) {
    if (t.q_indptr[i] != queries || (sglang && t.kv_indptr[i] != static_cast<int64_t>(used))) return false;
    if (i == batch) break;
    const int keys = p.requests[i].key_length;
    const auto pages = static_cast<size_t>(pages_of(keys, p.page_size));
    if (sglang && keys > 0 && t.last_lengths[i] != keys - p.page_size * (static_cast<int>(pages) - 1))
      return false;
    if (!sglang && t.lengths[i] != keys) return false;
    queries += p.requests[i].query_length;
    used += pages;
    widest = std::max(widest, pages);
  }
  if (sglang ? t.pages.size() < used : columns < widest) return false;
  if (t.wrong_type && (sglang ? used > 0 : true)) return false;
  if (p.op == append_prefill)
    for (const float scale : t.descales) // 448 of these are finite in bf16
      if (!(std::isnormal(scale) && scale > 0 && 448.0 * scale <= 0x1.fep127)) return false;
  int next_page = 0;
  std::map<int32_t, std::pair<int, bool>> named; // times, and whether one of them is written to
  for (size_t i = 0, entry = 0; i < batch; ++i)
    for (int page = 0; page < pages_of(p.requests[i].key_length, p.page_size); ++page, ++entry) {
      const int32_t id = t.pages[sglang ? entry : i * columns + static_cast<size_t>(page)];
      if (id < 0 || id >= c.pool_pages) return false;
      if (!p.paged && id != next_page++) return false;
      const int old = p.requests[i].key_length - p.requests[i].query_length;
      auto& [times, written] = named[id];
      ++times;
      written |= p.requests[i].query_length > 0 && page >= old / p.page_size;
      if (p.op == append_prefill && times > 1 && written) return false;
      if (p.quantisation == Quantisation::page)
        for (int head = 0; head < p.kv_heads; ++head) {
          const float descale = t.descales[static_cast<size_t>(id * p.kv_heads + head)];
          if (!(descale > 0) || std::isinf(descale)) return false;
        }
    }
  return true;
}

void page_tables(Bytes input) {
  Choices choices(input);
  Case c = right_case(choices);
  while (!choices.empty()) change(c.tables, choices);
  const Tensors tensors = tensors_of(c);
  bool accepted = false;
  std::string refusal;
  try {
    validate_problem(c.problem);
    validate_tensors(c.problem, tensors);
    accepted = true;
  } catch (const InvalidInput& error) {
    refusal = error.what();
  }
  ensure(accepted || !is_right(c), "tables that are right are refused: " + refusal);
  ensure(!accepted || is_right(c), "tables that are wrong are accepted");
  if (!accepted) return;
  for (size_t i = 0; i < c.problem.requests.size(); ++i)
    for (int token = 0; token < c.problem.requests[i].key_length; ++token) {
      const int page = page_of(c.problem, tensors, static_cast<int>(i), token);
      ensure(page >= 0 && page < c.pool_pages, "every token's page is one of the pool");
    }
  for (int32_t page : touched_pages(c.problem, tensors))
    ensure(page >= 0 && page < c.pool_pages, "touched pages are pages of the pool");
}

const Registration registration("page_tables", page_tables);

} // namespace
} // namespace fmha950::fuzz
