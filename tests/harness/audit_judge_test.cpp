// The audit's judge on sums by hand: what a share is, what it may be, and which parts belong together.
#include "synthetic_audit.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::harness::test;

namespace {

constexpr double bf16_output = 1.0 / 257; // all elements of a row rounded the same way

bool passes(const SyntheticAudit& sample) {
  const AuditVerdict verdict = sample.judged();
  CHECK(verdict.passed() == verdict.limit().holds());
  return verdict.passed();
}

// With sums_of(share) in one tile: passes just below the limit, fails just above it, of either sign.
template <class Sums> void fails_above(double limit, const Sums& sums_of) {
  for (const double sign : {1.0, -1.0}) {
    CAPTURE(limit, sign);
    SyntheticAudit sample(16, {128});
    sample.tiles(0, 1).sums[1] = sums_of(sign * limit * 0.9999);
    CHECK(passes(sample));
    sample.tiles(0, 1).sums[1] = sums_of(sign * limit * 1.0001);
    CHECK_FALSE(passes(sample));
  }
}

// The same for the LSE: x = 1 of half the weight, offset of all of it,
// so that mean = 0.5 and left = 0.5 n - 0.5 * 0.5 n = n / 4.
LseSums line(double share, double n, double floor = 0, double plain = 0) {
  return {
      .square = n / 2, .first = n / 2, .floor = floor * n / 4, .plain = plain * n / 4, .got = share * n / 4};
}

} // namespace

TEST_CASE("audit: a part fails above 6 sigma and the floor") {
  // sigma = 0.01, as the judge takes it 0.0101.
  fails_above(6 * 0.0101 + bf16_output, [](double share) { return part(share, 0.01); });
  // The rounding of the part's own P: sigma = sqrt(1e4 + 3e4) / 1e4 = 0.02, taken as 0.0204.
  fails_above(6 * 0.0204 + bf16_output, [](double share) {
    PartSums sums = part(share, 0.01);
    sums.own = 3e4;
    return sums;
  });
  fails_above(6 * 0.0101 + bf16_output + 0.05, [](double share) { return part(share, 0.01, 0.05); });
  // What the plain implementation has there, of either sign, is allowed.
  for (const double plain : {0.03, -0.03})
    fails_above(6 * 0.0101 + bf16_output + 0.03, [=](double share) { return part(share, 0.01, 0, plain); });
  // A part that could be missing unseen: sigma = 2 counts twice.
  fails_above(6 * 4 + bf16_output, [](double share) { return part(share, 2); });
}

TEST_CASE("audit: figures of a finding") {
  SyntheticAudit sample(16, {128});
  sample.tiles(0, 1).sums[1] = part(0.1, 0.01, 0.02, -0.03);
  const AuditVerdict verdict = sample.judged();
  REQUIRE(verdict.worst);
  const Finding& finding = *verdict.worst;
  CHECK(finding.place.kind == PartKind::tile);
  CHECK(finding.place.request == 0);
  CHECK(finding.place.kv_head == 1);
  CHECK(finding.place.first_key == 64);
  CHECK(finding.place.last_key == 128);
  CHECK_FALSE(finding.of_lse);
  CHECK(finding.share == Approx(0.1));
  CHECK(finding.sigma == Approx(0.0101));
  CHECK(finding.floor == Approx(0.02 + bf16_output));
  CHECK(finding.plain == Approx(-0.03));
  CHECK(finding.allowed() == Approx(6 * 0.0101 + 0.02 + bf16_output + 0.03));
  CHECK(finding.z() == Approx((0.1 - 0.02 - bf16_output - 0.03) / 0.0101));
  CHECK(verdict.parts == 1); // all others say nothing
}

TEST_CASE("audit: tiles of all buckets of noise are one part") {
  SyntheticAudit sample(16, {128});
  sample.owner(0, 0).buckets.push_back(sample.owner(0, 0).buckets[0]);
  sample.owner(0, 0).buckets[1].exponent = 1;
  // Two times z = 6 / 1.4 of 0.01: together sigma is 0.01 / sqrt(2).
  for (TileBucket& bucket : sample.owner(0, 0).buckets) bucket.tiles.sums[0] = part(0.055, 0.01);
  CHECK_FALSE(passes(sample));
  sample.owner(0, 0).buckets[1].tiles.sums[0] = {};
  CHECK(passes(sample));
}

