// Implementations refuse what they have not declared: nobody has to edit them for a new feature.
#include "harness/cases/dispatch.hpp"
#include "interface/case_string.hpp"
#include "interface/implementation.hpp"

#include "tests/support/catch.hpp"
#include <set>

using namespace fmha950;

namespace {

// Each implementation takes some of these.
const std::vector<std::string> cases = {
    "batch_prefill/h=6:1/sq=9/sk=40/q=fp8/kv=fp8/quant=tensor/causal=1/lse=1/table=vllm",
    "batch_prefill/h=6:1/sq=9/sk=40/q=fp8/kv=fp8/quant=mx/page=32",
    "batch_prefill/h=6:1/sq=9/sk=40/q=fp8/kv=fp8/quant=page/page=64/paged=0/mode=batch",
    "batch_prefill/h=6:1/sq=9/sk=40/q=fp8/kv=mxfp4/page=32/lse=1",
    "batch_prefill/h=6:1/sq=9/sk=40/d=256/window=3:1/sink=4/sinklogit=1/cap=30/strided=1/layout=vectorized",
    "append_prefill/h=8:1/sq=3/sk=20/d=64/deterministic=1",
    "batch_prefill/h=6:1/sq=9/sk=40/q=fp8/kv=fp8/quant=tensor/deterministic=1",
    "sparse_prefill/h=16/n=3/pool=8/chunk=8/scale=1/kv=fp8/format=packed/lse=1/sinklogit=1",
    "merge/parts=3/h=2/n=5/d=192/layout=heads/base=2/lse=1",
    // What `new-variant` makes takes one of these.
    "batch_prefill/h=6:1/sq=9/sk=40/causal=1/lse=1",
    "append_prefill/h=8:1/sq=3/sk=20/causal=1/lse=1",
    "sparse_prefill/h=16/n=3/pool=8/chunk=8/scale=1/lse=1",
};

} // namespace

TEST_CASE("a feature that is made up is refused by every implementation, whatever else is asked for") {
  const Feature made_up = {"linear biases", "", "linear biases of scores"};
  std::set<std::string_view> asked;
  for (const auto& implementation : implementations())
    for (const std::string& text : cases) {
      std::vector<Feature> required = required_features(parse_case(text));
      if (!support_of(required, implementation->features())) continue;
      CAPTURE(implementation->name(), text);
      asked.insert(implementation->name());
      for (size_t place = 0; place <= required.size(); ++place) {
        std::vector<Feature> more = required;
        more.insert(more.begin() + static_cast<std::ptrdiff_t>(place), made_up);
        CHECK(support_of(more, implementation->features()).why_not == "linear biases of scores");
      }
    }
  CHECK(asked.size() == implementations().size());
  CHECK(asked.size() >= 8);
}

TEST_CASE("a new value of any feature is refused by every implementation") {
  for (const auto& implementation : implementations())
    for (const std::string& text : cases) {
      const std::vector<Feature> required = required_features(parse_case(text));
      if (!support_of(required, implementation->features())) continue;
      for (size_t i = 0; i < required.size(); ++i) {
        CAPTURE(implementation->name(), required[i].words);
        std::vector<Feature> other = required;
        other[i].value = "made up";
        CHECK_FALSE(support_of(other, implementation->features()));
      }
    }
}

TEST_CASE("auto goes by the rank that implementations declare, then by name") {
  const auto choice =
      harness::dispatch("auto", parse_case("batch_prefill/h=1:1/sq=1/sk=1/q=fp8/cap=30")).at(0);
  CHECK(choice.implementation == nullptr);
  std::vector<std::string> tried;
  for (const auto& one : choice.passed_over) tried.push_back(one.implementation);
  REQUIRE(tried.size() == implementations().size());
  CHECK(tried[0] == "pipelined");
  CHECK(tried[1] == "baseline");
  CHECK(tried[2] == "fused");
  CHECK(std::is_sorted(tried.begin() + 3, tried.end()));
}
