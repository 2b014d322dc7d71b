// Mistakes of known size in an exact result are found where they are and as large as they are, in every form
// of the keys: pages, old tokens and chunk, lists, MX blocks.
#include "interface/case_string.hpp"
#include "interface/implementation.hpp"
#include "interface/ulp.hpp"
#include "numerics/linear_fp8.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace fmha950;

namespace {

struct Case {
  explicit Case(const std::string& text)
      : problem(parse_case(text)), tensors(workload::make_tensors(problem)) {
    for (int request = 0; request < int(problem.requests.size()); ++request) {
      const int queries = problem.requests[size_t(request)].query_length;
      for (int query = std::max(0, queries - 8); query < queries; ++query) rows.push_back({request, query});
    }
    exact = of(tensors);
  }
  AttentionRows of(const Tensors& other, HiddenKeys hidden = {}) const {
    return oracle().exact(problem, other, rows, OracleInput::dequantised, hidden);
  }
  AuditSums audit(AttentionRows got, const ProbabilityRounding& rounding = {}) const {
    if (!problem.lse) got.lse.clear();
    return oracle().audit(problem, tensors, exact, rounding, oracle().plain(problem, tensors, rows, rounding),
                          got);
  }

  Problem problem;
  Tensors tensors;
  std::vector<QueryRow> rows;
  AttentionRows exact;
};

Tensor copy_of(const Tensor& tensor) {
  Tensor copy(tensor.type(), tensor.shape());
  std::memcpy(copy.data(), tensor.data(), tensor.bytes());
  return copy;
}

const PartList& list_of(const AuditOwner& owner, PartKind kind) {
  return kind == PartKind::tile ? owner.buckets[0].tiles
                                : *std::ranges::find(owner.lists, kind, &PartList::kind);
}

double share(const PartSums& sums) { return sums.got / sums.information; }
double z(const PartSums& sums) { return sums.got / std::sqrt(sums.information + sums.own); }
double lse_share(const AuditOwner& owner, const LseSums& part) {
  const double mean = part.first / owner.lse_offset.square;
  return (part.got - mean * owner.lse_offset.got) / (part.square - mean * part.first);
}

// The part that stands out most.
size_t loudest(const PartList& list) {
  const auto by_z = [](const PartSums& a, const PartSums& b) {
    const auto of = [](const PartSums& sums) { return sums.information > 0 ? std::fabs(z(sums)) : 0; };
    return of(a) < of(b);
  };
  return size_t(std::ranges::max_element(list.sums, by_z) - list.sums.begin());
}

// fp32 descales of the page that holds a key, times a factor.
Tensors with_descale(const Case& c, Tensor Tensors::* descale, int key, float factor) {
  Tensors wrong = c.tensors;
  wrong.*descale = copy_of(c.tensors.*descale);
  (wrong.*descale).as<float>()[page_of(c.problem, c.tensors, 0, key) * c.problem.kv_heads] *= factor;
  return wrong;
}

constexpr const char* paged =
    "batch_prefill/h=4:2/sq=64/sk=1024/d=128/q=fp8/kv=fp8/quant=page/lse=1/causal=1/page=";

} // namespace

TEST_CASE("audit defects: V of a page times 1.1") {
  for (const int page : {64, 128}) {
    const Case c(paged + std::to_string(page));
    const AuditSums sums = c.audit(c.of(with_descale(c, &Tensors::v_descale, 512, 1.1f)));
    const AuditOwner& owner = sums.owners[0];
    const PartList& parts = list_of(owner, page == 64 ? PartKind::tile : PartKind::page);
    const auto wrong = size_t(512 / page);
    CHECK(loudest(parts) == wrong);
    CHECK(share(parts.sums[wrong]) == Approx(0.1).epsilon(1e-3)); // it is linear
    // The others are orthogonal to it but for chance.
    for (size_t i = 0; i < parts.sums.size(); ++i)
      if (i != wrong) CHECK(std::fabs(share(parts.sums[i])) < 0.05);
    for (const PartSums& other_head : list_of(sums.owners[1], PartKind::tile).sums)
      CHECK(std::fabs(z(other_head)) < 1e-6);
  }
}

