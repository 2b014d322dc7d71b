// append_prefill in several calls, and under several schedules.
#include "append_case.hpp"
#include "harness/cases/dispatch.hpp"
#include "harness/probe/schedule_sweep.hpp"

#include "tests/support/catch.hpp"
#include <set>

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::harness::test;

TEST_CASE("append_prefill: several calls are made one by one, and each is judged") {
  fake::Behaviour& behaviour = fresh();
  const std::string text =
      GENERATE(as<std::string>(), "append_prefill/h=2:1/sq=90,3,0/sk=200,3,40/d=64/calls=7",
               "append_prefill/h=2:1/b=2/sq=40/sk=64/d=64/mode=batch/table=vllm/calls=40",
               "append_prefill/h=2:1/trace=toolagent@0+3:64/d=64/calls=5");
  CAPTURE(text);
  Problem problem = parse_case(text);
  workload::resolve_trace(problem);
  const Record record = judged(text);
  CHECK(record.outcome.reason().empty());
  CHECK(record.outcome.kind() == OutcomeKind::passed);
  CHECK(record.accuracy->total_query_rows == problem.total_queries());
  CHECK(record.accuracy->query_rows == problem.total_queries());
  CHECK(record.accuracy->cache->appended == 2 * problem.total_queries() * 64);
  REQUIRE(behaviour.planned.size() == static_cast<size_t>(problem.calls));
  for (const Problem& planned : behaviour.planned) CHECK(planned.calls == 1);
  CHECK(std::set(behaviour.caches.begin(), behaviour.caches.end()).size() == 1); // the same memory
  for (size_t r = 0; r < problem.requests.size(); ++r) {
    int appended = 0;
    for (const Problem& planned : behaviour.planned) {
      appended += planned.requests[r].query_length;
      CHECK(planned.requests[r].key_length ==
            problem.requests[r].key_length - problem.requests[r].query_length + appended);
    }
    CHECK(appended == problem.requests[r].query_length);
  }
  CHECK(dispatch("fake_a", problem)[0].implementation != nullptr);
}

TEST_CASE("append_prefill: of several calls the one that fails is named, and none is made after it") {
  fake::Behaviour& behaviour = fresh();
  const std::string text = "append_prefill/h=2:1/sq=90/sk=200/d=64/calls=7";
  SECTION("a wrong cache") {
    behaviour.spoil_cache = [&](Cache& cache, int) {
      if (behaviour.planned.size() == 3) cache.k.as<uint8_t>()[0] ^= 1;
    };
    CHECK_THAT(judged(text).outcome.reason(),
               Catch::StartsWith("call 3 of 7: cache: 1 bytes changed outside"));
    CHECK(behaviour.planned.size() == 3);
  }
  SECTION("a wrong output, whose row is counted in the whole chunk") {
    behaviour.spoil = [&](std::vector<double>& output, int) {
      if (behaviour.planned.size() == 7) output[0] = 100;
    };
    const Record record = judged(text);
    CHECK_THAT(record.outcome.reason(), Catch::StartsWith("call 7 of 7: rmse"));
    CHECK_THAT(record.outcome.reason(), Catch::Contains("element"));
    CHECK(record.accuracy->worst->row.query == 90 - behaviour.planned.back().requests[0].query_length);
  }
}

TEST_CASE("append_prefill: a cache that differs between schedules ends a sweep of them") {
  fake::Behaviour& behaviour = fresh();
  const Problem problem = parse_case(std::string(two_requests) + "/calls=3");
  const Tensors tensors = workload::make_tensors(problem);
  const auto swept = [&] {
    return sweep(find_implementation("fake_a"), problem, tensors, {"eager", "lazy", "random:1", "random:2"});
  };
  CHECK_FALSE(swept());
  behaviour.spoil_cache = [](Cache& cache, int run) {
    if (run > 0) cache.v.as<uint8_t>()[element(3, 0, 0, 0)] ^= 1;
  };
  const auto failure = swept();
  REQUIRE(failure);
  CHECK(failure->index == 1);
  CHECK(failure->reason == "bits differ from those under the first: 0 output bytes, 0 LSE bytes, the cache");
}
