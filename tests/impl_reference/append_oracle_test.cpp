// append_prefill: attention over old tokens out of the cache and a chunk that is in no cache yet, and the
// bytes that the chunk becomes, against scalar loops.
#include "brute_force.hpp"
#include "interface/case_string.hpp"
#include "interface/error.hpp"
#include "interface/implementation.hpp"
#include "operators/append_prefill/append_prefill.hpp"
#include "operators/append_prefill/append_tensors.hpp"
#include "operators/batch_prefill/batch_prefill.hpp"
#include "tests/support/elements.hpp"

#include "tests/support/catch.hpp"
#include <cstring>
#include <limits>

using namespace fmha950;
using namespace fmha950::test;

namespace {

int old_tokens(const Request& request) { return request.key_length - request.query_length; }

// The number of Q's type nearest to x, of two equally near the even one, by the compiler's conversions.
double rounded_to(ElementType type, float x) {
  if (type == ElementType::fp16) return static_cast<double>(static_cast<_Float16>(x));
  uint32_t bits;
  std::memcpy(&bits, &x, 4);
  bits = (bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000;
  std::memcpy(&x, &bits, 4);
  return x;
}

// What an old token is in attention.
// A product of fp8 and fp32 is exact in double: it is rounded to fp32 once.
void round_old_tokens(RandomCase& c) {
  const Problem& p = c.problem;
  for (size_t b = 0; b < p.requests.size(); ++b)
    for (Dense* dense : {&c.k[b], &c.v[b]})
      for (int64_t i = 0; i < int64_t{old_tokens(p.requests[b])} * p.kv_heads * p.head_dim; ++i) {
        double& value = dense->values[static_cast<size_t>(i)];
        value = rounded_to(p.query_type, static_cast<float>(value));
      }
}

// A case of batch_prefill whose last tokens move from the cache to the chunk: their slots are poison then.
RandomCase append_case(const std::string& keys, std::mt19937& random) {
  Problem problem = parse_case("append_prefill/" + keys);
  problem.op = batch_prefill;
  RandomCase c = fill(problem, random);
  c.problem.op = append_prefill;
  const Problem& p = c.problem;
  Tensors& t = c.tensors;
  t.q_descale = Tensor();
  AppendTensors& chunk = append_tensors(t);
  chunk.k_new = Tensor(p.query_type, {p.total_queries(), p.kv_heads, p.head_dim});
  chunk.v_new = Tensor(p.query_type, {p.total_queries(), p.kv_heads, p.head_dim});
  int64_t q_index = 0, index = 0;
  const int row = p.kv_heads * p.head_dim;
  for (size_t b = 0; b < p.requests.size(); ++b) {
    for (double& value : c.q[b].values) value = decode(p.query_type, t.q.data() + 2 * q_index++);
    for (int token = old_tokens(p.requests[b]); token < p.requests[b].key_length; ++token) {
      const int64_t page = page_of(p, t, static_cast<int>(b), token), slot = token % p.page_size;
      const int64_t begin = (page * p.page_size + slot) * row;
      std::memset(t.k_pool.data() + begin, 0x7F, static_cast<size_t>(row));
      std::memset(t.v_pool.data() + begin, 0xFF, static_cast<size_t>(row));
      for (int column = 0; column < row; ++column, ++index) {
        c.k[b].values[size_t(token) * row + column] = put_random(chunk.k_new, index, random);
        c.v[b].values[size_t(token) * row + column] = put_random(chunk.v_new, index, random);
      }
    }
  }
  return c;
}

std::vector<QueryRow> rows_of(const Problem& problem) {
  std::vector<QueryRow> rows;
  for (int b = 0; b < static_cast<int>(problem.requests.size()); ++b)
    for (int i = 0; i < problem.requests[b].query_length; ++i) rows.push_back({b, i});
  return rows;
}

// Largest |got - formula| over outputs and finite LSEs; NaN sticks.
double largest_difference(const RandomCase& c, const AttentionRows& got) {
  double worst = 0;
  const auto add = [&](double a, double b) {
    const double difference = a == b ? 0 : std::abs(a - b);
    worst = difference <= worst ? worst : difference;
  };
  const int heads = c.problem.query_heads, columns = c.problem.head_dim;
  for (size_t r = 0; r < got.rows.size(); ++r)
    for (int head = 0; head < heads; ++head) {
      const Row expected = brute_force(c, got.rows[r].request, got.rows[r].query, head);
      add(got.lse[r * heads + head], expected.lse);
      for (int d = 0; d < columns; ++d)
        add(got.output[(r * heads + head) * columns + d], expected.output[static_cast<size_t>(d)]);
    }
  return worst;
}

const char* const cases[] = {
    "h=2:1/sq=5,0,40,7/sk=21,33,40,100/d=64/lse=1/causal=1",
    "h=4:2/sq=70/sk=700/d=128/page=64/table=vllm",
    "h=3:3/sq=9,1/sk=10,65/d=128/q=fp16/page=1/causal=1/sinklogit=1/cap=5",
    "h=5:1/sq=17,600/sk=1041,620/d=64/q=fp16/page=1024/table=vllm/causal=1/scale=0.05",
    "h=2:1/sq=20/sk=148/d=64/page=128",
};

// The code whose value is nearest; of two equally near the even one; the largest finite beyond.
uint8_t nearest_code(double x) {
  uint8_t best = 0;
  double distance = std::numeric_limits<double>::infinity();
  for (int code = 0; code < 127; ++code) {
    const std::byte element{static_cast<uint8_t>(code)};
    const double here = std::abs(decode(ElementType::fp8, &element) - std::abs(x));
    if (here < distance || (here == distance && code % 2 == 0)) {
      best = static_cast<uint8_t>(code);
      distance = here;
    }
  }
  return static_cast<uint8_t>(best | (std::signbit(x) ? 0x80 : 0));
}

} // namespace

TEST_CASE("append_prefill: exact attention is the formula over old tokens of Q's type and the chunk itself",
          "[definition]") {
  std::mt19937 random(9);
  for (const char* keys : cases) {
    CAPTURE(keys);
    RandomCase c = append_case(keys, random);
    const AttentionRows exact =
        oracle().exact(c.problem, c.tensors, rows_of(c.problem), OracleInput::dequantised);
    CHECK(largest_difference(c, exact) > 1e-4); // old tokens that are not rounded are another operator's
    round_old_tokens(c);
    // The scale 1/sqrt(d) is fp32 in a problem and double in the formula.
    CHECK(largest_difference(c, exact) < 1e-5);
  }
}

TEST_CASE("append_prefill: to the plain implementation old tokens are what they are to the oracle") {
  std::mt19937 random(10);
  for (const char* keys : {"h=2:1/sq=30/sk=200/d=64/causal=1", "h=2:1/sq=30/sk=200/d=64/q=fp16"}) {
    CAPTURE(keys);
    RandomCase c = append_case(keys, random);
    const AttentionRows plain =
        oracle().plain(c.problem, c.tensors, rows_of(c.problem), {.type = ElementType::fp32});
    // LSE is never rounded itself: what it is off by comes from the keys alone.
    const auto worst_lse = [&] {
      double worst = 0;
      for (size_t r = 0; r < plain.rows.size(); ++r)
        for (int head = 0; head < 2; ++head)
          worst = std::max(
              worst, std::abs(plain.lse[r * 2 + head] - brute_force(c, 0, static_cast<int>(r), head).lse));
      return worst;
    };
    CHECK(worst_lse() > 2e-5);
    round_old_tokens(c);
    CHECK(worst_lse() < 1e-5);
  }
}

TEST_CASE("append_prefill: the cache after the call has each element's nearest code, and else what it had") {
  std::mt19937 random(11);
  for (const char* keys : cases) {
    CAPTURE(keys);
    RandomCase c = append_case(keys, random);
    const Problem& p = c.problem;
    Tensors& t = c.tensors;
    t.k_descale.as<float>()[0] = 0.004f; // 448 of it is 1.8: many saturate
    const Cache cache = oracle().cache_after(p, t);
    std::vector<uint8_t> k(t.k_pool.as<uint8_t>().begin(), t.k_pool.as<uint8_t>().end());
    std::vector<uint8_t> v(t.v_pool.as<uint8_t>().begin(), t.v_pool.as<uint8_t>().end());
    const std::vector<uint8_t> k_before = k;
    int64_t index = 0, saturated = 0;
    const int row = p.kv_heads * p.head_dim;
    for (size_t b = 0; b < p.requests.size(); ++b)
      for (int token = old_tokens(p.requests[b]); token < p.requests[b].key_length; ++token) {
        const int64_t page = page_of(p, t, static_cast<int>(b), token);
        for (int column = 0; column < row; ++column, ++index) {
          const int64_t place = (page * p.page_size + token % p.page_size) * row + column;
          const float x =
              static_cast<float>(decode(p.query_type, append_tensors(t).k_new.data() + 2 * index));
          const float y =
              static_cast<float>(decode(p.query_type, append_tensors(t).v_new.data() + 2 * index));
          k[place] = nearest_code(x / t.k_descale.as<float>()[0]);
          v[place] = nearest_code(y / t.v_descale.as<float>()[0]);
          saturated += (k[place] & 0x7F) == 0x7E;
        }
      }
    CHECK(std::ranges::equal(cache.k.as<uint8_t>(), k));
    CHECK(std::ranges::equal(cache.v.as<uint8_t>(), v));
    CHECK(saturated > 0);
    CHECK(std::ranges::equal(t.k_pool.as<uint8_t>(), k_before)); // the tensors' own stay as they are
  }
}

TEST_CASE("append_prefill: NaN stays NaN in the cache, infinity saturates") {
  std::mt19937 random(12);
  RandomCase c = append_case("h=1:1/sq=1/sk=3/d=64", random);
  auto chunk = append_tensors(c.tensors).k_new.as<uint16_t>();
  chunk[0] = 0x7FC0;
  chunk[1] = 0xFF80;
  const Cache cache = oracle().cache_after(c.problem, c.tensors);
  const int64_t slot = page_of(c.problem, c.tensors, 0, 2) * 16 + 2;
  CHECK((cache.k.as<uint8_t>()[slot * 64] & 0x7F) == 0x7F);
  CHECK(cache.k.as<uint8_t>()[slot * 64 + 1] == 0xFE);
}
