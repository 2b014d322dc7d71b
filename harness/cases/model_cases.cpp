#include "harness/cases/model_cases.hpp"

#include "harness/cases/dispatch.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"

#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace fmha950::harness {
namespace {

constexpr int sparse_columns = 512; // of a row of sparse_prefill, K and V in one

std::string takers(const std::string& text) {
  try {
    const Problem problem = parse_case(text);
    std::vector<std::string> names;
    for (const Dispatch& choice : dispatch("all", problem))
      if (choice.implementation != nullptr) names.push_back(choice.requested);
    if (!names.empty()) return fmt::format("{}", fmt::join(names, ", "));
    return "none: " + dispatch("auto", problem)[0].why_not;
  } catch (const InvalidInput& error) {
    return fmt::format("no case: {}", error.what());
  }
}

} // namespace

std::vector<std::string> model_cases(const workload::ModelShape& shape) {
  if (shape.sparse && shape.head_dim == sparse_columns && shape.value_head_dim == sparse_columns) {
    const auto sparse = [&](const char* rows) {
      return fmt::format("sparse_prefill/h={}/n=256/pool=4096/chunk=256{}/scale={:.4f}{}/lse=1",
                         shape.query_heads, rows, 1 / std::sqrt(sparse_columns),
                         shape.sink ? "/sinklogit=1" : "");
    };
    return {sparse(""), sparse("/kv=fp8"), sparse("/kv=fp8/format=packed")};
  }
  const auto dense = [&](const char* lengths, const char* types) {
    const std::string columns =
        shape.head_dim == shape.value_head_dim ? "" : fmt::format(":{}", shape.value_head_dim);
    return fmt::format("batch_prefill/h={}:{}/{}/d={}{}/{}causal=1{}/lse=1", shape.query_heads,
                       shape.kv_heads, lengths, shape.head_dim, columns, types, shape.mask_keys());
  };
  return {
      dense("sq=2048/sk=2048", ""),
      dense("sq=512/sk=8192", "kv=fp8/quant=tensor/"),
      dense("sq=512/sk=8192", "q=fp16/kv=fp8/o=fp16/quant=page/page=64/"),
      dense("sq=2048/sk=2048", "q=fp8/kv=fp8/quant=page/page=1024/"),
  };
}

std::string model_case_table() {
  std::string text;
  for (const workload::ModelShape& shape : workload::load_model_shapes()) {
    text += shape.model + '\n';
    for (const std::string& each : model_cases(shape))
      text += fmt::format("  {}\n    {}\n", each, takers(each));
  }
  return text;
}

} // namespace fmha950::harness
