// The audit's sums against the definition, as scalar loops in double (brute_audit.hpp). The code sums in
// fp32, in which a sum over all keys and columns is right to 1e-5 or so of what is summed: the tolerance is
// 1e-4 of the length of both vectors. All problems have many keys of about the same weight and P of bf16, so
// that o is the only direction in which nothing is heard.
#include "brute_audit.hpp"
#include "interface/case_string.hpp"
#include "interface/implementation.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>

using namespace fmha950;
using namespace fmha950::test;

namespace {

std::vector<QueryRow> rows_of(const Problem& problem) {
  std::vector<QueryRow> rows;
  for (int b = 0; b < int(problem.requests.size()); ++b)
    for (int i = 0; i < problem.requests[size_t(b)].query_length; ++i) rows.push_back({b, i});
  return rows;
}

struct Audited {
  RandomCase c;
  AttentionRows exact, plain, got;
  AuditSums sums;

  Audited(const std::string& text, unsigned seed, bool keep_scores = true) : c{} {
    std::mt19937 random(seed);
    c = fill(parse_case(text), random);
    const auto rows = rows_of(c.problem);
    exact = oracle().exact(c.problem, c.tensors, rows, OracleInput::dequantised, {},
                           keep_scores ? ScoresOfRows::kept : ScoresOfRows::dropped);
    plain = oracle().plain(c.problem, c.tensors, rows, {});
    got = exact;
    std::normal_distribution<double> normal;
    for (double& element : got.output) element *= 1 + 0.1 * normal(random);
    for (double& element : got.output) element += 0.01 * normal(random);
    if (!c.problem.lse) got.lse.clear();
    sums = oracle().audit(c.problem, c.tensors, exact, {}, plain, got);
  }

  const PartList* find(const AuditOwner& owner, PartKind kind) const {
    const auto place = std::ranges::find(owner.lists, kind, &PartList::kind);
    return place == owner.lists.end() ? nullptr : &*place;
  }

  size_t place(size_t row, int head) const { return row * size_t(c.problem.query_heads) + size_t(head); }

  BruteAudit brute(const AuditOwner& owner) const {
    const Problem& p = c.problem;
    const auto request = size_t(owner.request);
    const int lq = p.requests[request].query_length, lk = p.requests[request].key_length,
              heads = p.query_heads / p.kv_heads;
    BruteAudit brute;
    for (int j = 0; j < lk; ++j) {
      brute.values.emplace_back();
      for (int d = 0; d < p.value_columns(); ++d)
        brute.values.back().push_back(c.v[request].at(j, owner.kv_head, d));
    }
    const int left = p.window ? p.window->left : lk + lq;
    const int right = p.causal ? 0 : p.window ? p.window->right : lk + lq;
    for (size_t row = 0; row < exact.rows.size(); ++row) {
      if (exact.rows[row].request != owner.request) continue;
      const int query = exact.rows[row].query, a = lk - lq + query;
      for (int head = owner.kv_head * heads; head < (owner.kv_head + 1) * heads; ++head) {
        std::vector<double> raw(size_t(lk), 0);
        for (int j = 0; j < lk; ++j)
          for (int d = 0; d < p.head_dim; ++d)
            raw[size_t(j)] +=
                p.softmax_scale() * c.q[request].at(query, head, d) * c.k[request].at(j, owner.kv_head, d);
        const auto sees = [&](int j) { return j <= a + right && (j < p.sink_tokens || j >= a - left); };
        const double sink = p.sink_logit ? c.tensors.sink_logit.as<float>()[head] : -INFINITY;
        brute.rows.push_back(dense_row(raw, sees, p.soft_cap, sink, brute.values));
        const RowNoise& noise = sums.noise[place(row, head)];
        const double directions = std::max(1.0, p.value_columns() - 1.0);
        brute.weights.push_back(1 / (noise.across * directions / noise.directions * (1 + 4 / noise.terms)));
        brute.errors.emplace_back();
        for (int d = 0; d < p.value_columns(); ++d) {
          const size_t at = place(row, head) * size_t(p.value_columns()) + size_t(d);
          brute.errors.back().push_back(got.output[at] - exact.output[at]);
        }
      }
    }
    return brute;
  }
};

double squared_errors(const BruteAudit& brute) {
  double sum = 0;
  for (size_t r = 0; r < brute.rows.size(); ++r)
    for (const double e : brute.error(r)) sum += brute.weights[r] * e * e;
  return sum;
}

void check_same(const PartSums& code, const PartSums& formula, double errors, double tolerance = 1e-4) {
  CHECK(code.information == Approx(formula.information).epsilon(2 * tolerance));
  CHECK(std::fabs(code.got - formula.got) <= tolerance * std::sqrt(formula.information * errors));
}

// Every part of a list, or some thirty of them.
void check_list(const PartList& list, const BruteAudit& brute, double errors, bool scores,
                double tolerance = 1e-4) {
  REQUIRE(list.sums.size() == list.ends.size());
  const size_t step = std::max<size_t>(1, list.sums.size() / 30);
  for (size_t i = 0; i < list.sums.size(); i += step) {
    CAPTURE(int(list.kind), i, list.first_key(i), list.ends[i]);
    const int first = list.first_key(i), last = list.ends[i];
    check_same(list.sums[i], scores ? brute.scores_of(first, last) : brute.values_of(first, last), errors,
               tolerance);
  }
}

} // namespace