TEST_CASE("audit defects: scores of a page times 1.03") {
  for (const int page : {64, 128}) {
    const Case c(paged + std::to_string(page));
    const AuditSums sums = c.audit(c.of(with_descale(c, &Tensors::k_descale, 512, 1.03f)));
    const PartList& parts =
        list_of(sums.owners[0], page == 64 ? PartKind::tile_scores : PartKind::page_scores);
    const auto wrong = size_t(512 / page);
    CHECK(loudest(parts) == wrong);
    CHECK(share(parts.sums[wrong]) == Approx(0.03).epsilon(0.1)); // to first order
    CHECK(lse_share(sums.owners[0], parts.lse[wrong]) == Approx(0.03).epsilon(0.2));
  }
}

TEST_CASE("audit defects: a key that is left out weighs -1 / (1 - p)") {
  for (const char* text : {"batch_prefill/h=4:2/sq=64/sk=1024/d=128/causal=1/lse=1",
                           "append_prefill/h=4:2/sq=16/sk=400/d=128/causal=1/lse=1"}) {
    CAPTURE(text);
    const Case c(text);
    const int keys = c.problem.requests[0].key_length;
    for (const int key : {3, keys / 2, keys - 70}) { // all seen
      const AuditSums sums = c.audit(c.of(c.tensors, {0, key, key + 1}));
      for (const AuditOwner& owner : sums.owners) {
        const PartList& parts = list_of(owner, PartKind::key);
        CHECK(loudest(parts) == size_t(key));
        CHECK(share(parts.sums[size_t(key)]) == Approx(-1).epsilon(0.05));
        CHECK(share(parts.sums[size_t(key)]) < -1);
        CHECK(lse_share(owner, parts.lse[size_t(key)]) == Approx(-1).epsilon(0.1)); // log(1 - p)
      }
    }
  }
}

TEST_CASE("audit defects: the last visible key of each row, the first hidden one") {
  const Case c("batch_prefill/h=4:2/sq=64/sk=1024/d=128/causal=1/window=700:0/sink=4/scale=0.02");
  const auto neighbour = [&](auto change) {
    Problem other = c.problem;
    change(other);
    const AuditSums sums = c.audit(oracle().exact(other, c.tensors, c.rows, OracleInput::dequantised));
    return list_of(sums.owners[0], PartKind::edge).sums;
  };
  const auto of = [](const std::vector<PartSums>& sums, Edge edge) { return share(sums[size_t(edge)]); };
  const auto less = neighbour([](Problem& p) { --p.window->left; });
  CHECK(of(less, Edge::first_of_window) == Approx(-1).epsilon(0.02));
  CHECK(std::fabs(of(less, Edge::before_window)) < 0.3);
  const auto more = neighbour([](Problem& p) { ++p.window->left; });
  CHECK(of(more, Edge::before_window) == Approx(1).epsilon(0.02)); // 1 / (1 + p)
  const auto sink = neighbour([](Problem& p) { ++p.sink_tokens; });
  CHECK(of(sink, Edge::behind_sinks) == Approx(1).epsilon(0.02));
  const auto right = neighbour([](Problem& p) {
    p.causal = false;
    p.window->right = 1;
  });
  CHECK(of(right, Edge::behind_last) == Approx(1).epsilon(0.02));
  CHECK(of(neighbour([](Problem& p) { p.sink_tokens = 3; }), Edge::last_sink) == Approx(-1).epsilon(0.02));
}

