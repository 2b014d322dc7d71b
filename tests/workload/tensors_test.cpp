#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/validate.hpp"
#include "workload/generate.hpp"
#include "workload/quantise.hpp"

#include "tests/support/catch.hpp"
#include "tests/workload/generated_case.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace fmha950;
using namespace fmha950::workload;
using Case = test::GeneratedCase;

namespace {

// Largest error of the quantised pools relative to what e4m3 allows for each value.
double worst_step(const Case& c) {
  double worst = 0;
  for (int b = 0; b < static_cast<int>(c.problem.requests.size()); ++b)
    for (int t = 0; t < c.problem.requests[b].key_length; ++t)
      for (int h = 0; h < 2; ++h)
        for (int column = 0; column < 128; column += 5)
          for (bool v : {false, true}) {
            const float x = c.original(v, b, t, h, column),
                        got = v ? c.value(b, t, h, column) : c.key(b, t, h, column);
            worst = std::max(worst, std::abs(got - x) / std::max(std::abs(x), 0.05F) * 1.0);
          }
  return worst;
}

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && a.type() == b.type() &&
         (a.empty() || !std::memcmp(a.data(), b.data(), a.bytes()));
}

} // namespace

TEST_CASE("generated tensors pass the checks of every plan") {
  for (const char* quant : {"none", "tensor", "page", "mx"})
    for (const char* page : {"1", "16", "32", "1024"})
      for (const char* rest :
           {"", "/table=vllm/order=lru", "/paged=0", "/table=vllm/paged=0", "/q=fp8/sinklogit=1/spare=0",
            "/layout=vectorized/q=fp16", "/layout=hnd/interleaved=1"}) {
        if (std::string(page) == "1" && std::string(rest).find("vectorized") != std::string::npos) continue;
        const std::string text =
            std::string("sq=5,0,3/sk=70,9,0/kv=fp8/quant=") + quant + "/page=" + page + rest;
        INFO(text);
        const Case c(text);
        CHECK_NOTHROW(validate_tensors(c.problem, c.tensors));
      }
  for (const char* text :
       {"sq=5,0,3/sk=70,9,0/q=fp8/kv=mxfp4/page=32", "sq=5/sk=70/kv=mxfp4/page=64/layout=hnd/interleaved=1",
        "sq=5/sk=70/q=fp8/kv=mxfp4/page=1024/table=vllm/paged=0", "sq=0/sk=0/spare=0", "sq=4/sk=0/table=vllm",
        "trace=toolagent@100+8:64/kv=fp8/quant=page"}) {
    const Case c(text);
    INFO(text);
    CHECK_NOTHROW(validate_tensors(c.problem, c.tensors));
  }
}

TEST_CASE("values do not depend on page order, page size, layout or table") {
  const std::string lengths = "sq=3,7/sk=100,45/kv=fp8/quant=tensor";
  const Case base(lengths);
  for (const char* form :
       {"order=sequential", "order=lru", "paged=0", "page=1", "page=64", "layout=vectorized", "table=vllm",
        "page=64/layout=vectorized/table=vllm/order=lru/spare=40", "layout=hnd", "page=1/layout=hnd",
        "page=48/layout=hnd/interleaved=1"}) {
    const Case other(lengths + "/" + form);
    INFO(form);
    CHECK(same_bytes(base.tensors.q, other.tensors.q));
    bool equal = true;
    for (int b : {0, 1})
      for (int t = 0; t < base.problem.requests[b].key_length; ++t)
        for (int h : {0, 1})
          for (int column : {0, 1, 31, 77, 127})
            equal = equal && base.key(b, t, h, column) == other.key(b, t, h, column) &&
                    base.value(b, t, h, column) == other.value(b, t, h, column);
    CHECK(equal);
  }
  CHECK_FALSE(same_bytes(base.tensors.q, Case(lengths + "/seed=2").tensors.q));
}

TEST_CASE("quantised values are within half a step of e4m3, in every quantisation and layout") {
  // e4m3 has three mantissa bits: half a step is 1/16 of the value. MX saturates what lies in (448, 512) of
  // its scale, at most 1/8. Below 0.05 the step is that of subnormals or of a block's own scale.
  for (const char* values : {"normal", "outlier"})
    for (const char* layout : {"linear", "vectorized", "hnd"})
      for (const char* page : {"16", "64"})
        for (const char* quant : {"tensor", "page", "mx"}) {
          const Case c(std::string("sq=5/sk=70/q=fp8/kv=fp8/values=") + values + "/layout=" + layout +
                       "/page=" + page + "/quant=" + quant);
          INFO(values << " " << layout << " " << page << " " << quant);
          const double worst = worst_step(c);
          CHECK(worst <= (std::string(quant) == "mx" ? 0.125 : 0.0626));
          CHECK(worst > 0.04); // and it is really e4m3
        }
}