TEST_CASE("audit: a part's weight in the LSE is the slope of a line") {
  SyntheticAudit sample(16, {128});
  const double n = 4e4; // sigma = 1 / sqrt(n / 4) = 0.01
  AuditOwner& owner = sample.owner(0, 0);
  owner.lse_offset = {.square = n, .first = n, .floor = 0, .plain = 0, .got = 0};
  LseSums& lse = sample.tiles(0, 0).lse[0];
  for (const double sign : {1.0, -1.0}) {
    lse = line(sign * 6 * 0.0101 * 0.9999, n);
    CHECK(passes(sample));
    lse = line(sign * 6 * 0.0101 * 1.0001, n);
    CHECK_FALSE(passes(sample));
    CHECK(sample.judged().worst->of_lse);
    lse = line(sign * (6 * 0.0101 + 0.02 + 0.03) * 0.9999, n, 0.02, 0.03);
    CHECK(passes(sample));
    lse = line(sign * (6 * 0.0101 + 0.02 + 0.03) * 1.0001, n, 0.02, 0.03);
    CHECK_FALSE(passes(sample));
  }
  // An offset b of every row's LSE: sum w x e = b n / 2 of the part, b n of all. No part is to blame.
  owner.lse_offset.got = 5 * n;
  lse = line(0, n);
  lse.got = 5 * n / 2;
  CHECK(passes(sample));
  // A part that every row has to the same share is such an offset.
  lse = {.square = n / 4, .first = n / 2, .floor = 0, .plain = 0, .got = 5 * n / 2};
  CHECK(sample.judged().parts == 0);
}

TEST_CASE("audit: where plain's shares scatter more than the model says, sigma is as much larger") {
  SyntheticAudit sample(16, {1024});
  std::vector<PartSums>& tiles = sample.tiles(0, 0).sums;
  REQUIRE(tiles.size() == 16);
  const double plain = 0.003 + bf16_output, sigma = 0.001 * 1.001; // three sigmas more than the floor
  const auto fill = [&](size_t count) {
    for (size_t i = 0; i < count; ++i) tiles[i] = part(0, 0.001, 0, i % 2 == 0 ? plain : -plain);
  };
  fill(16);
  CHECK(sample.judged().inflation == Approx(3));
  const double allowed = plain + bf16_output + 6 * 3 * sigma;
  tiles[15] = part(allowed * 0.9999, 0.001, 0, plain);
  CHECK(passes(sample));
  tiles[15] = part(allowed * 1.0001, 0.001, 0, plain);
  CHECK_FALSE(passes(sample));
  // Of keys it is another one; of all of V and all scores the larger.
  PartSums& key = sample.list(0, 0, PartKind::key).sums[0];
  fill(16);
  key = part(6 * sigma * 1.001 + bf16_output, 0.001);
  CHECK_FALSE(passes(sample));
  key = {};
  sample.list(0, 0, PartKind::all_values).sums[0] = part(17 * sigma + bf16_output, 0.001);
  CHECK(passes(sample));
  // What a floor explains is no scatter.
  sample.list(0, 0, PartKind::all_values).sums[0] = {};
  for (PartSums& tile : tiles) tile = part(0, 0.001, 0.5, 0.4);
  CHECK(sample.judged().inflation == 1);
  // Fewer than eight parts scatter by chance.
  std::ranges::fill(tiles, PartSums{});
  fill(7);
  CHECK(sample.judged().inflation == 1);
}

TEST_CASE("audit: rows that round alike are as good as one") {
  AuditOwner owner;
  CHECK(owner.rows_alike() == 1); // no row
  owner.sum_of_errors.assign(128, 0);
  owner.erring_rows = 64;
  CHECK(owner.rows_alike() == 1);
  // 64 rows of length 1 in 16 directions, four of each: the sum's square is 16 * 4^2.
  for (size_t column = 0; column < 16; ++column) owner.sum_of_errors[column] = 4;
  CHECK(owner.rows_alike() == Approx(4));
  // 1 + 4 sqrt(2 / 128) = 1.5 is what rows that have nothing in common may make by chance.
  for (const auto& [square, alike] : {std::pair(1.49, 1.0), {1.51, 1.51}}) {
    owner.sum_of_errors.assign(128, std::sqrt(square * 64 / 128));
    CHECK(owner.rows_alike() == Approx(alike));
  }
  // Nine rows alike: sigma counts threefold.
  const auto fails = [](double share) {
    SyntheticAudit sample(16, {128});
    sample.tiles(0, 1).sums[1] = part(share, 0.01);
    for (AuditOwner& one : sample.audit.owners) {
      one.erring_rows = 9;
      one.sum_of_errors[0] = 9;
    }
    return !passes(sample);
  };
  CHECK_FALSE(fails(6 * 0.03 * 1.03 * 0.9999 + bf16_output));
  CHECK(fails(6 * 0.03 * 1.03 * 1.0001 + bf16_output));
}