TEST_CASE("audit defects: an E8M0 scale of V, of one column") {
  const Case c("batch_prefill/h=2:1/sq=64/sk=512/d=128/q=fp8/kv=fp8/quant=mx/page=64");
  Tensors wrong = c.tensors;
  wrong.v_descale = copy_of(c.tensors.v_descale);
  const int key = 96, column = 37; // block 3
  ++wrong.v_descale.as<uint8_t>()[size_t((page_of(c.problem, c.tensors, 0, key) * 2 + 1) * 128 + column)];
  const AuditSums sums = c.audit(c.of(wrong), {.type = ElementType::fp8, .shift = 8});
  const PartList& parts = list_of(sums.owners[0], PartKind::block_values);
  REQUIRE(parts.columns == 128);
  CHECK(loudest(parts) == size_t(3 * 128 + column));
  CHECK(share(parts.sums[3 * 128 + column]) == Approx(1).epsilon(0.02));
}

TEST_CASE("audit defects: P that is linear hides no tile that its normal numbers show, on flat rows and on "
          "sharp ones") {
  const ProbabilityRounding linear{.type = ElementType::fp8, .shift = 8, .sum_rounded = true, .linear = true};
  const std::string values = GENERATE("normal", "sharp:2", "sharp:8");
  const Case c("batch_prefill/h=2:1/sq=64/sk=1024/d=128/q=fp8/kv=fp8/quant=tensor/page=64/values=" + values);
  CAPTURE(values);
  Tensors wrong = c.tensors; // one page's V twice as large
  wrong.v_pool = copy_of(c.tensors.v_pool);
  const size_t page = size_t(page_of(c.problem, c.tensors, 0, 512)), bytes = size_t{64} * 128;
  for (size_t i = page * bytes; i < (page + 1) * bytes; ++i) {
    uint8_t& code = wrong.v_pool.as<uint8_t>()[i];
    if ((code & 0x7f) >= 8 && (code & 0x7f) < 0x70) code += 8; // an octave
  }
  // DESIGN.md section 7: beyond six deviations and the largest error of such a P.
  const auto failing = [&](const AttentionRows& got) {
    const AuditSums sums = c.audit(got, linear);
    return std::ranges::count_if(list_of(sums.owners[0], PartKind::tile).sums, [](const PartSums& part) {
      const double sigma = std::sqrt(part.information + part.own) / part.information;
      return part.information > 0 && std::fabs(share(part)) > 6 * sigma + numerics::linear_fp8::bound;
    });
  };
  CHECK(failing(oracle().plain(c.problem, c.tensors, c.rows, linear)) == 0);
  CHECK(failing(oracle().plain(c.problem, wrong, c.rows, linear)) > 0);
}

TEST_CASE("audit defects: an E8M0 scale of K, of 64 keys and 32 columns") {
  const Case c("batch_prefill/h=2:1/sq=64/sk=512/d=128/q=fp8/kv=fp8/quant=mx/page=64/scale=0.02");
  Tensors wrong = c.tensors;
  wrong.k_descale = copy_of(c.tensors.k_descale);
  for (int key = 128; key < 192; ++key)
    ++wrong.k_descale.as<uint8_t>()[size_t((page_of(c.problem, c.tensors, 0, key) * 64 + key % 64) * 4 + 2)];
  const AuditSums sums = c.audit(c.of(wrong), {.type = ElementType::fp8, .shift = 8});
  const PartList& parts = list_of(sums.owners[0], PartKind::block_scores);
  REQUIRE(parts.columns == 4);
  CHECK(loudest(parts) == 2 * 4 + 2);
  // Twice the score is not quite twice the slope.
  CHECK(share(parts.sums[2 * 4 + 2]) == Approx(1).epsilon(0.15));
}

