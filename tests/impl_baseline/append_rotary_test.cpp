// append_prefill that rotates has the bits of one whose Q and K somebody else has rotated before: outputs, LSEs and caches.
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "interface/case_string.hpp"
#include "numerics/bf16.hpp"
#include "numerics/fp16.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "operators/append_prefill/rotary.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <cmath>
#include <fmt/format.h>

using namespace fmha950;

namespace {

float value_of(ElementType type, uint16_t code) {
  return type == ElementType::bf16 ? numerics::f32_from_bf16(code) : numerics::f32_from_f16(code);
}
uint16_t code_of(ElementType type, float value) {
  return type == ElementType::bf16 ? numerics::bf16_from_f32(value) : numerics::f16_from_f32(value);
}

// What a kernel stores that only rotates, by the formula of rotary.hpp.
Tensor rotated_before(const Problem& p, const Tensors& tensors, const Tensor& rows) {
  const RotaryEmbedding& embedding = *rotary_embedding(p);
  const AppendTensors& own = append_tensors(tensors);
  Tensor result(rows.type(), rows.shape());
  std::copy_n(rows.data(), rows.bytes(), result.data());
  const auto heads = static_cast<size_t>(rows.shape()[1]), columns = static_cast<size_t>(rows.shape()[2]);
  const auto angles = static_cast<size_t>(embedding.rotated);
  auto codes = result.as<uint16_t>();
  for (size_t token = 0; token < static_cast<size_t>(rows.shape()[0]); ++token)
    for (size_t head = 0; head < heads; ++head)
      for (size_t i = 0; i < angles / 2; ++i) {
        const size_t row = (token * heads + head) * columns;
        const size_t a = row + (embedding.pairs == RotaryPairs::half ? i : 2 * i);
        const size_t b = row + (embedding.pairs == RotaryPairs::half ? i + angles / 2 : 2 * i + 1);
        const size_t at = static_cast<size_t>(own.positions.as<int32_t>()[token]) * angles + i;
        const float cosine = own.cos_sin_cache.as<float>()[at],
                    sine = own.cos_sin_cache.as<float>()[at + angles / 2];
        const float x = value_of(p.query_type, codes[a]), y = value_of(p.query_type, codes[b]);
        const float y_sine = y * sine, x_sine = x * sine;
        codes[a] = code_of(p.query_type, std::fma(x, cosine, -y_sine));
        codes[b] = code_of(p.query_type, std::fma(y, cosine, x_sine));
      }
  return result;
}

struct Results {
  harness::RowOutputs rows;
  std::vector<std::byte> cache;
  bool operator==(const Results&) const = default;
};

Results results_of(const char* implementation, const Problem& problem, const Tensors& tensors) {
  harness::CaseRun run(find_implementation(implementation), problem, tensors);
  Results results{run.run({}, harness::all_rows(problem)).rows, {}};
  results.cache = run.device().download_cache();
  return results;
}

} // namespace

TEST_CASE("append_prefill: rotation fused and rotation done before have the same bits", "[slow]") {
  const std::string embedding =
      GENERATE(as<std::string>(), "half:64", "half:32", "half:16", "interleaved:64", "interleaved:32",
               "half:128", "half:96", "interleaved:128", "interleaved:112");
  const std::string type = GENERATE(as<std::string>(), "bf16", "fp16");
  const std::string mask = GENERATE(as<std::string>(), "causal=1", "causal=1/window=50:0/sink=4/sinklogit=1");
  for (const int columns : {64, 128}) {
    if (std::stoi(embedding.substr(embedding.find(':') + 1)) > columns) continue;
    const std::string text =
        fmt::format("append_prefill/h=4:2/sq=33,70,9,0/sk=140,70,73,5/d={}/q={}/{}/lse=1/rope={}", columns,
                    type, mask, embedding);
    CAPTURE(text);
    const Problem problem = parse_case(text);
    Tensors tensors = workload::make_tensors(problem);
    auto positions = append_tensors(tensors).positions.as<int32_t>();
    std::swap(positions[3], positions[100]); // that do not follow from the lengths
    Problem plain = problem;
    plain.own = {};
    Tensors before = tensors;
    before.q = rotated_before(problem, tensors, tensors.q);
    append_tensors(before) = {.k_new = rotated_before(problem, tensors, append_tensors(tensors).k_new),
                              .v_new = append_tensors(tensors).v_new,
                              .call_cuts = {},
                              .positions = {},
                              .cos_sin_cache = {}};
    const Results expected = results_of("baseline", plain, before);
    for (const char* const name : {"baseline", "baseline_two_launch"}) {
      CAPTURE(name);
      CHECK(results_of(name, problem, tensors) == expected);
    }
    // A neighbour's angle shows, in the outputs and in the cache.
    std::swap(positions[3], positions[4]);
    const Results other = results_of("baseline", problem, tensors);
    CHECK(other.rows != expected.rows);
    CHECK(other.cache != expected.cache);
  }
}

TEST_CASE("append_prefill: embeddings that baseline's kernels do not rotate are refused") {
  const Problem problem = parse_case("append_prefill/h=4:2/sq=3/sk=7/d=64/rope=half:24");
  for (const char* const name : {"baseline", "baseline_two_launch"})
    CHECK(find_implementation(name).supports(problem).why_not ==
          "rotary embedding half:24: kernels rotate whole sixteens of columns");
}
