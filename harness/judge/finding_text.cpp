// What a finding says to somebody who writes kernels.
#include "harness/judge/audit_judge.hpp"
#include "interface/operator.hpp"

#include <cmath>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

bool of_scores(PartKind kind) {
  return kind == PartKind::all_scores || kind == PartKind::tile_scores || kind == PartKind::page_scores ||
         kind == PartKind::block_scores;
}

bool hidden(const PartPlace& place) {
  if (place.kind != PartKind::edge) return false;
  const auto edge = static_cast<Edge>(place.column);
  return edge == Edge::behind_last || edge == Edge::before_window || edge == Edge::behind_sinks;
}

// As many digits as the uncertainty leaves.
std::string with_uncertainty(double value, double sigma) {
  const int digits = sigma > 0 ? std::clamp(static_cast<int>(std::ceil(-std::log10(sigma))), 2, 5) : 2;
  return fmt::format("{:.{}f} +- {:.{}f}", value, digits, sigma, digits);
}

std::string effect(const Finding& finding) {
  const double weight = 1 + finding.share, sure = 3 * finding.sigma + finding.floor;
  const char* lse = finding.of_lse ? " in the LSE" : "";
  if (hidden(finding.place))
    return fmt::format("seen{}, {} of its weight", lse, with_uncertainty(finding.share, finding.sigma));
  if (of_scores(finding.place.kind))
    return fmt::format("scores {} times what they should be{}", with_uncertainty(weight, finding.sigma), lse);
  // Left out, a key takes its share of the sum along: -1 / (1 - p).
  const bool single = finding.place.kind == PartKind::key || finding.place.kind == PartKind::edge;
  if (single && finding.share < -0.9 && finding.share > -1.5 - sure && sure < 0.5)
    return fmt::format("missing{}", lse);
  if (finding.of_lse)
    return fmt::format("weighs {} of what it should in the LSE", with_uncertainty(weight, finding.sigma));
  return fmt::format("V weighs {} of what it should", with_uncertainty(weight, finding.sigma));
}

} // namespace

std::string describe(const Problem& problem, const Finding& finding) {
  return fmt::format("{}: {}", problem.op->parts().text(problem, finding.place), effect(finding));
}

} // namespace fmha950::harness
