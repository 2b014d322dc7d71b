// merge: case strings, layouts, the values that are made, and what the oracle says of them.
#include "interface/case_string.hpp"
#include "interface/operator.hpp"
#include "operators/merge/merge_tensors.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <cstring>
#include <numbers>

using namespace fmha950;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

std::vector<QueryRow> all_tokens(const Problem& problem) {
  std::vector<QueryRow> rows;
  for (int token = 0; token < static_cast<int>(problem.total_queries()); ++token) rows.push_back({0, token});
  return rows;
}

// One token and head with two columns, filled in by hand.
struct ByHand {
  Problem problem;
  Tensors tensors;

  ByHand(const std::string& base, const std::vector<float>& lses, const std::vector<float>& outputs)
      : problem(parse_case("merge/parts=" + std::to_string(lses.size()) + "/h=1/n=1/d=2/lse=1" + base)),
        tensors(workload::make_tensors(problem)) {
    MergeTensors& t = merge_tensors(tensors);
    for (size_t part = 0; part < lses.size(); ++part) {
      t.partial_lse.as<float>()[part] = lses[part];
      t.partial_output.as<float>()[2 * part] = outputs[part];
      t.partial_output.as<float>()[2 * part + 1] = -2 * outputs[part];
    }
  }
  AttentionRows exact() const { return oracle().exact(problem, tensors, {{0, 0}}, OracleInput::dequantised); }
};

} // namespace

TEST_CASE("merge: case strings are canonical, and say what is at its default by leaving it out") {
  for (const char* text :
       {"merge/parts=2/h=8/n=100/d=128",
        "merge/parts=1024/h=1/n=0/d=8/in=bf16/o=fp32/layout=heads/base=2/lse=1",
        "merge/parts=3/h=2/n=7/d=192/in=fp16/o=fp16/layout=tokens/spread=0.5/empty=30/values=outlier/seed=7"})
    CHECK(print_case(parse_case(text)) == text);
  CHECK(print_case(parse_case("merge/seed=1/n=3/spread=3/in=fp32/o=bf16/base=e/layout=parts/h=2/parts=4")) ==
        "merge/parts=4/h=2/n=3/d=128");
  const Problem problem = parse_case("merge/parts=4/h=2/n=3");
  CHECK(problem.kv_type == ElementType::fp32);
  CHECK(problem.requests == std::vector<Request>{{3, 4}});
}

TEST_CASE("merge: two parts by hand are weighted by the powers of their LSEs") {
  const ByHand natural("", {std::log(2.f), std::log(6.f)}, {8, 4}),
      binary("/base=2", {1, std::log2(6.f)}, {8, 4});
  for (const ByHand* of : {&natural, &binary}) {
    const AttentionRows rows = of->exact();
    CHECK(rows.output[0] == Approx(5).epsilon(1e-6)); // (2 * 8 + 6 * 4) / 8
    CHECK(rows.output[1] == Approx(-10).epsilon(1e-6));
    CHECK(rows.lse[0] == Approx(std::log(8)).epsilon(1e-6));
  }
}

TEST_CASE("merge: an empty part counts nothing, whatever its output, and a row of them is 0 with -inf") {
  for (const float empty : {-infinity, infinity}) {
    const AttentionRows one = ByHand("", {empty, 3, empty}, {NAN, 7, infinity}).exact();
    CHECK(one.output == std::vector<double>{7, -14});
    CHECK(one.lse == std::vector<double>{3});
    const AttentionRows none = ByHand("", {empty, empty}, {NAN, NAN}).exact();
    CHECK(none.output == std::vector<double>{0, 0});
    CHECK(none.lse == std::vector<double>{-infinity});
  }
}

TEST_CASE("merge: LSEs far from 0 and from each other neither overflow nor vanish") {
  const AttentionRows large = ByHand("", {9000, 9000 + std::log(3.f)}, {4, 8}).exact();
  CHECK(large.output[0] == Approx(7).epsilon(1e-3)); // the LSE's own step is 2^-10
  CHECK(large.lse[0] == Approx(9000 + std::log(4)).epsilon(1e-7));
  const AttentionRows apart = ByHand("/base=2", {-1e30f, 5}, {4, 8}).exact();
  CHECK(apart.output[0] == 8);
  CHECK(apart.lse[0] == Approx(5 * std::numbers::ln2).epsilon(1e-12));
}

