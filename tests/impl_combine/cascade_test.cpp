// What merge is for: the keys of a batch_prefill problem in parts, each attended by itself, merged. Against the oracle of
// the whole, and beside pipelined's own key split.
#include "harness/accuracy/judged_run.hpp"
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "harness/sabotage/changed_tensors.hpp"
#include "interface/case_string.hpp"
#include "operators/merge/merge.hpp"
#include "operators/merge/merge_tensors.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <cstring>

using namespace fmha950;

namespace {

struct
    Keys { // [first, last) of the only request, multiples of the page size but for the last; who attends them
  int first, last;
  std::string implementation;
};

struct PartProblem {
  Problem problem;
  Tensors tensors;
};

// The part's keys as a request of its own: a page table that names their pages. A query sees the keys of the part that
// it sees of the whole: a causal mask is a window, whose right side reaches as far as the part lies before the last key.
PartProblem part_of(const Problem& whole, const Tensors& tensors, const Keys& keys) {
  PartProblem part{whole, tensors};
  std::vector<int32_t> pages = harness::page_lists(whole, tensors).front();
  pages.resize(static_cast<size_t>((keys.last + whole.page_size - 1) / whole.page_size));
  pages.erase(pages.begin(), pages.begin() + keys.first / whole.page_size);
  part.problem.requests.front().key_length = keys.last - keys.first;
  if (whole.causal && keys.last < whole.requests.front().key_length) {
    part.problem.causal = false;
    part.problem.window = Window{.left = 1 << 20, .right = whole.requests.front().key_length - keys.last};
  }
  harness::set_page_lists(part.problem, {pages}, part.tensors);
  return part;
}

harness::RowOutputs attended(const Problem& problem, const Tensors& tensors,
                             const std::string& implementation) {
  harness::CaseRun run(find_implementation(implementation), problem, tensors);
  return run.run({}, harness::all_rows(problem)).rows;
}

// Outputs and LSEs call after call are merge's layout `parts`.
harness::RowOutputs merged(const Problem& whole, const std::vector<harness::RowOutputs>& parts) {
  const Problem problem =
      parse_case("merge/parts=" + std::to_string(parts.size()) + "/h=" + std::to_string(whole.query_heads) +
                 "/n=" + std::to_string(whole.total_queries()) + "/d=" + std::to_string(whole.head_dim) +
                 "/in=bf16/lse=1");
  Tensors tensors = workload::make_tensors(problem);
  MergeTensors& t = merge_tensors(tensors);
  for (size_t part = 0; part < parts.size(); ++part) {
    const auto copy = [&](Tensor& to, const std::vector<std::byte>& from) {
      REQUIRE(from.size() * parts.size() == to.bytes());
      std::memcpy(to.data() + part * from.size(), from.data(), from.size());
    };
    copy(t.partial_output, parts[part].output);
    copy(t.partial_lse, parts[part].lse);
  }
  return attended(problem, tensors, "combine");
}

harness::RowOutputs cascade(const Problem& whole, const Tensors& tensors, const std::vector<Keys>& ranges) {
  std::vector<harness::RowOutputs> parts;
  for (const Keys& keys : ranges) {
    const PartProblem part = part_of(whole, tensors, keys);
    parts.push_back(attended(part.problem, part.tensors, keys.implementation));
  }
  return merged(whole, parts);
}

std::string judged(const Problem& problem, const Tensors& tensors, const harness::RowOutputs& outputs,
                   ProbabilityRounding rounding) {
  harness::CaseOracle oracle(problem, tensors);
  oracle.choose(harness::all_rows(problem));
  return harness::judge_run(problem, tensors, rounding, oracle.rows(), outputs, oracle).verdict.reason();
}

// Of the outputs' numbers, relative.
double distance(const harness::RowValues& a, const harness::RowValues& b) {
  double difference = 0, square = 0;
  for (size_t i = 0; i < a.output.size(); ++i) {
    difference += (a.output[i] - b.output[i]) * (a.output[i] - b.output[i]);
    square += b.output[i] * b.output[i];
  }
  return std::sqrt(difference / square);
}

constexpr ProbabilityRounding fp8_p{ElementType::fp8, 8};

} // namespace