TEST_CASE("audit: sums of tiles, pages, keys and scores are those of the definition", "[definition]") {
  const char* const text = GENERATE(
      "batch_prefill/h=2:1/sq=3/sk=500/d=64/page=16/causal=1/lse=1/scale=0.01",
      "batch_prefill/h=2:2/sq=2,1/sk=700,450/d=64/page=128/window=400:0/sink=3/sinklogit=1/scale=0.01",
      "batch_prefill/h=3:1/sq=4/sk=600/d=64/kv=fp8/quant=tensor/page=32/cap=5/lse=1/scale=0.05",
      "batch_prefill/h=2:1/sq=3/sk=1000/d=128/q=fp8/kv=fp8/quant=page/page=32/layout=vectorized/scale=0.01",
      "batch_prefill/h=2:1/sq=3/sk=1000/d=128/q=fp8/kv=fp8/quant=page/page=64/table=vllm/causal=1/scale=0.01",
      "batch_prefill/h=2:1/sq=3/sk=1000/d=64/q=fp8/kv=fp8/quant=mx/page=128/causal=1/scale=0.0005");
  const bool keep_scores = GENERATE(true, false);
  CAPTURE(text, keep_scores);
  const Audited audited(text, 5, keep_scores);
  const bool key_descales = audited.c.problem.quantisation == Quantisation::page ||
                            audited.c.problem.quantisation == Quantisation::mx;
  for (const AuditOwner& owner : audited.sums.owners) {
    const BruteAudit brute = audited.brute(owner);
    const double errors = squared_errors(brute);
    CHECK(owner.rows == int64_t(brute.rows.size()));
    CHECK(owner.keys == int(brute.values.size()));
    const auto scale = brute.column_scale();
    for (size_t d = 0; d < scale.size(); ++d) CHECK(owner.column_scale[d] == Approx(scale[d]).epsilon(1e-6));

    PartList tiles = owner.buckets[0].tiles;
    for (size_t b = 1; b < owner.buckets.size(); ++b)
      for (size_t i = 0; i < tiles.sums.size(); ++i) tiles.sums[i] += owner.buckets[b].tiles.sums[i];
    CHECK(tiles.ends[0] == 64);
    check_list(tiles, brute, errors, false);
    check_list(*audited.find(owner, PartKind::key), brute, errors, false);
    const int page = audited.c.problem.page_size;
    REQUIRE((audited.find(owner, PartKind::page) != nullptr) == (page != 64));
    if (page != 64) check_list(*audited.find(owner, PartKind::page), brute, errors, false);
    // Most of all scores' contribution lies along o, which is taken out in fp32.
    check_list(*audited.find(owner, PartKind::all_scores), brute, errors, true, 1e-3);
    REQUIRE((audited.find(owner, PartKind::tile_scores) != nullptr) == key_descales);
    if (key_descales) check_list(*audited.find(owner, PartKind::tile_scores), brute, errors, true);
    REQUIRE((audited.find(owner, PartKind::page_scores) != nullptr) == (key_descales && page != 64));
    if (key_descales && page != 64)
      check_list(*audited.find(owner, PartKind::page_scores), brute, errors, true);
  }
}

