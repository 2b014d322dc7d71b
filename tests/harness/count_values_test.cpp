// Counting inputs: attention on them is exact arithmetic, so that one key that is left out, or counted twice,
// is seen at sizes where noise would hide it.
#include "workload/count_values.hpp"

#include "harness/accuracy/judged_run.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <bit>
#include <cmath>

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::workload;

namespace {

std::vector<float> value_of(const CountValues& values, int token) {
  std::vector<float> row(128, 7);
  values.value(0, token, 0, row);
  return row;
}

// The only element that is not 0.
std::pair<size_t, float> only_one(const std::vector<float>& row) {
  const auto is_set = [](float x) { return x != 0; };
  REQUIRE(std::ranges::count_if(row, is_set) == 1);
  const auto at = std::ranges::find_if(row, is_set);
  return {static_cast<size_t>(at - row.begin()), *at};
}

double round_to_bf16(double value) {
  const auto bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  return std::bit_cast<float>((bits + 0x7FFFu + ((bits >> 16) & 1)) & 0xFFFF0000u);
}

struct Counted {
  explicit Counted(const std::string& text)
      : problem(parse_case(text)), tensors(make_tensors(problem)), oracle(problem, tensors) {
    oracle.choose({{0, 0}});
  }
  // What a kernel gives that has key `key` `times` times, all others once.
  AttentionRows with_key(int key, int times) {
    const AttentionRows& all = oracle.exact(OracleInput::dequantised);
    const AttentionRows rest =
        fmha950::oracle().exact(problem, tensors, oracle.rows(), OracleInput::dequantised, {0, key, key + 1});
    const double keys = problem.requests[0].key_length;
    AttentionRows got = rest;
    for (size_t i = 0; i < got.output.size(); ++i) {
      const double others = rest.output[i] * (keys - 1), one = all.output[i] * keys - others;
      got.output[i] = round_to_bf16((others + times * one) / (keys - 1 + times));
    }
    for (double& lse : got.lse) lse = static_cast<float>(std::log(keys - 1 + times));
    if (!problem.lse) got.lse.clear();
    return got;
  }
  Verdict judged(const AttentionRows& got) {
    const ProbabilityRounding fp8{.type = ElementType::fp8, .shift = 8};
    const AuditSums audit = audit_of(problem, tensors, fp8, got, oracle);
    return judge(evidence_of(problem, tensors, fp8, got, audit, oracle));
  }

  Problem problem;
  Tensors tensors;
  CaseOracle oracle;
};

constexpr const char* decode_1024 =
    "batch_prefill/h=2:1/sq=1/sk=1024/d=128/q=fp8/kv=fp8/quant=tensor/values=count";

} // namespace

TEST_CASE("count: V is one-hot by key modulo columns, with 1, 2 or 4, Q is 0") {
  const CountValues values(1, std::nullopt);
  CHECK(only_one(value_of(values, 0)) == std::pair<size_t, float>(0, 1));
  CHECK(only_one(value_of(values, 130)) == std::pair<size_t, float>(2, 2));
  CHECK(only_one(value_of(values, 256)) == std::pair<size_t, float>(0, 4));
  CHECK(only_one(value_of(values, 3 * 128 + 127)) == std::pair<size_t, float>(127, 1));
  std::vector<float> row(128, 7);
  values.query(0, 3, 1, row);
  CHECK(std::ranges::count(row, 0.0f) == 128);
  values.key(0, 3, 1, row);
  CHECK(std::ranges::count(row, 0.0f) == 0);
}

TEST_CASE("count:KEY: V is 0 but for one key") {
  const CountValues values(1, 130);
  CHECK(only_one(value_of(values, 130)) == std::pair<size_t, float>(2, 448));
  CHECK(std::ranges::count(value_of(values, 129), 0.0f) == 128);
}

TEST_CASE("count:KEY: what is no key is refused") {
  CHECK(counted_key("count", "") == std::nullopt);
  CHECK(counted_key("count:17", "17") == 17);
  for (const char* key : {"-1", "x", "17x", "1.5", " 1", "99999999999"})
    CHECK_THROWS_WITH(counted_key("count:" + std::string(key), key),
                      "values = count:" + std::string(key) +
                          ": must be count or count:KEY, the number of a key");
  CHECK_THROWS_AS(make_tensors(parse_case("batch_prefill/h=1:1/sq=1/sk=8/values=count:x")), InvalidInput);
  CHECK_THROWS_AS(make_tensors(parse_case("batch_prefill/h=1:1/sq=1/sk=8/values=count:")), InvalidInput);
}

TEST_CASE("count: the plain implementation is exact in every format of P") {
  for (const char* kv : {"kv=bf16", "kv=fp8/q=fp8/quant=tensor", "kv=fp8/q=fp8/quant=page/page=64",
                         "kv=fp8/q=fp8/quant=mx/page=32"}) {
    CAPTURE(kv);
    Counted of(std::string("batch_prefill/h=2:1/sq=1/sk=1024/d=128/values=count+pow2/") + kv);
    const AttentionRows& exact = of.oracle.exact(OracleInput::dequantised);
    CHECK(of.oracle.plain({}).output == exact.output);
    if (of.problem.kv_type == ElementType::fp8)
      for (const bool weighted : {false, true})
        CHECK(of.oracle.plain({.type = ElementType::fp8, .shift = 8, .weighted = weighted}).output ==
              exact.output);
    CHECK(exact.output[0] == (1 + 2 + 4 + 1 + 2 + 4 + 1 + 2) / 1024.0); // eight keys to a column
  }
}

TEST_CASE("count: a key that is left out, or counted twice, is seen as just that") {
  for (const bool lse : {false, true}) {
    Counted of(std::string(decode_1024) + (lse ? "/lse=1" : ""));
    CHECK(of.judged(of.with_key(300, 1)).passed());
    for (const auto& [times, share] : {std::pair(0, -1.0), {2, 1.0}}) {
      const AttentionRows got = of.with_key(300, times);
      const Verdict verdict = of.judged(got);
      CHECK_FALSE(verdict.passed());
      const AuditSums audit =
          audit_of(of.problem, of.tensors, {.type = ElementType::fp8, .shift = 8}, got, of.oracle);
      const auto& keys = *std::ranges::find(audit.owners[0].lists, PartKind::key, &PartList::kind);
      // Eight keys have the same column, of which key 300 is that of 4: shares of others go as their size.
      CHECK(keys.sums[300].got / keys.sums[300].information == Approx(share).margin(0.05));
      if (times == 0)
        CHECK_THAT(verdict.reason(), Catch::Contains("key 300 (") && Catch::Contains("missing"));
    }
  }
}

TEST_CASE("count:KEY: one key of 131,072 is seen") {
  Counted of("batch_prefill/h=1:1/sq=1/sk=131072/d=128/q=fp8/kv=fp8/quant=tensor/page=64/values=count:70000");
  CHECK(of.judged(of.with_key(70000, 1)).passed());
  CHECK_FALSE(of.judged(of.with_key(70000, 0)).passed());
  CHECK_FALSE(of.judged(of.with_key(70000, 2)).passed());
}
