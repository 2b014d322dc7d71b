// Random valid problems, run by every implementation on the embedded device and judged by the accuracy rule:
// what is valid must pass or be unsupported, with the same bits under two schedules.
#include "harness/accuracy/accuracy_case.hpp"
#include "harness/cases/single_calls.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/implementation.hpp"
#include "interface/names.hpp"
#include "interface/validate.hpp"
#include "tests/fuzz/target.hpp"
#include "workload/generate.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::fuzz {
namespace {

// Lengths around the tiles of 16, 32, 64 and 256 rows or keys and around pages.
int length(Choices& choices, int most) {
  const int around = choices.one_of({0, 16, 32, 64, 128, 256});
  return std::clamp(around + choices.below(9) - 4, 0, most);
}

std::string lengths_of_tokens(Choices& choices, int tokens) {
  std::string text;
  for (int token = 0; token < tokens; ++token)
    text += fmt::format("{}{}", token == 0 ? "" : ",", length(choices, 260));
  return text;
}

Problem sparse_problem_of(Choices& choices) {
  const int tokens = 1 + choices.below(9);
  std::string text = fmt::format("sparse_prefill/n={}", tokens);
  const auto add = [&](const char* key, const auto& value) { text += fmt::format("/{}={}", key, value); };
  add("h", choices.one_of({16, 32, 48, 64, 128}));
  add("pool", 1 + length(choices, 260));
  add("chunk", 1 + length(choices, 260));
  add("scale", choices.one_of({0.0442f, 0.0442f, 0.01f, 0.3f}));
  add("kv", choices.one_of({"bf16", "fp8", "fp8/format=packed"}));
  if (choices.byte() % 4 == 3) {
    add("prefix", lengths_of_tokens(choices, tokens));
    add("extend", lengths_of_tokens(choices, tokens));
  } else {
    add("lists", choices.one_of({"sparse", "dense", "empty"}));
  }
  add("sinklogit", choices.flag() ? 1 : 0);
  add("lse", choices.flag() ? 1 : 0);
  add("values", choices.one_of({"normal", "normal", "normal", "outlier"}));
  add("seed", choices.byte());
  return parse_case(text);
}

Problem merge_problem_of(Choices& choices) {
  std::string text = fmt::format("merge/parts={}", 1 + choices.below(20));
  const auto add = [&](const char* key, const auto& value) { text += fmt::format("/{}={}", key, value); };
  add("h", 1 + choices.below(9));
  add("n", length(choices, 80));
  add("d", 8 * (1 + choices.below(64)));
  add("in", choices.one_of({"fp32", "fp32/o=fp32", "fp32/o=fp16", "bf16", "fp16/o=fp16"}));
  add("layout", choices.one_of({"parts", "tokens", "heads"}));
  add("base", choices.one_of({"e", "2"}));
  add("spread", choices.one_of({3.0f, 0.0f, 0.3f, 30.0f, 3000.0f}));
  add("empty", choices.one_of({0, 0, 10, 50, 90, 100}));
  add("lse", choices.flag() ? 1 : 0);
  add("values", choices.one_of({"normal", "normal", "outlier", "negative_zero"}));
  add("seed", choices.byte());
  return parse_case(text);
}

Problem append_problem_of(Choices& choices, const Problem& paged) {
  std::string text = fmt::format("append_prefill/h={}:{}/d={}/page={}", paged.query_heads, paged.kv_heads,
                                 paged.head_dim, paged.page_size);
  const auto add = [&](const char* key, const auto& value) { text += fmt::format("/{}={}", key, value); };
  std::string chunks, lengths;
  for (const Request& request : paged.requests) {
    const char* comma = chunks.empty() ? "" : ",";
    chunks += comma + std::to_string(request.query_length);
    lengths += comma + std::to_string(request.query_length + request.key_length);
  }
  add("sq", chunks);
  add("sk", lengths);
  add("q", choices.one_of({"bf16", "fp16"}));
  add("table", name_of(paged.page_table));
  add("mode", name_of(paged.mode));
  add("order", name_of(paged.page_order));
  add("values", paged.values);
  add("spare", paged.spare_pages);
  add("seed", paged.seed);
  add("causal", choices.flag() ? 1 : 0);
  add("lse", paged.lse ? 1 : 0);
  add("sinklogit", choices.flag() ? 1 : 0);
  add("calls", choices.one_of({1, 1, 2, 3, 7}));
  text +=
      choices.one_of({"", "", "/window=0:0", "/window=63:0", "/window=40:0/sink=4", "/window=100:0/sink=70"});
  text += choices.one_of(
      {"", "", "/rope=half:64", "/rope=half:32", "/rope=interleaved:64", "/rope=interleaved:48"});
  return parse_case(text);
}

// What fewer kernels take, drawn behind all else: older inputs stay the problems that they were.
void add_rare_form(Choices& choices, Problem& p) {
  using enum ElementType;
  switch (choices.byte() % 10) { // 0 where the input has ended
  case 1:
    p.head_dim = 192;
    p.value_head_dim = 128;
    break;
  case 2: p.head_dim = 256; break;
  case 3: // queries in fp16 over an FP8 cache
    if (p.kv_type == fp8 && p.quantisation != Quantisation::none) p.query_type = p.output_type = fp16;
    break;
  case 4:
    p.quantisation = Quantisation::mx;
    p.kv_type = mxfp4;
    p.query_type = fp8;
    p.output_type = bf16;
    p.page_size = choices.one_of({32, 64, 128, 1024});
    p.kv_layout = KvLayout::linear;
    break;
  case 5:
  case 6: p.page_size = 16 * (1 + choices.below(64)); break;
  case 7: p.batch_invariant = true; break;
  case 8:
    if (p.window) p.sink_tokens = length(choices, 80);
    break;
  case 9: p.sink_logit = true; break;
  default: break;
  }
}

Problem problem_of(Choices& choices) {
  Problem p;
  p.kv_heads = 1 + choices.below(2);
  p.query_heads = p.kv_heads * choices.one_of({1, 2, 3, 5, 8});
  p.head_dim = choices.byte() % 16 == 0 ? 64 : 128; // seldom: prepass supports only 128
  p.page_size = choices.one_of({1, 16, 32, 64, 128, 1024});
  p.page_table = choices.one_of({PageTable::sglang, PageTable::vllm});
  p.kv_layout = choices.one_of({KvLayout::linear, KvLayout::vectorized, KvLayout::hnd});
  p.quantisation =
      choices.one_of({Quantisation::none, Quantisation::per_tensor, Quantisation::page, Quantisation::mx});
  using enum ElementType;
  p.kv_type = p.quantisation == Quantisation::none ? choices.one_of({bf16, fp16, fp8}) : fp8;
  p.query_type = p.kv_type == fp16 ? fp16 : choices.one_of({bf16, fp8});
  p.output_type = p.kv_type == fp16 ? fp16 : bf16;
  const int batch = 1 + choices.below(4);
  for (int i = 0; i < batch; ++i) p.requests.push_back({length(choices, 80), length(choices, 260)});
  if (choices.flag()) {
    p.mode = BatchMode::batch;
    for (Request& request : p.requests) request.query_length = p.requests[0].query_length;
  }
  p.causal = choices.flag();
  if (choices.flag()) p.window = Window{length(choices, 260), p.causal ? 0 : length(choices, 260)};
  p.lse = choices.flag();
  if (choices.byte() % 8 == 0) p.scale = 0.01f * static_cast<float>(1 + choices.below(100));
  if (choices.byte() % 32 == 0) p.soft_cap = 30;
  p.page_order = choices.one_of({PageOrder::shuffled, PageOrder::sequential, PageOrder::lru});
  p.spare_pages = choices.below(4);
  if (choices.byte() % 4 == 0) p.values = "outlier";
  p.seed = choices.byte();
  if (choices.byte() % 4 == 1) { // seldom, and not where the input has ended
    p.paged = false;
    p.page_order = Problem().page_order;
  }
  const int pools = choices.byte() % 4;
  p.strided = pools == 1;
  p.interleaved = pools == 2;
  switch (choices.byte() % 8) { // 0 where the input has ended
  case 1: return merge_problem_of(choices);
  case 2:
  case 6: return append_problem_of(choices, p);
  case 3:
  case 7: return sparse_problem_of(choices);
  default: break;
  }
  if (p.causal && choices.byte() % 4 == 1) p.tree_nodes = 1 + choices.below(most_tree_nodes);
  add_rare_form(choices, p);
  return p;
}

void problem(Bytes input) {
  Choices choices(input);
  const Problem problem = problem_of(choices);
  try {
    validate_problem(problem);
  } catch (const InvalidInput&) {
    return; // a combination that is none, such as vectorised pages of one token
  }
  harness::AccuracyOptions options;
  options.variations.schedules = {"eager",
                                  choices.flag() ? fmt::format("random:{}", choices.byte()) : "lazy"};
  const std::string name = print_case(problem) + options.arguments();
  try {
    ensure(parse_case(print_case(problem)) == problem, name + ": the case string is the problem");
    const Tensors tensors = workload::make_tensors(problem);
    harness::CaseOracle oracle(problem, tensors);
    for (const auto& implementation : implementations()) {
      if (!implementation->supports(harness::as_single_call(problem))) continue;
      harness::Record record;
      harness::judge_case(*implementation, problem, tensors, options, oracle, record);
      ensure(record.outcome.kind() == OutcomeKind::passed,
             fmt::format("{}: {}: {}", name, implementation->name(), record.outcome.reason()));
    }
  } catch (const InvalidInput& error) {
    throw Finding(name + ": valid, but refused: " + error.what());
  } catch (const DeviceError& error) {
    throw Finding(name + ": " + error.what());
  } catch (const harness::OracleUnsound& error) {
    throw Finding(name + ": " + error.what());
  }
}

const Registration registration("problem", problem);

} // namespace
} // namespace fmha950::fuzz
