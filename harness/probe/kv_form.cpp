#include "harness/probe/kv_form.hpp"

#include "harness/probe/page_values.hpp"
#include "interface/names.hpp"

#include <fmt/format.h>
#include <set>

namespace fmha950::harness {

namespace {

// Sizes between the usual ones need not come with both tables, which know nothing of sizes.
std::vector<int> page_sizes(PageTable table) {
  if (table == PageTable::sglang) return {1, 16, 32, 64, 1024};
  return {1, 16, 64, 128, 1024};
}

} // namespace

std::vector<KvForm> kv_forms() {
  std::vector<KvForm> forms;
  for (const auto table : {PageTable::sglang, PageTable::vllm})
    for (const auto layout : {KvLayout::linear, KvLayout::vectorized})
      for (const int page_size : page_sizes(table))
        for (const auto quantisation :
             {Quantisation::none, Quantisation::per_tensor, Quantisation::page, Quantisation::mx}) {
          if (layout == KvLayout::vectorized && page_size == 1) continue; // has no 16 bytes of tokens
          forms.push_back({table, layout, page_size, quantisation});
        }
  for (const auto quantisation : {Quantisation::none, Quantisation::per_tensor, Quantisation::page}) {
    forms.push_back({PageTable::sglang, KvLayout::linear, 48, quantisation});
    forms.push_back({PageTable::vllm, KvLayout::vectorized, 80, quantisation});
  }
  for (const auto quantisation : {Quantisation::per_tensor, Quantisation::page}) {
    forms.push_back({PageTable::sglang, KvLayout::linear, 16, quantisation, ElementType::bf16});
    forms.push_back({PageTable::vllm, KvLayout::vectorized, 64, quantisation, ElementType::fp16});
  }
  using enum Quantisation;
  forms.push_back({PageTable::sglang, KvLayout::hnd, 16, none});
  forms.push_back({PageTable::vllm, KvLayout::hnd, 64, per_tensor});
  forms.push_back({PageTable::sglang, KvLayout::hnd, 48, page});
  forms.push_back({PageTable::vllm, KvLayout::hnd, 32, mx});
  const auto interleaved = [&](PageTable table, KvLayout layout, int page_size, Quantisation quantisation) {
    forms.push_back({table, layout, page_size, quantisation, {}, true});
  };
  interleaved(PageTable::vllm, KvLayout::linear, 16, none);
  interleaved(PageTable::sglang, KvLayout::hnd, 16, per_tensor);
  interleaved(PageTable::vllm, KvLayout::hnd, 64, page);
  interleaved(PageTable::sglang, KvLayout::vectorized, 32, mx);
  const auto mla = [&](PageTable table, KvLayout layout, int page_size, Quantisation quantisation,
                       std::optional<ElementType> queries = {}) {
    forms.push_back({table, layout, page_size, quantisation, queries, false, true});
  };
  mla(PageTable::sglang, KvLayout::linear, 16, none);
  mla(PageTable::vllm, KvLayout::vectorized, 64, per_tensor);
  mla(PageTable::sglang, KvLayout::linear, 16, page);
  mla(PageTable::vllm, KvLayout::hnd, 48, page, ElementType::bf16);
  const auto mxfp4 = [&](PageTable table, int page_size) {
    forms.push_back({.table = table,
                     .layout = KvLayout::linear,
                     .page_size = page_size,
                     .quantisation = mx,
                     .mxfp4 = true});
  };
  mxfp4(PageTable::sglang, 32);
  mxfp4(PageTable::vllm, 64);
  mxfp4(PageTable::sglang, 1024);
  return forms;
}

std::string text_of(const KvForm& form) {
  return fmt::format(
      "{}/{}/page={}/quant={}{}{}{}{}", name_of(form.table), name_of(form.layout), form.page_size,
      name_of(form.quantisation), form.queries ? fmt::format("/q={}", name_of(*form.queries)) : "",
      form.interleaved ? "/interleaved" : "", form.mla ? "/d=192:128" : "", form.mxfp4 ? "/kv=mxfp4" : "");
}

Problem small_problem(const KvForm& form, std::vector<Request> requests) {
  Problem problem;
  problem.query_heads = 4;
  problem.kv_heads = 2;
  problem.requests = std::move(requests);
  problem.page_table = form.table;
  problem.kv_layout = form.layout;
  problem.interleaved = form.interleaved;
  if (form.mla) {
    problem.head_dim = 192;
    problem.value_head_dim = 128;
  }
  problem.page_size = form.page_size;
  problem.quantisation = form.quantisation;
  if (form.quantisation != Quantisation::none) problem.query_type = problem.kv_type = ElementType::fp8;
  if (form.mxfp4) problem.kv_type = ElementType::mxfp4;
  if (form.queries) problem.query_type = problem.output_type = *form.queries;
  problem.causal = problem.lse = true;
  problem.spare_pages = 1;
  for (const Request& request : problem.requests) problem.spare_pages += problem.pages_of(request);
  return problem;
}

Probe small_probe(std::string name, std::string reason, const Problem& problem, ValuesOfPage values,
                  workload::TablePadding padding, std::vector<std::vector<int32_t>> lists,
                  int64_t pool_pages) {
  const workload::PageAssignment pages =
      lists.empty() ? workload::assign_pages(problem)
                    : workload::assign_given_pages(problem, std::move(lists), pool_pages);
  std::vector<int32_t> used;
  for (const workload::PageUse& use : pages.used) used.push_back(use.page);
  std::vector<int32_t> columns;
  if (values == ValuesOfPage::constant && !used.empty() &&
      used.size() <= static_cast<size_t>(problem.value_columns()))
    columns = columns_of_pages(used, problem.value_columns());
  return {.name = std::move(name),
          .reason = std::move(reason),
          .problem = problem,
          .choices =
              [=] {
                return operators::Choices{.pages = pages,
                                          .values = std::make_shared<PageValues>(problem, pages, columns),
                                          .padding = padding};
              },
          .page_of_column = columns,
          .alone = {}};
}

std::vector<int> lengths_around_boundaries(int page_size) {
  std::set<int> lengths;
  for (const int boundary : {16, 32, 64, 128, page_size})
    for (const int length : {boundary - 1, boundary, boundary + 1})
      if (length > 0) lengths.insert(length);
  return {lengths.begin(), lengths.end()};
}

} // namespace fmha950::harness
