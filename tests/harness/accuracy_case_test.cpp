// Judging a case from end to end:
// fake implementations that answer rightly or break one thing, the real oracle.
#include "fake_implementation.hpp"
#include "harness/accuracy/accuracy_case.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <limits>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

// Sixteen KV tiles of 64 keys, each a page with descales of its own.
constexpr const char* sixteen_tiles =
    "batch_prefill/h=2:1/sq=48/sk=1024/q=fp8/kv=fp8/quant=page/page=64/lse=1/causal=1";

Record judged(const std::string& text, const AccuracyOptions& options = {}) {
  const Problem problem = parse_case(text);
  const Tensors tensors = workload::make_tensors(problem);
  CaseOracle oracle(problem, tensors);
  Record record;
  judge_case(find_implementation("fake_a"), problem, tensors, options, oracle, record);
  return record;
}

fake::Behaviour& fresh() {
  fake::reset_behaviours();
  return fake::behaviour("fake_a");
}

Tensor copy(const Tensor& tensor) {
  Tensor out(tensor.type(), tensor.shape());
  std::copy(tensor.data(), tensor.data() + tensor.bytes(), out.data());
  return out;
}

// The descales of the page that holds tile `tile`, times `factor`.
std::function<Tensors(const Tensors&)> wrong_descale(Tensor Tensors::* descale, int tile, float factor) {
  return [=](const Tensors& tensors) {
    Tensors wrong = tensors;
    wrong.*descale = copy(tensors.*descale);
    (wrong.*descale)
        .as<float>()[static_cast<size_t>(page_of(parse_case(sixteen_tiles), tensors, 0, tile * 64))] *=
        factor;
    return wrong;
  };
}

} // namespace

TEST_CASE("a case that is as accurate as plain passes, with all of its figures") {
  fresh();
  const Record record = judged(sixteen_tiles);
  CHECK(record.outcome.kind() == OutcomeKind::passed);
  CHECK(record.outcome.milliseconds().has_value());
  CHECK(record.resolved == "fake_a");
  CHECK(record.variant == "scalar");
  CHECK(record.workspace_bytes == 42u);
  REQUIRE(record.accuracy);
  CHECK(record.accuracy->query_rows == 48);
  std::vector<std::string> limits;
  for (const Limit& limit : record.accuracy->verdict.limits) limits.push_back(limit.name);
  CHECK(limits == std::vector<std::string>{"rmse", "row", "length", "element", "norm_ratio", "fp8_ceiling",
                                           "lse", "audit"});
  CHECK(record.accuracy->verdict.audit.keys == 1024);
  CHECK_FALSE(record.accuracy->restricted);
  // Quantisation to fp8 costs far more than the kernel's bf16 arithmetic, and both add up to the total.
  REQUIRE(record.accuracy->quantisation);
  CHECK(record.accuracy->quantisation->rmse > 2 * record.accuracy->verdict.kernel.rmse);
  CHECK(record.accuracy->total->rmse > 0.5 * record.accuracy->quantisation->rmse);
  CHECK_FALSE(record.accuracy->worst->kv_tile);
}

TEST_CASE("a wrong descale on one tile of sixteen is inaccurate, and the tile is named") {
  const int tile = GENERATE(0, 6, 14);
  const float factor = GENERATE(0.8f, 2.0f);
  fake::Behaviour& behaviour = fresh();
  SECTION("of V") { behaviour.use = wrong_descale(&Tensors::v_descale, tile, factor); }
  SECTION("of K") { behaviour.use = wrong_descale(&Tensors::k_descale, tile, factor); }
  const Record record = judged(sixteen_tiles);
  CHECK(record.outcome.kind() == OutcomeKind::inaccurate);
  REQUIRE(record.accuracy->worst->kv_tile);
  CHECK(record.accuracy->worst->kv_tile->first_key == 64 * tile);
  CHECK(record.accuracy->worst->kv_tile->keys == 64);
  CHECK(record.accuracy->worst->kv_tile->cosine > 0.8);
}