TEST_CASE("descales follow their rules") {
  const Case tensor("sq=5/sk=70/q=fp8/kv=fp8/quant=tensor");
  float amax = 0;
  for (int t = 0; t < 70; ++t)
    for (int h : {0, 1})
      for (int column = 0; column < 128; ++column)
        amax = std::max(amax, std::abs(tensor.original(true, 0, t, h, column)));
  CHECK(tensor.tensors.v_descale.value(0) == amax / 448);
  CHECK(tensor.tensors.q_descale.shape() == std::vector<int64_t>{1});

  const Case rounded("sq=5/sk=70/q=fp8/kv=fp8/quant=tensor/values=normal+pow2");
  int exponent = 0;
  const float descale = rounded.tensors.v_descale.value(0);
  CHECK(std::frexp(descale, &exponent) == 0.5F);
  CHECK(descale >= amax / 448);
  CHECK(descale < amax / 448 * 2);

  const Case page("sq=5/sk=70/kv=fp8/quant=page");
  CHECK(page.tensors.q_descale.value(0) == 1); // Q is bf16
  float page_amax = 0;
  for (int t = 16; t < 32; ++t)
    for (int column = 0; column < 128; ++column)
      page_amax = std::max(page_amax, std::abs(page.original(false, 0, t, 1, column)));
  CHECK(page.tensors.k_descale.value(page.page(0, 16) * 2 + 1) == page_amax / 448);

  const Case mx("sq=5/sk=70/q=fp8/kv=fp8/quant=mx/page=64");
  CHECK(mx.tensors.q_descale.shape() == std::vector<int64_t>{5, 4, 4});
  CHECK(mx.tensors.k_descale.shape() == std::vector<int64_t>{5, 64, 2, 4});
  CHECK(mx.tensors.v_descale.shape() == std::vector<int64_t>{5, 2, 2, 128});
  float group_amax = 0;
  for (int t = 32; t < 64; ++t) group_amax = std::max(group_amax, std::abs(mx.original(true, 0, t, 1, 9)));
  const int64_t index = ((mx.page(0, 32) * 2 + 1) * 2 + 1) * 128 + 9;
  CHECK(mx.tensors.v_descale.value(index) == std::exp2(std::floor(std::log2(group_amax)) - 8));
  CHECK(Case("sq=5/sk=70/q=fp8/kv=fp8/quant=mx/page=16").tensors.v_descale.type() == ElementType::fp32);

  CHECK(mx_scale(ElementType::fp8, 1.0F) == 127 - 8);
  CHECK(mx_scale(ElementType::fp8, std::nextafter(2.0F, 0.0F)) == 127 - 8);
  CHECK(mx_scale(ElementType::fp8, 2.0F) == 127 - 7);
  CHECK(mx_scale(ElementType::fp8, 0) == 127);
  CHECK(mx_scale(ElementType::mxfp4, 4.0F) == 127); // 6 is 2^2 1.5
  CHECK(mx_scale(ElementType::mxfp4, std::nextafter(8.0F, 0.0F)) == 127);
  CHECK(mx_scale(ElementType::mxfp4, 8.0F) == 128);
  CHECK(mx_scale(ElementType::mxfp4, 1.0F) == 127 - 2);
  CHECK(mx_scale(ElementType::mxfp4, 0) == 127);
  CHECK(fp8_descale(0, false) == 1);
}

// E2M1 has 0.5, 1, 1.5, 2, 3, 4, 6 times the scale: half a step is a quarter of it below 2, half of it below 4, and all of it up to
// 6; a block's largest value may be up to 8, and saturates.
TEST_CASE(
    "mxfp4: every key and value is the nearest of its block's, K in blocks of columns and V of tokens") {
  constexpr float magnitudes[] = {0, 0.5F, 1, 1.5F, 2, 3, 4, 6};
  for (const char* rest : {"", "/layout=hnd/interleaved=1", "/table=vllm/order=lru", "/values=outlier"}) {
    const Case c(std::string("sq=5/sk=70/q=fp8/kv=mxfp4/page=32") + rest);
    REQUIRE(static_cast<int64_t>(c.tensors.k_pool.bytes()) == c.tensors.k_pool.elements() / 2);
    int wrong = 0, saturated = 0;
    for (int token = 0; token < 70; ++token)
      for (int head = 0; head < 2; ++head)
        for (int column = 0; column < 128; ++column)
          for (const bool v : {false, true}) {
            float amax = 0;
            for (int i = 0; i < 32; ++i) {
              const int other = v ? token / 32 * 32 + i : token;
              if (other < 70)
                amax = std::max(amax,
                                std::abs(c.original(v, 0, other, head, v ? column : column / 32 * 32 + i)));
            }
            const float scale = amax == 0 ? 1 : std::exp2(std::floor(std::log2(amax)) - 2);
            const float x = c.original(v, 0, token, head, column),
                        got = v ? c.value(0, token, head, column) : c.key(0, token, head, column);
            float nearest = std::abs(std::abs(x) / scale);
            for (const float magnitude : magnitudes)
              nearest = std::min(nearest, std::abs(std::abs(x) / scale - magnitude));
            saturated += std::abs(x) > 6 * scale;
            wrong += std::abs(got - x) / scale != nearest || got * x < 0;
          }
    CAPTURE(rest);
    CHECK(wrong == 0);
    CHECK(saturated > 0);
  }
}