TEST_CASE("audit: the hidden and visible keys at the edges of a mask are those of the definition") {
  struct Case {
    const char* text;
    // Of a row whose aligned position is a: the key, and whether there is such an edge.
    std::vector<std::pair<Edge, std::function<int(int a)>>> edges;
  };
  const Case causal{
      "batch_prefill/h=2:1/sq=5/sk=600/d=64/causal=1/scale=0.01",
      {{Edge::last_visible, [](int a) { return a; }}, {Edge::behind_last, [](int a) { return a + 1; }}}};
  const Case window{"batch_prefill/h=2:1/sq=5/sk=600/d=64/window=300:2/sink=3/scale=0.01",
                    {{Edge::last_visible, [](int a) { return std::min(a + 2, 599); }},
                     {Edge::behind_last, [](int a) { return a + 3; }},
                     {Edge::first_of_window, [](int a) { return a - 300; }},
                     {Edge::before_window, [](int a) { return a - 301; }},
                     {Edge::last_sink, [](int) { return 2; }},
                     {Edge::behind_sinks, [](int) { return 3; }}}};
  for (const Case& of : {causal, window}) {
    CAPTURE(of.text);
    const Audited audited(of.text, 6);
    const AuditOwner& owner = audited.sums.owners[0];
    const BruteAudit brute = audited.brute(owner);
    const PartList& list = *audited.find(owner, PartKind::edge);
    REQUIRE(list.sums.size() == size_t(edges));
    std::vector<bool> known(size_t(edges), false);
    for (const auto& [edge, key_of] : of.edges) {
      CAPTURE(int(edge));
      known[size_t(edge)] = true;
      BruteAudit one = brute;
      PartSums sums;
      for (size_t r = 0; r < brute.rows.size(); ++r) {
        const int key = key_of(600 - 5 + int(r) / 2);
        if (key >= 600) continue;
        one.rows = {brute.rows[r]}, one.errors = {brute.errors[r]}, one.weights = {brute.weights[r]};
        sums += one.sums([&](const DenseRow& row, int j) {
          return j == key ? row.p[size_t(j)] + row.hidden[size_t(j)] : 0;
        });
      }
      check_same(list.sums[size_t(edge)], sums, squared_errors(brute));
    }
    for (size_t edge = 0; edge < known.size(); ++edge)
      if (!known[edge]) CHECK(list.sums[edge].information == 0);
  }
}

TEST_CASE("audit: all of V is what lies along o") {
  Audited audited("batch_prefill/h=2:1/sq=3/sk=500/d=64/causal=1/scale=0.01", 7);
  audited.got = audited.exact;
  for (double& element : audited.got.output) element *= 1.25;
  const AuditSums sums =
      oracle().audit(audited.c.problem, audited.c.tensors, audited.exact, {}, audited.plain, audited.got);
  for (const AuditOwner& owner : sums.owners) {
    const PartSums& all = audited.find(owner, PartKind::all_values)->sums[0];
    CHECK(all.got / all.information == Approx(0.25).epsilon(1e-9));
    double information = 0; // w |o|^2 = 1 / noise.along
    for (const RowNoise& noise : sums.noise) information += 1 / noise.along;
    CHECK(all.information == Approx(information));
    // A row that is only too long is not to be heard across o.
    for (const PartSums& key : audited.find(owner, PartKind::key)->sums)
      CHECK(std::fabs(key.got) < 1e-3 * key.information);
  }
}

