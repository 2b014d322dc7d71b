// The probes of append_prefill: what they are made of, and whose mutants they judge.
#include "harness/mutation/source_mutants.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/probe.hpp"
#include "operators/append_prefill/append_tensors.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>

using namespace fmha950;
using namespace fmha950::harness;

TEST_CASE("mutants of append_prefill's kernels concern its probes alone") {
  const SourceMutant append{"baseline", "made", "append_bf16_d128", "append_prefill", "nothing", {}};
  const SourceMutant paged{"baseline", "made", "baseline_bf16_d128", "batch_prefill", "nothing", {}};
  const std::string some = "(^lengths/keys|^append_lengths|^sparse_lengths).*/(page=16/|page=16$|h=16)";
  for (const Probe& probe : select_probes(all_probes(), some)) {
    CAPTURE(probe.name);
    CHECK(concerns(append, probe.problem) == probe.name.starts_with("append_"));
    CHECK(concerns(paged, probe.problem) == probe.name.starts_with("lengths/"));
  }
}

TEST_CASE("the chunk of append_values lies beyond what the scale holds, in K and in V") {
  for (const Probe& probe : select_probes(all_probes(), "^append_values/.*page=16/")) {
    CAPTURE(probe.name);
    const Tensors tensors = make_tensors(probe);
    const auto beyond = [](const Tensor& values, const Tensor& scale) {
      int64_t count = 0;
      for (int64_t i = 0; i < values.elements(); ++i)
        if (std::abs(values.value(i)) > 464 * scale.value(0)) ++count; // which no rounding brings back to 448
      return count;
    };
    const AppendTensors& chunk = append_tensors(tensors);
    CHECK(beyond(chunk.k_new, tensors.k_descale) > chunk.k_new.elements() / 2);
    CHECK(beyond(chunk.v_new, tensors.v_descale) > chunk.v_new.elements() / 2);
  }
}

TEST_CASE("append_many_tiles has more tiles of old keys than a wave has lanes") {
  for (const Probe& probe : select_probes(all_probes(), "^append_many_tiles/")) {
    const Request& first = probe.problem.requests.front();
    CHECK(first.key_length - first.query_length > 64 * 64);
  }
}
