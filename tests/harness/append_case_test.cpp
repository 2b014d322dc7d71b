// Judging append_prefill from end to end: attention by the accuracy rule, the cache byte for byte. Fake
// implementations that break one thing, the real oracle.
#include "append_case.hpp"
#include "interface/error.hpp"
#include "operators/append_prefill/append_tensors.hpp"

#include "tests/support/catch.hpp"
#include <limits>

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::harness::test;

namespace {

Tensor copy(const Tensor& tensor) {
  Tensor out(tensor.type(), tensor.shape());
  std::copy(tensor.data(), tensor.data() + tensor.bytes(), out.data());
  return out;
}

} // namespace

TEST_CASE("append_prefill: a right call passes, and all bytes of both pools were compared") {
  fresh();
  const Record record = judged(two_requests);
  CHECK(record.outcome.kind() == OutcomeKind::passed);
  REQUIRE(record.accuracy->cache);
  CHECK(record.accuracy->cache->bytes == 2 * 7 * 16 * 2 * 64);
  CHECK(record.accuracy->cache->appended == 2 * 37 * 2 * 64);
  CHECK(record.accuracy->cache->passed());
  std::vector<std::string> names;
  for (const Limit& limit : record.accuracy->verdict.limits) names.push_back(limit.name);
  CHECK(names == std::vector<std::string>{"rmse", "row", "length", "element", "norm_ratio", "fp8_ceiling",
                                          "lse", "audit"});
  CHECK(record.accuracy->query_rows == 37);
}

TEST_CASE(
    "append_prefill: a wrong byte of the chunk is named with its place, value and what would be right") {
  fresh().spoil_cache = [](Cache& cache, int) {
    cache.v.as<uint8_t>()[element(3, 5, 1, 17)] ^= 1;
    cache.v.as<uint8_t>()[element(3, 5, 1, 18)] ^= 1;
  };
  const Record record = judged(two_requests);
  CHECK(record.outcome.kind() == OutcomeKind::inaccurate);
  CHECK(record.accuracy->cache->wrong == 2);
  CHECK(record.accuracy->cache->changed == 0);
  CHECK_THAT(
      record.outcome.reason(),
      Catch::StartsWith("cache: 2 of 9472 appended bytes wrong, first V at token 53 of request 0 (page 3, "
                        "slot 5), head 1, column 17: 0x"));
  CHECK_THAT(record.outcome.reason(), Catch::Contains(", must be 0x"));
}

TEST_CASE("append_prefill: a byte that changed outside the chunk is named as such") {
  const auto [page, slot, whose] = GENERATE(table<int, int, std::string>({
      {2, 7, "old token 39 of request 0 (page 2, slot 7)"},
      {5, 7, "a slot of no request (page 5, slot 7)"}, // behind request 1's last token
      {6, 0, "a slot of no request (page 6, slot 0)"}, // the spare page
  }));
  fresh().spoil_cache = [page = page, slot = slot](Cache& cache, int) {
    cache.k.as<uint8_t>()[element(page, slot, 0, 3)] ^= 0x80;
  };
  const Record record = judged(two_requests);
  CHECK(record.outcome.kind() == OutcomeKind::inaccurate);
  CHECK(record.accuracy->cache->wrong == 0);
  CHECK_THAT(record.outcome.reason(),
             Catch::StartsWith("cache: 1 bytes changed outside the chunk, first K at " + whose +
                               ", head 0, column 3: 0x"));
}

TEST_CASE("append_prefill: a chunk that was not appended at all is wrong although the output is right") {
  fresh().spoil_cache = [](Cache& cache, int) {
    auto k = cache.k.as<uint8_t>();
    std::fill_n(k.begin() + element(5, 0, 0, 0), 7 * 128, uint8_t{0xFF});
  };
  const Record record = judged(two_requests);
  CHECK(record.outcome.kind() == OutcomeKind::inaccurate);
  // No NaN is right; zeros aside, nothing agrees by chance.
  CHECK(record.accuracy->cache->wrong > 7 * 128 - 40);
  CHECK(record.accuracy->verdict.passed());
}