TEST_CASE("audit defects: the old tokens of append_prefill, a row of a list of sparse_prefill") {
  const Case append("append_prefill/h=4:2/sq=16/sk=400/d=128/lse=1");
  Tensors wrong = append.tensors;
  wrong.v_descale = copy_of(append.tensors.v_descale);
  wrong.v_descale.as<float>()[0] *= 1.25f; // a power of two times 5: codes and bf16 products change a little
  const AuditSums sums = append.audit(append.of(wrong));
  const PartList& segments = list_of(sums.owners[0], PartKind::segment);
  REQUIRE(segments.ends == std::vector<int>{384, 400});
  CHECK(share(segments.sums[0]) == Approx(0.25).epsilon(0.01));
  // What is left of 384 of 400 keys across o is the other 16.
  CHECK(loudest(segments) <= 1);

  const Case sparse(
      "sparse_prefill/h=16/n=4/pool=512/chunk=64/kv=bf16/prefix=200,300,100,256/extend=20,0,64,8/"
      "scale=0.01/lse=1");
  Tensors other = sparse.tensors;
  sparse_tensors(other).prefix_indices = copy_of(sparse_tensors(sparse.tensors).prefix_indices);
  const auto ids = sparse_tensors(other).prefix_indices.as<int32_t>();
  const int token = 1, position = 17,
            at = sparse_tensors(other).prefix_indptr.as<int32_t>()[token] + position;
  ids[size_t(at)] = ids[size_t(at) + 1]; // the row after it twice
  const AuditSums listed = sparse.audit(sparse.of(other));
  REQUIRE(listed.owners.size() == 4);
  const PartList& keys = list_of(listed.owners[token], PartKind::key);
  CHECK((loudest(keys) == size_t(position) || loudest(keys) == size_t(position) + 1));
  CHECK(share(keys.sums[size_t(position)]) == Approx(-1).epsilon(0.1));
  CHECK(share(keys.sums[size_t(position) + 1]) == Approx(1).epsilon(0.1));
}

TEST_CASE("audit: rows whose P are all the same round without an error, weighted by descales or not") {
  for (const bool weighted : {false, true}) {
    const Case c("batch_prefill/h=1:1/sq=4/sk=512/d=128/q=fp8/kv=fp8/quant=page/page=64/values=count");
    const AuditSums sums = c.audit(c.exact, {.type = ElementType::fp8, .shift = 8, .weighted = weighted});
    // bf16's output alone: columns count to 4 * 4 or so over 512, an ulp is at most 2^-8 of that.
    for (const RowNoise& noise : sums.noise)
      CHECK(noise.variance <= std::pow(16.0 / 512 / 256, 2) / 12 * 1.01);
  }
}

TEST_CASE("audit: a key that is listed n times is n times as loud, for its copies round alike") {
  const Case once("sparse_prefill/h=16/n=1/pool=512/chunk=1/kv=bf16/prefix=256/extend=0/scale=0.0001");
  const Case often("sparse_prefill/h=16/n=1/pool=32/chunk=1/kv=bf16/prefix=256/extend=0/scale=0.0001");
  const auto variance = [](const Case& c) { // of P's part: the output's is next to nothing in fp8
    const AuditSums sums = c.audit(c.exact, {.type = ElementType::fp8, .shift = 8});
    double sum = 0;
    for (const RowNoise& noise : sums.noise) sum += noise.across;
    return sum / double(sums.noise.size());
  };
  CHECK(variance(often) == Approx(8 * variance(once)).epsilon(0.15));
}

TEST_CASE("audit: where a sink leaves next to nothing to the keys, noise shrinks with what is left") {
  // exp(-60) of P is 1e-26, whose square no fp32 holds.
  Case open("batch_prefill/h=1:1/sq=4/sk=300/d=64/sinklogit=1/lse=1/scale=0.02");
  open.tensors.sink_logit = copy_of(open.tensors.sink_logit);
  open.tensors.sink_logit.as<float>()[0] = -60;
  open.exact = open.of(open.tensors);
  Case closed = open;
  closed.tensors.sink_logit = copy_of(open.tensors.sink_logit);
  closed.tensors.sink_logit.as<float>()[0] = 66;
  closed.exact = closed.of(closed.tensors);
  const AuditSums wide = open.audit(open.of(open.tensors, {0, 100, 101})),
                  small = closed.audit(closed.of(closed.tensors, {0, 100, 101}));
  for (size_t i = 0; i < wide.noise.size(); ++i) {
    const double left = std::exp(open.exact.lse[i] - closed.exact.lse[i]); // P of all keys
    CHECK(left < 1e-25);
    const double ratio = small.noise[i].across / (wide.noise[i].across * left * left);
    CHECK(ratio > 0.4); // bf16's steps are not where they were
    CHECK(ratio < 2.5);
    CHECK(small.noise[i].along == Approx(wide.noise[i].along).epsilon(0.6));
    CHECK(small.noise[i].lse_variance > 0);
  }
  const PartSums &of_wide = list_of(wide.owners[0], PartKind::key).sums[100],
                 &of_small = list_of(small.owners[0], PartKind::key).sums[100];
  CHECK(of_small.information == Approx(of_wide.information).epsilon(0.6));
  CHECK(share(of_wide) == Approx(-1).epsilon(0.02));
  CHECK(share(of_small) == Approx(-1).epsilon(0.02)); // without the key the sink keeps the denominator
  CHECK(std::fabs(share(list_of(small.owners[0], PartKind::key).sums[101])) < 0.2);
}