TEST_CASE("audit: the LSE's sums are those of a line through the weights") {
  Audited audited("batch_prefill/h=2:1/sq=6/sk=300/d=64/page=16/causal=1/lse=1/scale=0.05", 8);
  std::mt19937 random(8);
  std::normal_distribution<double> normal;
  for (double& lse : audited.got.lse) lse += 0.01 * normal(random);
  const AuditSums sums =
      oracle().audit(audited.c.problem, audited.c.tensors, audited.exact, {}, audited.plain, audited.got);
  const AuditOwner& owner = sums.owners[0];
  const BruteAudit brute = audited.brute(owner);
  const auto check = [&](const PartList& list, bool scores) {
    REQUIRE(list.lse.size() == list.ends.size());
    for (size_t i = 0; i < list.ends.size(); i += std::max<size_t>(1, list.ends.size() / 30)) {
      CAPTURE(int(list.kind), i);
      double square = 0, first = 0, got = 0, plain = 0, sizes = 0;
      for (size_t r = 0; r < brute.rows.size(); ++r) {
        const double w = 1 / sums.noise[r].lse_variance, exact = audited.exact.lse[r];
        double x = 0;
        for (int key = list.first_key(i); key < list.ends[i]; ++key)
          x += brute.rows[r].p[size_t(key)] * (scores ? brute.rows[r].slope[size_t(key)] : 1);
        square += w * x * x;
        first += w * x;
        got += w * x * (audited.got.lse[r] - exact);
        plain += w * x * (audited.plain.lse[r] - exact);
        sizes += w * std::fabs(x);
      }
      CHECK(list.lse[i].square == Approx(square).epsilon(1e-4));
      CHECK(list.lse[i].first == Approx(first).epsilon(1e-4));
      CHECK(list.lse[i].got == Approx(got).epsilon(1e-4).margin(1e-6 * sizes));
      CHECK(list.lse[i].plain == Approx(plain).epsilon(1e-3).margin(1e-9 * sizes));
      // Half an ulp of fp32 of 8 at least, which is what shifted P are.
      CHECK(list.lse[i].floor >= 0.999 * 8 * std::ldexp(1, -24) * sizes);
    }
  };
  check(owner.buckets[0].tiles, false);
  check(*audited.find(owner, PartKind::key), false);
  check(*audited.find(owner, PartKind::page), false);
  check(*audited.find(owner, PartKind::all_scores), true);
}

TEST_CASE("audit: the noise of a row is that of P's and the output's rounding") {
  // DESIGN.md section 7: sum_j (d p_j)^2 |v_j|^2 / D + mean(ulp^2) / 12, d = 0.00166 of bf16;
  // along o and across it the same with what v_j has there.
  // Scores of fp32 add less than 1e-3 of it here, sums of fp32 as little.
  const Audited audited("batch_prefill/h=2:1/sq=3/sk=500/d=64/causal=1/lse=1/scale=0.01", 9);
  const BruteAudit brute = audited.brute(audited.sums.owners[0]);
  const auto scale = brute.column_scale();
  for (size_t r = 0; r < brute.rows.size(); ++r) {
    const DenseRow& row = brute.rows[r];
    double length = 0, variance = 0, across = 0, along = 0, fourth = 0;
    for (size_t d = 0; d < 64; ++d) length += std::pow(row.o[d] / scale[d], 2);
    for (size_t j = 0; j < brute.values.size(); ++j) {
      double square = 0, whitened = 0, with_o = 0;
      for (size_t d = 0; d < 64; ++d) {
        const double v = brute.values[j][d];
        square += v * v;
        whitened += std::pow(v / scale[d], 2);
        with_o += v / scale[d] * row.o[d] / scale[d];
      }
      with_o /= std::sqrt(length);
      const double error = std::pow(0.0016588 * row.p[j], 2);
      variance += error * square;
      across += error * (whitened - with_o * with_o);
      along += error * with_o * with_o;
      fourth += std::pow(error * (whitened - with_o * with_o), 2);
    }
    double output = 0, output_across = 0, output_along = 0;
    for (size_t d = 0; d < 64; ++d) {
      const double step = std::ldexp(1, std::ilogb(row.o[d]) - 7), of_column = step * step / 12;
      output += of_column;
      output_across += of_column / (scale[d] * scale[d]);
      output_along += of_column / (scale[d] * scale[d]) * std::pow(row.o[d] / scale[d], 2) / length;
    }
    const RowNoise& noise = audited.sums.noise[r];
    CHECK(noise.variance == Approx((variance + output) / 64).epsilon(2e-3));
    CHECK(noise.across == Approx((across + output_across) / 63).epsilon(2e-3));
    CHECK(noise.along == Approx((along + output_along) / length).epsilon(2e-3));
    CHECK(noise.terms == Approx(std::pow(across + output_across - output_along, 2) / fourth).epsilon(0.01));
    CHECK(noise.directions > 40); // of 63
    CHECK(noise.directions <= 63);
    // LSE: 500 sums of fp32 and what a number of about 8 leaves.
    CHECK(std::sqrt(noise.lse_variance) > std::ldexp(8, -24));
    CHECK(std::sqrt(noise.lse_variance) < 5 * std::ldexp(8, -24));
  }
}
