#include "operators/append_prefill/trials/append_form.hpp"

#include "interface/names.hpp"
#include "operators/append_prefill/append_prefill.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

std::vector<AppendForm> append_forms() {
  using enum PageTable;
  using enum ElementType;
  return {{sglang, 16, bf16, 128}, {sglang, 64, fp16, 64},  {sglang, 1, bf16, 64},
          {sglang, 32, fp16, 128}, {sglang, 128, bf16, 64}, {sglang, 1024, bf16, 128},
          {vllm, 16, fp16, 64},    {vllm, 64, bf16, 128},   {vllm, 1, fp16, 128}};
}

std::string text_of(const AppendForm& form) {
  return fmt::format("{}/page={}/{}/d={}", name_of(form.table), form.page_size, name_of(form.element),
                     form.head_dim);
}

Problem append_problem(const AppendForm& form, std::vector<Request> requests) {
  Problem problem;
  problem.op = append_prefill;
  problem.query_heads = 4;
  problem.kv_heads = 2;
  problem.head_dim = form.head_dim;
  problem.requests = std::move(requests);
  problem.page_table = form.table;
  problem.page_size = form.page_size;
  problem.query_type = problem.output_type = form.element;
  problem.kv_type = ElementType::fp8;
  problem.quantisation = Quantisation::per_tensor;
  problem.causal = problem.lse = true;
  problem.spare_pages = 1;
  for (const Request& request : problem.requests) problem.spare_pages += problem.pages_of(request);
  return problem;
}

} // namespace fmha950::harness