TEST_CASE("audit: P that is rounded for each scale block errs across o, too") {
  // Two rows of which the first outweighs the second: what is left of the two is all but along o.
  const Case c("sparse_prefill/h=16/n=1/pool=8/chunk=1/kv=fp8/prefix=2/extend=0/scale=0.0442");
  const ProbabilityRounding once{.type = ElementType::fp8, .shift = 8},
      by_block{.type = ElementType::fp8, .shift = 8, .weighted = true};
  const AuditSums of_once = c.audit(c.exact, once), of_blocks = c.audit(c.exact, by_block);
  double largest = 0;
  for (size_t i = 0; i < of_once.noise.size(); ++i)
    largest = std::max(largest, of_blocks.noise[i].across / of_once.noise[i].across);
  CHECK(largest > 1.5);
  // Without scale blocks the two are the same thing.
  const Case pages("batch_prefill/h=2:1/sq=4/sk=300/d=64/kv=fp8/quant=tensor");
  const AuditSums a = pages.audit(pages.exact, once), b = pages.audit(pages.exact, by_block);
  for (size_t i = 0; i < a.noise.size(); ++i)
    CHECK(b.noise[i].across == Approx(a.noise[i].across).epsilon(1e-6));
}

TEST_CASE("audit: a result midway between two numbers may become either, and nothing further off") {
  const Case c("batch_prefill/h=2:2/sq=1/sk=16384/d=128/values=count");
  const auto loudest_with = [&](int steps_further) {
    AttentionRows got = c.exact;
    for (size_t i = 0; i < got.output.size(); ++i) {
      const double step = ulp(ElementType::bf16, got.output[i]), steps = got.output[i] / step;
      CHECK(steps - std::floor(steps) == Approx(0.5).epsilon(1e-4));
      const bool up = i % 128 < 64; // a tile of keys counts in half of the columns
      got.output[i] = step * (up ? std::ceil(steps) + steps_further : std::floor(steps));
    }
    const AuditSums sums = c.audit(got);
    const PartList& tiles = list_of(sums.owners[0], PartKind::tile);
    return std::fabs(z(tiles.sums[loudest(tiles)]));
  };
  CHECK(loudest_with(0) < 6);
  CHECK(loudest_with(1) > 20);
}

TEST_CASE("audit: where values are alike, the noise has as few directions") {
  const ProbabilityRounding fp8{.type = ElementType::fp8, .shift = 8};
  const auto directions = [&](const std::string& values) {
    const Case c("batch_prefill/h=2:1/sq=8/sk=128/d=128/q=fp8/kv=fp8/quant=tensor/values=" + values);
    std::vector<double> of_rows;
    for (const RowNoise& noise : c.audit(c.exact, fp8).noise) of_rows.push_back(noise.directions);
    std::ranges::sort(of_rows);
    return of_rows;
  };
  // N + 1 rows of V, one direction of which is o's: N directions, to a factor of 2.5 (a sample, and the
  // output's rounding).
  const auto eight = directions("alike:16"), two = directions("alike:64");
  CHECK(eight.front() > 7 / 2.5);
  CHECK(eight.back() < 7 * 2.5);
  CHECK(two.front() >= 1);
  CHECK(two.back() < 2.5);
  for (const char* values : {"normal", "mean", "onehot"}) {
    CAPTURE(values);
    CHECK(directions(values).front() > 40);
  }
}

