#include "harness/external/case_names.hpp"

#include "interface/names.hpp"

#include <fmt/format.h>
#include <numbers>

namespace fmha950::harness::external {

namespace {

using Names = std::vector<std::pair<const char*, Value>>;

// Of an element: half a byte is a real number, which fits no argument that counts bytes.
Value bytes_of(ElementType type) {
  const int bits = element_bits(type);
  return bits % 8 == 0 ? Value(int64_t{bits / 8}) : Value(bits / 8.0);
}

// Windows are -1 where they are unlimited; a causal mask is a window without a right side.
Names names_of(const Problem& problem) {
  const auto text = [](auto value) { return std::string(name_of(value)); };
  const int64_t left = problem.window ? problem.window->left : -1;
  const int64_t right = problem.window ? problem.window->right : problem.causal ? 0 : -1;
  return {
      {"batch", static_cast<int64_t>(problem.requests.size())},
      {"query_heads", int64_t{problem.query_heads}},
      {"kv_heads", int64_t{problem.kv_heads}},
      {"group", int64_t{problem.heads_per_kv_head()}},
      {"head_dim", int64_t{problem.head_dim}},
      {"value_head_dim", int64_t{problem.value_columns()}},
      {"query", text(problem.query_type)},
      {"kv", text(problem.kv_type)},
      {"out", text(problem.output_type)},
      {"kv_bytes", bytes_of(problem.kv_type)},
      {"quant", text(problem.quantisation)},
      {"table", text(problem.page_table)},
      {"layout", text(problem.kv_layout)},
      {"page_size", int64_t{problem.page_size}},
      {"paged", problem.paged},
      {"strided", problem.strided},
      {"interleaved", problem.interleaved},
      {"mode", text(problem.mode)},
      {"causal", problem.causal},
      {"window_left", left},
      {"window_right", right},
      {"sink_tokens", int64_t{problem.sink_tokens}},
      {"tree_nodes", int64_t{problem.tree_nodes}},
      {"has_sink_logit", problem.sink_logit},
      {"soft_cap", double{problem.soft_cap}},
      {"wants_lse", problem.lse},
      {"deterministic", problem.batch_invariant},
      {"scale", double{problem.softmax_scale()}},
      {"total_queries", problem.total_queries()},
      {"max_query_length", int64_t{problem.max_query_length()}},
      {"max_key_length", int64_t{problem.max_key_length()}},
      {"log2e", std::numbers::log2e},
  };
}

Names names_of(const Problem& problem, const Tensors& host, const DeviceTensors& device) {
  const auto pointer = [](const void* address) { return Pointer{reinterpret_cast<uint64_t>(address)}; };
  const auto stride = [](int64_t elements, int64_t of_page) { return elements != 0 ? elements : of_page; };
  const bool blocks = problem.page_table == PageTable::vllm;
  return {
      {"q", pointer(device.q)},
      {"k_pool", pointer(device.k_pool)},
      {"v_pool", pointer(device.v_pool)},
      {"q_descale", pointer(device.q_descale)},
      {"k_descale", pointer(device.k_descale)},
      {"v_descale", pointer(device.v_descale)},
      {"sink_logit", pointer(device.sink_logit)},
      {"q_indptr", pointer(device.q_indptr)},
      {"tree_mask", pointer(device.tree_mask)},
      {"kv_indptr", pointer(device.kv_indptr)},
      {"kv_page_indices", pointer(device.kv_page_indices)},
      {"kv_last_page_lens", pointer(device.kv_last_page_lens)},
      {"block_table", pointer(device.block_table)},
      {"seqlen_k", pointer(device.seqlen_k)},
      {"page_ids", pointer(blocks ? device.block_table : device.kv_page_indices)},
      {"output", pointer(device.output)},
      {"lse", pointer(device.lse)},
      {"pool_pages", host.pool_pages()},
      {"pool_bytes", static_cast<int64_t>(host.k_pool.bytes())},
      {"k_page_stride", stride(device.k_page_stride, problem.page_elements())}, // elements
      {"v_page_stride", stride(device.v_page_stride, problem.value_page_elements())},
      {"block_table_columns", blocks ? host.block_table.shape()[1] : int64_t{0}},
      {"q_descale_value", double{tensor_descale(host.q_descale)}},
      {"k_descale_value", double{tensor_descale(host.k_descale)}},
      {"v_descale_value", double{tensor_descale(host.v_descale)}},
  };
}

std::vector<std::string> spelled(const Names& names) {
  std::vector<std::string> all;
  for (const auto& [name, value] : names) all.emplace_back(name);
  return all;
}

void add(Names names, Scope& scope) {
  for (auto& [name, value] : names) scope.names[name] = std::move(value);
}

} // namespace

std::vector<std::string> case_names() { return spelled(names_of(Problem())); }

std::vector<std::string> tensor_names() {
  std::vector<std::string> all = case_names();
  for (std::string& name : spelled(names_of(Problem(), {}, {}))) all.push_back(std::move(name));
  return all;
}

std::vector<std::string> request_fields_of_case() {
  return {"query_length", "key_length", "query_begin", "pages", "pages_begin", "keys_begin"};
}

std::vector<std::string> request_fields() {
  std::vector<std::string> fields = request_fields_of_case();
  fields.emplace_back("table_begin");
  return fields;
}

Scope scope_of(const Problem& problem, const std::vector<RequestNames>& requests) {
  Scope scope;
  scope.requests = &requests;
  add(names_of(problem), scope);
  return scope;
}

void name_tensors(const Problem& problem, const Tensors& host, const DeviceTensors& device, Scope& scope) {
  add(names_of(problem, host, device), scope);
}

std::vector<RequestNames> name_requests(const Problem& problem) {
  std::vector<RequestNames> all;
  int64_t query_begin = 0, pages_begin = 0, keys_begin = 0;
  for (const Request& request : problem.requests) {
    all.push_back({{{"query_length", int64_t{request.query_length}},
                    {"key_length", int64_t{request.key_length}},
                    {"query_begin", query_begin},
                    {"pages", int64_t{problem.pages_of(request)}},
                    {"pages_begin", pages_begin}, // of the requests before it
                    {"keys_begin", keys_begin}}});
    query_begin += request.query_length;
    pages_begin += problem.pages_of(request);
    keys_begin += request.key_length;
  }
  return all;
}

std::vector<RequestNames> name_requests(const Problem& problem, const Tensors& host) {
  std::vector<RequestNames> all = name_requests(problem);
  for (size_t r = 0; r < all.size(); ++r)
    all[r].fields["table_begin"] = problem.page_table == PageTable::sglang
                                       ? int64_t{host.kv_indptr.as<int32_t>()[r]}
                                       : static_cast<int64_t>(r) * host.block_table.shape()[1];
  return all;
}

std::vector<OptionalPart> optional_parts(const Problem& problem) {
  std::vector<OptionalPart> parts;
  const auto add_if = [&](bool asked, std::string words, std::vector<std::string> names) {
    if (asked) parts.push_back({std::move(words), std::move(names)});
  };
  add_if(problem.causal && !problem.window, "a causal mask", {"causal", "window_right"});
  add_if(problem.window.has_value(), "a sliding window", {"window_left"});
  add_if(problem.sink_tokens != 0, "attention-sink tokens", {"sink_tokens"});
  add_if(problem.tree_nodes != 0, std::string(feature::tree), {"tree_mask"});
  add_if(problem.sink_logit, "a sink logit in the denominator", {"sink_logit"});
  add_if(problem.soft_cap != 0, "a soft cap", {"soft_cap"});
  add_if(problem.lse, "LSE as an output", {"lse"});
  add_if(problem.batch_invariant, std::string(feature::batch_invariant), {"deterministic"});
  add_if(problem.strided, std::string(feature::strided), {"k_page_stride"});
  add_if(problem.interleaved, std::string(feature::interleaved), {"k_page_stride"});
  const auto text = [](auto value) { return std::string(name_of(value)); };
  add_if(problem.kv_layout != KvLayout::linear, "layout " + text(problem.kv_layout), {"layout"});
  add_if(problem.query_type != ElementType::bf16, text(problem.query_type) + " queries", {"query", "kv"});
  add_if(problem.kv_type != ElementType::bf16, text(problem.kv_type) + " keys", {"kv"});
  add_if(problem.output_type != ElementType::bf16, text(problem.output_type) + " outputs", {"out"});
  add_if(problem.head_dim != 128, fmt::format("head_dim {}", problem.head_dim), {"head_dim"});
  add_if(problem.value_columns() != problem.head_dim,
         fmt::format("head_dim {} of V", problem.value_columns()), {"value_head_dim"});
  add_if(true, fmt::format("pages of {}", problem.page_size), {"page_size"});
  const bool blocks = problem.page_table == PageTable::vllm;
  add_if(true, "page table " + text(problem.page_table),
         {blocks ? "block_table" : "kv_page_indices", "page_ids", "table"});
  const bool scaled = problem.quantisation != Quantisation::none;
  add_if(scaled && problem.query_type == ElementType::fp8, "descales of Q", {"q_descale", "q_descale_value"});
  add_if(scaled, "descales of K", {"k_descale", "k_descale_value"});
  add_if(scaled, "descales of V", {"v_descale", "v_descale_value"});
  add_if(scaled && problem.quantisation != Quantisation::per_tensor,
         "descales of " + text(problem.quantisation), {"quant"});
  return parts;
}

} // namespace fmha950::harness::external