TEST_CASE("merge: layouts hold the same parts, in shapes of their own") {
  const std::string text = "merge/parts=3/h=2/n=5/d=16/empty=20";
  const Problem first = parse_case(text);
  const Tensors of_first = workload::make_tensors(first);
  CHECK(merge_tensors(of_first).partial_lse.shape() == std::vector<int64_t>{3, 5, 2});
  const auto [layout, outputs, lses] =
      GENERATE(table<std::string, std::vector<int64_t>, std::vector<int64_t>>(
          {{"tokens", {5, 3, 2, 16}, {5, 3, 2}}, {"heads", {3, 5, 2, 16}, {3, 2, 5}}}));
  const Problem other = parse_case(text + "/layout=" + layout);
  const Tensors of_other = workload::make_tensors(other);
  const MergeTensors &a = merge_tensors(of_first), &b = merge_tensors(of_other);
  CHECK(b.partial_output.shape() == outputs);
  CHECK(b.partial_lse.shape() == lses);
  const bool by_token = layout == "tokens";
  for (int part = 0; part < 3; ++part)
    for (int token = 0; token < 5; ++token)
      for (int head = 0; head < 2; ++head) {
        const size_t of_a = static_cast<size_t>((part * 5 + token) * 2 + head);
        const size_t row_b = by_token ? static_cast<size_t>((token * 3 + part) * 2 + head) : of_a;
        const size_t lse_b = by_token ? row_b : static_cast<size_t>((part * 2 + head) * 5 + token);
        CHECK(a.partial_lse.as<float>()[of_a] == b.partial_lse.as<float>()[lse_b]);
        CHECK(std::memcmp(&a.partial_output.as<float>()[of_a * 16], &b.partial_output.as<float>()[row_b * 16],
                          64) == 0);
      }
  CHECK(oracle().exact(first, of_first, all_tokens(first), OracleInput::dequantised).output ==
        oracle().exact(other, of_other, all_tokens(other), OracleInput::dequantised).output);
}

TEST_CASE("merge: about as many parts are empty as asked for, with both infinities and poison") {
  const Problem problem = parse_case("merge/parts=16/h=4/n=50/d=8/empty=25");
  const Tensors tensors = workload::make_tensors(problem);
  const MergeTensors& t = merge_tensors(tensors);
  int negative = 0, positive = 0;
  const auto lses = t.partial_lse.as<float>();
  for (size_t i = 0; i < lses.size(); ++i) {
    negative += lses[i] == -infinity;
    positive += lses[i] == infinity;
    CHECK(std::isnan(t.partial_output.as<float>()[8 * i]) == std::isinf(lses[i]));
  }
  CHECK(negative > 350);
  CHECK(positive > 350);
  CHECK(negative + positive < 900); // of 3200
}

TEST_CASE("merge: the oracle's prefixes of a row's parts add up to the row") {
  const Problem problem =
      parse_case("merge/parts=9/h=3/n=4/d=16/in=bf16/layout=tokens/base=2/empty=20/lse=1");
  const Tensors tensors = workload::make_tensors(problem);
  const QueryRow row{0, 2};
  const int head = 1;
  const KeyPrefixes prefixes = oracle().key_prefixes(problem, tensors, row, head, {1, 4, 9});
  REQUIRE(prefixes.rows.size() == 3);
  const AttentionRows parts =
      oracle().exact(prefixes.problem, prefixes.tensors, prefixes.rows, OracleInput::dequantised);
  const AttentionRows whole = oracle().exact(problem, tensors, {row}, OracleInput::dequantised);
  CHECK(parts.lse[2] == Approx(whole.lse[head]).epsilon(1e-12));
  for (int column = 0; column < 16; ++column)
    CHECK(parts.output[static_cast<size_t>(2 * 16 + column)] ==
          Approx(whole.output[static_cast<size_t>(head * 16 + column)]).epsilon(1e-12));
  CHECK(parts.lse[0] <= parts.lse[1]);
  CHECK(parts.lse[1] <= parts.lse[2]);
}

TEST_CASE("merge: the largest value is that of parts that are not empty") {
  const Problem problem = parse_case("merge/parts=3/h=2/n=5/d=16");
  Tensors tensors = workload::make_tensors(problem);
  MergeTensors& t = merge_tensors(tensors);
  t.partial_output.as<float>()[7] = -55;  // part 0, token 0, head 0
  t.partial_output.as<float>()[17] = 900; // head 1
  t.partial_lse.as<float>()[1] = infinity;
  CHECK(oracle().max_value(problem, tensors) == 55);
}