TEST_CASE("audit: what rounding does to values that are alike is within what the noise allows") {
  // Of right results; a limit of three deviations and more is the row judge's.
  const ProbabilityRounding fp8{.type = ElementType::fp8, .shift = 8};
  for (const char* values : {"normal", "onehot", "flat", "alike:1024", "alike:256", "alike:16"}) {
    CAPTURE(values);
    const Case c(std::string("batch_prefill/h=4:1/sq=8/sk=2048/d=128/q=fp8/kv=fp8/quant=tensor/values=") +
                 values);
    const AttentionRows plain = oracle().plain(c.problem, c.tensors, c.rows, fp8);
    const AuditSums sums = c.audit(plain, fp8);
    double squares = 0, variance = 0;
    for (size_t row = 0; row < sums.noise.size(); ++row) {
      double of_row = 0, with_o = 0, length = 0;
      for (size_t d = 0; d < 128; ++d) {
        const double scale = sums.owners[0].column_scale[d], o = c.exact.output[row * 128 + d] / scale;
        const double error = plain.output[row * 128 + d] / scale - o;
        of_row += error * error, with_o += error * o, length += o * o;
      }
      const double across = std::max(0.0, of_row - with_o * with_o / length) / 127,
                   allowed = sums.noise[row].across;
      CHECK(std::sqrt(across / allowed) < std::max(2.5, 6 / std::sqrt(sums.noise[row].freedom())));
      squares += across, variance += allowed;
    }
    CHECK(squares < 2 * variance);
    if (std::string(values) != "flat") CHECK(squares > 0.3 * variance); // which has nothing across o
    for (const AuditOwner& owner : sums.owners)
      for (const PartList& list : owner.lists)
        for (const PartSums& part : list.sums) {
          if (part.information == 0 || list.kind == PartKind::all_values) continue;
          const double sigma =
              std::sqrt(owner.rows_alike() * (part.information + part.own)) / part.information;
          CHECK(std::fabs(part.plain) / part.information <
                7 * sigma * (1 + std::min(1.0, sigma)) + part.floor / part.information + 0.004);
        }
  }
}

TEST_CASE("audit: rows of one Q are as good as one") {
  Case c("batch_prefill/h=8:1/sq=8/sk=1024/d=128/q=fp8/kv=fp8/quant=tensor");
  const ProbabilityRounding fp8{.type = ElementType::fp8, .shift = 8};
  CHECK(c.audit(c.exact, fp8).owners[0].rows_alike() == 1);
  std::byte* const q = c.tensors.q.data();
  for (int row = 1; row < 64; ++row) std::memcpy(q + row * 128, q, 128);
  c.exact = c.of(c.tensors);
  CHECK(c.audit(c.exact, fp8).owners[0].rows_alike() == Approx(64).epsilon(1e-3));
  for (int row = 0; row < 64; row += 2) std::memcpy(q + row * 128, q + 64, 64); // two kinds of rows
  c.exact = c.of(c.tensors);
  CHECK(c.audit(c.exact, fp8).owners[0].rows_alike() == Approx(32).epsilon(0.3));
}

TEST_CASE(
    "audit: an error that a few keys make is made of as few numbers, though none of them is listened to") {
  const Case c("batch_prefill/h=1:1/sq=3/sk=3/d=128/q=fp8/kv=fp8/quant=tensor/causal=1");
  const AuditSums sums = c.audit(c.exact, {.type = ElementType::fp8, .shift = 8});
  CHECK(sums.noise[1].terms < 4); // two keys, and the output's rounding
  CHECK(sums.noise[2].terms < 5);
}