TEST_CASE("parts of the keys, by three implementations, merge into what the oracle says of the whole") {
  const Problem whole =
      parse_case("batch_prefill/h=4:2/sq=48/sk=1100/d=128/q=fp8/kv=fp8/quant=tensor/page=64/lse=1");
  const Tensors tensors = workload::make_tensors(whole);
  const harness::RowOutputs outputs = cascade(
      whole, tensors,
      {{0, 320, "pipelined"}, {320, 384, "fused"}, {384, 1024, "baseline"}, {1024, 1100, "pipelined"}});
  CHECK(judged(whole, tensors, outputs, fp8_p) == "");

  // A part that is merged twice is noticed, and one that is missing.
  const std::vector<Keys> twice = {{0, 320, "pipelined"}, {0, 320, "pipelined"}, {320, 1100, "pipelined"}},
                          missing = {{0, 320, "pipelined"}, {384, 1100, "pipelined"}};
  for (const auto& wrong : {twice, missing})
    CHECK(judged(whole, tensors, cascade(whole, tensors, wrong), fp8_p) != "");
}

TEST_CASE("pipelined's parts merged are as its own key split joins them") {
  const Problem whole =
      parse_case("batch_prefill/h=4:1/sq=40/sk=1100/d=128/q=fp8/kv=fp8/quant=tensor/page=64/lse=1");
  const Tensors tensors = workload::make_tensors(whole);
  harness::CaseRun split(find_implementation("pipelined"), whole, tensors);
  CHECK_THAT(split.plan().variant(), Catch::EndsWith("/split=4"));
  const harness::RowOutputs own = split.run({}, harness::all_rows(whole)).rows;
  std::vector<Keys> same_parts;
  for (const PartialWeight& part : split.plan().partial_weights({{0, 0}}))
    if (part.head == 0) same_parts.push_back({part.first_key, part.last_key, "pipelined"});
  REQUIRE(same_parts.size() == 4);
  const harness::RowOutputs outputs = cascade(whole, tensors, same_parts);
  CHECK(judged(whole, tensors, own, fp8_p) == "");
  CHECK(judged(whole, tensors, outputs, fp8_p) == "");
  const harness::RowValues a = harness::decode(whole, outputs), b = harness::decode(whole, own);
  // Both round the whole to bf16, 2^-9 at most; merged parts have been rounded to it before.
  CHECK(distance(a, b) < 3 * 0x1p-9);
  for (size_t row = 0; row < a.lse.size(); ++row) CHECK(a.lse[row] == Approx(b.lse[row]).epsilon(1e-5));
}

TEST_CASE("cascade: a prefix and a causal suffix, of which some queries see nothing") {
  // Queries 0 to 35 of the last part see no key; the part before it ends within the causal triangle.
  const Problem whole = parse_case("batch_prefill/h=2:1/sq=100/sk=576/d=128/page=64/causal=1/lse=1");
  const Tensors tensors = workload::make_tensors(whole);
  const harness::RowOutputs outputs =
      cascade(whole, tensors, {{0, 448, "baseline"}, {448, 512, "baseline"}, {512, 576, "baseline"}});
  const PartProblem last = part_of(whole, tensors, {512, 576, "baseline"});
  const harness::RowValues of_last = harness::decode(whole, attended(last.problem, last.tensors, "baseline"));
  CHECK(of_last.lse[0] == -std::numeric_limits<double>::infinity());
  CHECK(std::isfinite(of_last.lse[2 * 36]));

  const harness::RowValues got = harness::decode(whole, outputs);
  const AttentionRows exact =
      oracle().exact(whole, tensors, harness::all_rows(whole), OracleInput::dequantised);
  double largest = 0;
  for (size_t row = 0; row < exact.lse.size(); ++row) {
    CHECK(got.lse[row] == Approx(exact.lse[row]).epsilon(1e-5).margin(1e-5));
    double difference = 0, square = 0;
    for (size_t i = row * 128; i < (row + 1) * 128; ++i) {
      difference += (got.output[i] - exact.output[i]) * (got.output[i] - exact.output[i]);
      square += exact.output[i] * exact.output[i];
    }
    largest = std::max(largest, std::sqrt(difference / square));
  }
  // P, parts and the whole are rounded to bf16, 2^-9 at most each.
  CHECK(largest < 3 * 0x1p-9);
}