TEST_CASE("the diverging tile of a sliding window is counted from the first key of the request") {
  fake::Behaviour& behaviour = fresh();
  const std::string text = "batch_prefill/h=2:1/sq=4/sk=1024/q=fp8/kv=fp8/quant=page/page=64/window=255:0";
  const Problem problem = parse_case(text);
  behaviour.use = [=](const Tensors& tensors) {
    Tensors wrong = tensors;
    wrong.v_descale = copy(tensors.v_descale);
    wrong.v_descale.as<float>()[static_cast<size_t>(page_of(problem, tensors, 0, 14 * 64))] *= 2;
    return wrong;
  };
  const Record record = judged(text);
  CHECK(record.outcome.kind() == OutcomeKind::inaccurate);
  REQUIRE(record.accuracy->worst->kv_tile);
  // Tiles start with the window, so page 14 may lie across two of them.
  CHECK(std::abs(record.accuracy->worst->kv_tile->first_key - 14 * 64) < 64);
}

TEST_CASE("rows that were never written are seen although nothing else is wrong") {
  fresh().skip_last_row = true;
  const Record record = judged(sixteen_tiles);
  CHECK(record.outcome.kind() == OutcomeKind::inaccurate);
  CHECK(record.accuracy->verdict.defects.untouched == 2 * 128);
  CHECK(record.accuracy->verdict.defects.first == 47 * 2 * 128);
}

TEST_CASE("defects outside the oracle's sample of rows are seen") {
  fresh().spoil = [](std::vector<double>& output, int) {
    output[20 * 256] = std::numeric_limits<double>::quiet_NaN();
  };
  AccuracyOptions options;
  options.oracle_rows = 2; // the first and the last
  const Record record = judged(sixteen_tiles, options);
  CHECK(record.accuracy->query_rows == 2);
  CHECK(record.outcome.kind() == OutcomeKind::inaccurate);
  CHECK(record.accuracy->verdict.defects.nan == 1);
}

TEST_CASE("a result that differs between schedules is a hazard, even if each is accurate") {
  fresh().spoil = [](std::vector<double>& output, int run) {
    if (run == 2) output[7] = output[7] * (1 + 1.0 / 128);
  };
  AccuracyOptions options;
  const std::string last = GENERATE("random:1", "timed");
  options.variations.schedules = {"eager", "lazy", last};
  const Record record = judged(sixteen_tiles, options);
  CHECK(record.outcome.kind() == OutcomeKind::hazard);
  REQUIRE(record.variations.size() == 3);
  CHECK(record.variations[1].identical);
  CHECK_FALSE(record.variations[2].identical);
  CHECK(record.outcome.reason().find("between schedule=eager and schedule=" + last) != std::string::npos);
}

TEST_CASE("the two forms of MFMA arithmetic may differ, and each is judged") {
  AccuracyOptions options;
  options.variations.mfma = {"fma", "fdpa"};
  SECTION("both accurate") {
    fresh().spoil = [](std::vector<double>& output, int run) {
      if (run == 1) output[7] += 1.0 / 512;
    };
    const Record record = judged(sixteen_tiles, options);
    CHECK(record.outcome.kind() == OutcomeKind::passed);
    REQUIRE(record.accuracy->mfma_difference);
    CHECK(*record.accuracy->mfma_difference > 0);
  }
  SECTION("only fma accurate") {
    fresh().spoil = [](std::vector<double>& output, int run) {
      if (run == 1) output[7] += 1;
    };
    const Record record = judged(sixteen_tiles, options);
    CHECK(record.outcome.kind() == OutcomeKind::inaccurate);
    CHECK_THAT(record.outcome.reason(), Catch::StartsWith("fdpa: ") && Catch::Contains("element 0.99") &&
                                            Catch::Contains("request 0, query 0, head 0, column 7"));
    CHECK(record.accuracy->verdict.kernel.max_abs > 0.9); // the failed form's figures are shown
  }
}

TEST_CASE("sampled query tiles run restricted and only their rows are judged") {
  fake::Behaviour& behaviour = fresh();
  AccuracyOptions options;
  options.query_tiles = 1; // the last tile of 16 rows
  behaviour.spoil = [](std::vector<double>& output, int) { output[0] = 1e3; };
  const Record record = judged(sixteen_tiles, options);
  CHECK(behaviour.restricted_runs == 1);
  CHECK(record.accuracy->restricted);
  CHECK(record.accuracy->query_rows == 16);
  CHECK(record.accuracy->total_query_rows == 48);
  CHECK(record.outcome.kind() == OutcomeKind::passed);
}

TEST_CASE("an option that the device refuses is invalid input") {
  fresh();
  AccuracyOptions options;
  options.variations.schedules = {"refused"};
  CHECK_THROWS_WITH(judged(sixteen_tiles, options), "schedule = refused: the fake says so");
}