TEST_CASE("append_prefill: every run starts from the same cache and leaves the same") {
  AccuracyOptions options;
  options.variations.schedules = {"eager", "lazy", "random:1"};
  fresh();
  CHECK(judged(two_requests, options).outcome.kind() == OutcomeKind::passed);
  fresh().spoil_cache = [](Cache& cache, int run) {
    if (run == 1) cache.k.as<uint8_t>()[element(4, 0, 0, 0)] ^= 1;
  };
  const Record record = judged(two_requests, options);
  CHECK(record.outcome.kind() == OutcomeKind::inaccurate);
  CHECK_THAT(record.outcome.reason(),
             Catch::StartsWith("schedule=lazy: cache: 1 of 9472 appended bytes wrong"));
  CHECK(record.variations[1].outcome == OutcomeKind::inaccurate);
  CHECK(record.variations[2].outcome == OutcomeKind::passed);
}

TEST_CASE(
    "append_prefill: attention that takes the chunk from a wrong place is inaccurate, and its tile named") {
  fake::Behaviour& behaviour = fresh();
  SECTION("the chunk's V") {
    behaviour.use = [](const Tensors& tensors) {
      Tensors wrong = tensors;
      append_tensors(wrong).v_new = copy(append_tensors(tensors).v_new);
      auto v = append_tensors(wrong).v_new.as<uint16_t>();
      std::fill_n(v.begin(), v.size() / 2, uint16_t{0}); // 64 tokens
      return wrong;
    };
    const Record record = judged("append_prefill/h=2:1/sq=128/sk=512/d=64/causal=1");
    CHECK(record.outcome.kind() == OutcomeKind::inaccurate);
    REQUIRE(record.accuracy->worst->kv_tile);
    CHECK(record.accuracy->worst->kv_tile->first_key == 384);
  }
  SECTION("v_scale") {
    behaviour.use = [](const Tensors& tensors) {
      Tensors wrong = tensors;
      wrong.v_descale = copy(tensors.v_descale);
      wrong.v_descale.as<float>()[0] *= 2;
      return wrong;
    };
    CHECK(judged("append_prefill/h=2:1/sq=16/sk=512/d=64").outcome.kind() == OutcomeKind::inaccurate);
  }
}

TEST_CASE("append_prefill: sampled workgroups append a part of the chunk, and change nothing else") {
  fake::Behaviour& behaviour = fresh();
  AccuracyOptions options;
  options.query_tiles = 1;
  const char* const text = "append_prefill/h=2:1/sq=90/sk=200/d=64/order=sequential"; // tokens 110 to 199
  const auto place = [](int token) { return int64_t{token} * 64; };
  SECTION("a part") {
    const Tensors before = workload::make_tensors(parse_case(text));
    behaviour.spoil_cache = [&](Cache& cache, int) {
      std::copy_n(before.k_pool.as<uint8_t>().begin() + place(150), 50 * 64,
                  cache.k.as<uint8_t>().begin() + place(150));
    };
    const Record record = judged(text, options);
    CHECK(record.accuracy->restricted);
    CHECK(record.accuracy->cache->passed());
    CHECK(record.outcome.kind() == OutcomeKind::passed);
  }
  SECTION("something else") {
    const auto [token, reason] = GENERATE(table<int, const char*>(
        {{0, "cache: 1 bytes changed outside"}, {150, "cache: 1 of 11520 appended"}}));
    behaviour.spoil_cache = [&, token = token](Cache& cache, int) {
      cache.k.as<uint8_t>()[place(token)] ^= 0x7F; // neither what it was nor what it should be
    };
    const Record record = judged(text, options);
    CHECK(record.accuracy->restricted);
    CHECK_THAT(record.outcome.reason(), Catch::StartsWith(reason));
  }
}

TEST_CASE("append_prefill: the whole of a loaded pool beyond 64 MiB is on the device and compared") {
  fake::Behaviour& behaviour = fresh();
  const Problem problem = parse_case("append_prefill/h=1:1/sq=20/sk=3000/d=64/page=1024/spare=1030/calls=2");
  Tensors tensors = workload::make_tensors(problem);
  REQUIRE(tensors.k_pool.bytes() > size_t{64} << 20);
  tensors.written_pages.clear(); // as of a loaded folder
  const auto judge = [&] {
    CaseOracle oracle(problem, tensors);
    Record record;
    judge_case(find_implementation("fake_a"), problem, tensors, {}, oracle, record);
    return record;
  };
  CHECK(judge().outcome.reason().empty());
  behaviour.spoil_cache = [](Cache& cache, int) { cache.v.as<uint8_t>().back() ^= 1; };
  CHECK_THAT(judge().outcome.reason(),
             Catch::StartsWith("call 1 of 2: cache: 1 bytes changed outside the chunk"));
}