TEST_CASE("negative_zero: bytes 0x80 strewn in, and whole rows of them, in Q, K and V") {
  const Case c("sq=20/sk=70/q=fp8/kv=fp8/quant=page/values=negative_zero");
  for (const Tensor* tensor : {&c.tensors.q, &c.tensors.k_pool, &c.tensors.v_pool}) {
    const auto bytes = tensor->as<uint8_t>();
    const auto share =
        static_cast<double>(std::ranges::count(bytes, 0x80)) / static_cast<double>(bytes.size());
    CHECK(share > 0.1); // of a pool with spare pages
    CHECK(share < 0.4);
    CHECK(std::ranges::count(bytes, 0) == 0); // +0 would be a -0 that lost its sign
    int64_t whole_rows = 0;
    for (size_t row = 0; row < bytes.size(); row += 128)
      whole_rows += std::ranges::count(bytes.subspan(row, 128), 0x80) == 128;
    CHECK(whole_rows >= 8);
  }
}

TEST_CASE("uneven: descales of V of every second page of 16 tokens are about 32 times smaller, of K twice as "
          "large") {
  const Case c("sq=1/sk=64/q=fp8/kv=fp8/quant=page/values=uneven");
  const auto k = c.tensors.k_descale.as<const float>(), v = c.tensors.v_descale.as<const float>();
  const auto descale_of = [&](int token) { // of the first head of its page
    return page_of(c.problem, c.tensors, 0, token) * c.problem.kv_heads;
  };
  for (const int token : {0, 32}) {
    const auto even = descale_of(token), odd = descale_of(token + 16);
    CHECK(v[even] > 16 * v[odd]);
    CHECK(v[even] < 64 * v[odd]);
    CHECK(k[odd] > 1.2F * k[even]);
    CHECK(k[odd] < 4 * k[even]);
  }
}

TEST_CASE("unquantised inputs come without originals, quantised ones with bf16 originals") {
  const Case plain("sq=2/sk=40");
  CHECK(plain.tensors.q_original.empty());
  CHECK(plain.tensors.k_descale.empty());
  CHECK(plain.tensors.q_descale.empty());
  const Case half("sq=2/sk=40/q=fp16/kv=fp16");
  CHECK(half.tensors.k_original.empty());
  const Case fp8("sq=2/sk=40/kv=fp8/quant=tensor");
  REQUIRE_FALSE(fp8.tensors.q_original.empty());
  bool equal = true; // the bf16 form of the same case is the original of the fp8 form
  for (int t = 0; t < 40; ++t)
    for (int column = 0; column < 128; ++column)
      equal = equal && plain.key(0, t, 1, column) == fp8.original(false, 0, t, 1, column);
  CHECK(equal);
}

TEST_CASE("outlier values have constant channels in K and a sink in token 0") {
  const Case c("sq=64/sk=2048/values=outlier");
  const auto norm = [&](int token) {
    double sum = 0;
    for (int column = 0; column < 128; ++column) sum += std::pow(c.key(0, token, 0, column), 2);
    return std::sqrt(sum);
  };
  CHECK(norm(0) < 0.5 * norm(1));
  int constant = 0;
  for (int column = 0; column < 128; ++column) {
    double sum = 0;
    for (int t = 1; t < 2048; ++t) sum += c.key(0, t, 0, column);
    constant += std::abs(sum / 2047) > 7;
  }
  CHECK(constant == 2);
  // Mean softmax mass of key 0 over the query heads of KV head 0.
  double mass = 0;
  for (int q = 0; q < 64; ++q) {
    double total = 0, sink = 0;
    for (int t = 0; t < 2048; ++t) {
      double score = 0;
      for (int column = 0; column < 128; ++column)
        score += c.tensors.q.value(q * 4 * 128 + column) * c.key(0, t, 0, column);
      const double weight = std::exp(score / std::sqrt(128.0));
      total += weight;
      if (t == 0) sink = weight;
    }
    mass += sink / total / 64;
  }
  CHECK(mass > 0.1);
  CHECK(mass < 0.8);
}

TEST_CASE("a ten gigabyte pool costs only its used pages") {
  const Case c("sq=16/sk=2048/kv=fp8/quant=tensor/page=1024/h=8:8/spare=5000");
  CHECK(c.tensors.k_pool.bytes() > 5'000'000'000);
  CHECK(touched_pages(c.problem, c.tensors).size() == 2);
  CHECK(std::isfinite(c.value(0, 2047, 7, 127)));
}

TEST_CASE("unknown values are refused") {
  Problem problem = parse_case("batch_prefill/h=1:1/sq=1/sk=1/d=128/values=gaussian");
  CHECK_THROWS_WITH(make_tensors(problem),
                    "values = gaussian: must be normal, outlier, negative_zero, "
                    "uneven, sharp:F, mean, peak, alike:N, onehot, flat, count, count:KEY or "
                    "activations:LAYER, each with +pow2 or without");
  problem.values = "normal";
}
