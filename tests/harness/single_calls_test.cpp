// A problem of several calls as the calls that implementations get, and what is put together of them.
#include "harness/cases/single_calls.hpp"
#include "harness/perf/modelled_time.hpp"
#include "interface/case_string.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;

namespace {

std::vector<std::byte> bytes_of(const std::vector<uint16_t>& values) {
  std::vector<std::byte> bytes(values.size() * 2);
  std::copy_n(reinterpret_cast<const std::byte*>(values.data()), bytes.size(), bytes.begin());
  return bytes;
}

} // namespace

TEST_CASE("a problem of one call is its only call, and a body may end the calls") {
  const Problem one = parse_case("batch_prefill/h=1:1/sq=3/sk=5/d=64");
  const Tensors tensors = workload::make_tensors(one);
  for_each_call(one, tensors, [&](const SingleCall& call) {
    CHECK(&call.problem == &one);
    CHECK(&call.tensors == &tensors);
    CHECK(call.count == 1);
    return true;
  });
  const Problem seven = parse_case("append_prefill/h=1:1/sq=30/sk=50/d=64/calls=7");
  int made = 0;
  for_each_call(seven, workload::make_tensors(seven), [&](const SingleCall& call) {
    CHECK(call.index == made);
    CHECK(call.count == 7);
    return ++made < 3;
  });
  CHECK(made == 3);
  CHECK(as_single_call(seven).calls == 1);
}

TEST_CASE("the rows of all calls together are those of the whole chunks, in their order") {
  const Problem problem = parse_case("append_prefill/h=1:1/sq=9,0,30,2/sk=50,3,30,40/d=64/calls=6");
  const Tensors tensors = workload::make_tensors(problem);
  RowOutputs whole;
  // Row n of the whole has the value n, known by request and query.
  const int first[] = {0, 9, 9, 39};
  for_each_call(problem, tensors, [&](const SingleCall& call) {
    std::vector<uint16_t> rows;
    for (size_t r = 0; r < 4; ++r)
      for (int i = 0; i < call.problem.requests[r].query_length; ++i)
        rows.push_back(static_cast<uint16_t>(first[r] + call.first_query[r] + i));
    place_rows(problem, call, {bytes_of(rows), {}}, whole);
    return true;
  });
  std::vector<uint16_t> expected(41);
  for (size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<uint16_t>(i);
  CHECK(whole.output == bytes_of(expected));
  CHECK(whole.lse.empty());
}

TEST_CASE("what is modelled of several calls is all their launches and all their work") {
  const auto call = [](double flops, double clocks) {
    ModelledLaunch launch;
    launch.kernel = "append_attention";
    launch.clocks = clocks;
    return Modelled{.flops = flops, .launches = {launch}};
  };
  Modelled modelled;
  modelled.add(call(1e9, 1000));
  modelled.add(call(3e9, 5000));
  CHECK(modelled.flops == 4e9);
  CHECK(modelled.clocks() == 6000);
  // Nothing is busy, so the clock is the highest.
  CHECK(seconds_of(modelled).best == Approx(6000 / 2.4e9 + 2 * timing::dispatch_seconds));
}
