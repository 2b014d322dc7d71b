// What the audit leaves in a record and in the table of `accuracy --audit`: from sums that are easy to check.
#include "harness/judge/audit_parts.hpp"
#include "harness/record/record.hpp"
#include "harness/report/record_table.hpp"

#include "tests/harness/printed.hpp"
#include "tests/support/catch.hpp"
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

TileBucket bucket(int exponent, std::vector<PartSums> tiles) {
  PartList list;
  for (size_t i = 0; i < tiles.size(); ++i) list.ends.push_back(64 * (static_cast<int>(i) + 1));
  list.sums = std::move(tiles);
  return {exponent, list};
}

// Two heads; the second has more keys. Tile 2 of the noisier bucket is seen by nobody.
AuditSums two_owners() {
  AuditSums audit;
  audit.owners.resize(2);
  audit.owners[0].buckets = {bucket(-8, {{.information = 4, .own = 0, .got = 2}})};
  audit.owners[1].buckets = {bucket(-8, {{.information = 12, .own = 9, .got = 2}, {.information = 0}}),
                             bucket(-5, {{.information = 100, .got = -10}})};
  return audit;
}

AuditVerdict verdict() {
  AuditVerdict verdict;
  verdict.parts = 30;
  verdict.keys = 128;
  verdict.failed = 1;
  Finding finding;
  finding.place = {.kind = PartKind::tile, .request = 0, .kv_head = 1, .first_key = 64, .last_key = 128};
  finding.share = 0.1;
  finding.sigma = 0.01;
  finding.text = "keys 64-127: V weighs 1.10 +- 0.01 of what it should";
  verdict.findings = {finding};
  return verdict;
}

} // namespace

TEST_CASE("a curve has of each tile what stands out most of all requests and heads, bucket by bucket") {
  const auto curves = audit_curves(two_owners());
  const std::vector<AuditCurve>& tiles = curves.tiles;
  REQUIRE(tiles.size() == 2);
  CHECK(tiles[0].exponent == -8);
  REQUIRE(tiles[0].share.size() == 2);
  CHECK(tiles[0].share[0] == 0.5); // of 2 / 4 and 2 / 12 with sigmas of 1 / 2 and sqrt(12 + 9) / 12
  CHECK(tiles[0].sigma[0] == 0.5);
  CHECK(std::isnan(tiles[0].share[1])); // nobody sees it: no coefficient, not 0
  CHECK(tiles[1].share == std::vector<double>{-0.1});
  CHECK(curves.scores.share.empty());
}

TEST_CASE("two heads that are wrong by as much in either direction do not cancel") {
  AuditSums audit;
  audit.owners.resize(2);
  for (const double sign : {1.0, -1.0}) {
    AuditOwner& owner = audit.owners[sign > 0 ? 0 : 1];
    const std::vector<PartSums> wrong{{.information = 1e4, .got = sign * (sign > 0 ? 1000 : 1001)}};
    owner.buckets = {bucket(-8, wrong)};
    owner.lists = {{PartKind::tile_scores, {64}, 1, wrong, {}}};
  }
  const AuditCurves curves = audit_curves(audit);
  CHECK(curves.tiles.at(0).share == std::vector<double>{-0.1001});
  CHECK(curves.scores.share == std::vector<double>{-0.1001});
  CHECK(audit_json(nullptr, curves)["scores"]["sigma"].dump() == "[0.01]");
}

TEST_CASE("JSON has findings and curves, and null for tiles that nobody sees") {
  const AuditVerdict of = verdict();
  const auto json = audit_json(&of, audit_curves(two_owners()));
  CHECK(json["parts"] == 30);
  CHECK(json["findings"][0]["z"].get<double>() == Approx(10));
  CHECK(json["findings"][0]["first_key"] == 64);
  CHECK(json["tiles"][0]["noise_exponent"] == -8);
  CHECK(json["tiles"][0]["share"].dump() == "[0.5,null]");
}

TEST_CASE("without a verdict the keys are there, with null") {
  const auto json = audit_json(nullptr, {});
  CHECK(json["parts"].is_null());
  CHECK(json["findings"].empty());
}

TEST_CASE("the table names what stood out") {
  Record record;
  record.accuracy.emplace().verdict.audit = verdict();
  const std::string text = text_of_file([&](std::FILE* out) { AuditTable(out).print(record); });
  CHECK_THAT(text, Catch::Contains("30 parts of 128 keys, 1 failed"));
  CHECK_THAT(text, Catch::Contains("10.0") && Catch::Contains("V weighs 1.10 +- 0.01"));
}