TEST_CASE("audit: keys that no judged row sees are counted") {
  SyntheticAudit sample(16, {100, 28});
  CHECK(sample.judged().keys == 2 * 128);
  CHECK(sample.judged().not_audited == 2 * 128);
  CHECK(sample.judged().passed());
  for (size_t key = 0; key < 90; ++key) sample.list(0, 1, PartKind::key).sums[key] = part(0, 0.1);
  CHECK(sample.judged().not_audited == 2 * 128 - 90);
  // A request without a judged row has no owner.
  sample.problem.requests.push_back({1, 1000});
  CHECK(sample.judged().keys == 2 * 1128);
  CHECK(sample.judged().not_audited == 2 * 1128 - 90);
  sample.problem.requests.push_back({0, 1000}); // nobody asks for its keys
  CHECK(sample.judged().keys == 2 * 1128);
}

TEST_CASE("audit: findings are the strongest first, of the same keys only the strongest") {
  SyntheticAudit sample(16, {256});
  sample.tiles(0, 0).sums[0] = part(0.5, 0.01);                       // keys 0-63
  sample.list(0, 0, PartKind::page).sums[2] = part(0.9, 0.01);        // keys 32-47: says more
  sample.list(0, 0, PartKind::key).sums[40] = part(0.3, 0.01);        // one of these
  sample.list(0, 0, PartKind::key).sums[100] = part(0.2, 0.01);       // another
  sample.list(0, 1, PartKind::key).sums[40] = part(0.1, 0.01);        // of another KV head
  sample.list(0, 0, PartKind::all_values).sums[0] = part(0.25, 0.01); // everywhere, which is nowhere
  const AuditVerdict verdict = sample.judged();
  CHECK(verdict.failed == 6);
  REQUIRE(verdict.findings.size() == 4);
  CHECK(verdict.findings[0].place.first_key == 32);
  CHECK(verdict.findings[1].place.kind == PartKind::all_values);
  CHECK(verdict.findings[2].place.first_key == 100);
  CHECK(verdict.findings[3].place.kv_head == 1);
  CHECK(verdict.worst->place.first_key == 32);
  // The worst takes most of what it is allowed, and has not the largest z: 0.9 / 0.606 against 0.2 / 0.0107.
  sample = SyntheticAudit(16, {256});
  sample.tiles(0, 0).sums[0] = part(0.05, 0.001);
  sample.list(0, 0, PartKind::key).sums[100] = part(0.5, 0.001, 0.4);
  CHECK(sample.judged().worst->place.kind == PartKind::tile);
  CHECK(sample.judged().findings[0].place.kind == PartKind::key);
}

TEST_CASE(
    "audit: of what V and what scores would do to the same keys, what explains the errors best is named") {
  SyntheticAudit sample(16, {256});
  // z of 9.9 and 8.7, but 100 against 144 sigmas of the rows' noise: own rounding hides more of the scores.
  sample.tiles(0, 0).sums[1] = part(0.104, 0.01);
  PartSums scores = part(0.12, 0.01);
  scores.own = 0.3e4;
  sample.list(0, 0, PartKind::tile_scores).sums[1] = scores;
  CHECK(sample.judged().findings.at(0).place.kind == PartKind::tile_scores);
  CHECK(sample.judged().worst->place.kind == PartKind::tile_scores);
  CHECK(sample.judged().failed == 2);
  // What does not fail explains nothing, however much it would.
  sample.list(0, 0, PartKind::tile_scores).sums[1] = part(0.12, 0.01, 0.12);
  CHECK(sample.judged().findings.at(0).place.kind == PartKind::tile);
  // Nor do other keys.
  sample.list(0, 0, PartKind::tile_scores).sums[1] = {};
  sample.list(0, 0, PartKind::tile_scores).sums[2] = part(0.5, 0.02);
  sample.tiles(0, 0).sums[1] = part(0.3, 0.01);
  CHECK(sample.judged().findings.at(0).place.kind == PartKind::tile);
}

TEST_CASE("audit: sums that are no numbers fail") {
  SyntheticAudit sample(16, {128});
  sample.tiles(0, 0).sums[0] = part(0.001, 0.01);
  sample.list(0, 0, PartKind::key).sums[3] = part(std::numeric_limits<double>::quiet_NaN(), 0.01);
  CHECK_FALSE(passes(sample));
  sample.tiles(0, 0).sums[0] = part(std::numeric_limits<double>::quiet_NaN(), 0.01);
  sample.list(0, 0, PartKind::key).sums[3] = part(0.001, 0.01);
  CHECK_FALSE(passes(sample));
}
