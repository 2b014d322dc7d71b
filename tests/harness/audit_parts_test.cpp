// Parts that several requests, heads or tokens share are added up, so that what none of them shows by itself
// is seen in all of them.
#include "synthetic_audit.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;
using namespace fmha950::harness::test;

namespace {

// 5 sigmas in each of two: 7.07 in both.
const PartSums five_sigmas = part(0.0054, 0.001);
constexpr double both = 0.0054; // the share stays, sigma is 0.001 / sqrt(2)

std::vector<Finding> failed_findings(const SyntheticAudit& sample) {
  std::vector<Finding> findings = sample.judged().findings;
  std::erase_if(findings, [](const Finding& finding) { return finding.z() <= 6; });
  return findings;
}

SyntheticAudit exact_output(int page_size, std::vector<int> keys) {
  SyntheticAudit sample(page_size, std::move(keys));
  sample.problem.output_type = ElementType::fp32; // whose rounding is 6e-8 of a part
  return sample;
}

} // namespace

TEST_CASE("audit: what requests have in common of a KV head") {
  for (const PartKind kind : {PartKind::all_values, PartKind::all_scores}) {
    SyntheticAudit sample = exact_output(16, {128, 96});
    sample.list(0, 1, kind).sums[0] = five_sigmas;
    CHECK(failed_findings(sample).empty());
    sample.list(1, 0, kind).sums[0] = five_sigmas; // of another KV head
    CHECK(failed_findings(sample).empty());
    sample.list(1, 1, kind).sums[0] = five_sigmas;
    const auto findings = failed_findings(sample);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].place.request == -1);
    CHECK(findings[0].place.kv_head == 1);
    CHECK(findings[0].share == Approx(both));
    CHECK(findings[0].sigma == Approx(0.001 / std::sqrt(2)).epsilon(0.001));
  }
}

TEST_CASE("audit: the same edge of every request's mask") {
  SyntheticAudit sample = exact_output(16, {128, 96});
  const auto edge = [&](int request, Edge which) -> PartSums& {
    return sample.list(request, 0, PartKind::edge).sums[static_cast<size_t>(which)];
  };
  edge(0, Edge::behind_last) = edge(1, Edge::before_window) = five_sigmas;
  CHECK(failed_findings(sample).empty());
  edge(1, Edge::behind_last) = five_sigmas;
  REQUIRE(failed_findings(sample).size() == 1);
  CHECK(failed_findings(sample)[0].place.column == static_cast<int>(Edge::behind_last));
}

TEST_CASE("audit: a page that two requests name, whatever its size") {
  // Page 2 of request 0 is page 1 of request 1.
  for (const int size : {1, 16, 64, 128}) {
    CAPTURE(size);
    SyntheticAudit sample = exact_output(size, {4 * size, 3 * size});
    const auto of_page = [&](int request, int kv_head, int number) -> PartSums& {
      if (size == 64) return sample.tiles(request, kv_head).sums[static_cast<size_t>(number)];
      return sample.list(request, kv_head, size == 1 ? PartKind::key : PartKind::page)
          .sums[static_cast<size_t>(number)];
    };
    of_page(0, 1, 2) = of_page(1, 1, 1) = five_sigmas;
    CHECK(failed_findings(sample).empty()); // pages of their own
    sample.page(0, 2) = sample.page(1, 1) = 77;
    const auto findings = failed_findings(sample);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].place.page == 77);
    CHECK(sample.text(findings[0]) ==
          "page 77 (all requests that name it, KV head 1): V weighs 1.0054 +- 0.0007 of what it should");
    of_page(1, 1, 1) = {};
    of_page(1, 0, 1) = five_sigmas; // the same page, another KV head's half of it
    CHECK(failed_findings(sample).empty());
  }
}

TEST_CASE("audit: a page's scores, where a tile is a page") {
  SyntheticAudit sample = exact_output(64, {128, 128});
  for (const int request : {0, 1}) {
    sample.list(request, 0, PartKind::tile_scores).sums[1] = five_sigmas;
    sample.page(request, 1) = 5;
  }
  REQUIRE(failed_findings(sample).size() == 1);
  CHECK(sample.text(failed_findings(sample)[0]) ==
        "page 5 (all requests that name it, KV head 0): scores 1.0054 +- 0.0007 times what they should be");
}

TEST_CASE("audit: a tile or key of two pages is nobody's but its own") {
  SyntheticAudit sample = exact_output(16, {128, 128});
  for (const int request : {0, 1}) {
    sample.tiles(request, 0).sums[1] = five_sigmas;
    sample.list(request, 0, PartKind::key).sums[3] = five_sigmas;
    sample.list(request, 0, PartKind::block_values).sums[70] = five_sigmas;
    for (int page = 0; page < 8; ++page) sample.page(request, page) = page;
  }
  CHECK(failed_findings(sample).empty());
}
