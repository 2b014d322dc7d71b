// What a finding says to somebody who writes kernels.
#include "harness/judge/audit_judge.hpp"

#include <cmath>
#include <fmt/format.h>

namespace fmha950::harness {

namespace {

std::string keys_text(const PartPlace& place) {
  if (place.last_key - place.first_key == 1) return fmt::format("key {}", place.first_key);
  return fmt::format("keys {}-{}", place.first_key, place.last_key - 1);
}

std::string owner_text(const PartPlace& place) {
  if (place.request < 0)
    return place.kv_head < 0 ? "all requests" : fmt::format("all requests, KV head {}", place.kv_head);
  if (place.page >= 0)
    return fmt::format("page {} of request {}, KV head {}", place.page, place.request, place.kv_head);
  return fmt::format("request {}, KV head {}", place.request, place.kv_head);
}

std::string edge_text(Edge edge) {
  switch (edge) {
  case Edge::last_visible: return "the last visible key of each row";
  case Edge::behind_last: return "the first hidden key behind each row's last";
  case Edge::first_of_window: return "the first key of each row's window";
  case Edge::before_window: return "the hidden key before each row's window";
  case Edge::last_sink: return "the last sink token";
  case Edge::behind_sinks: return "the hidden key behind the sink tokens";
  }
  return "";
}

std::string place_of_pages(const Problem& problem, const PartPlace& place) {
  const std::string owner = owner_text(place);
  switch (place.kind) {
  case PartKind::all_values:
  case PartKind::all_scores: return fmt::format("all keys ({})", owner);
  case PartKind::edge: return fmt::format("{} ({})", edge_text(static_cast<Edge>(place.column)), owner);
  case PartKind::segment:
    return fmt::format("{}: {} ({})", place.first_key == 0 ? "old tokens" : "the chunk", keys_text(place),
                       owner);
  case PartKind::page:
  case PartKind::page_scores:
    if (place.request < 0)
      return fmt::format("page {} (all requests that name it, KV head {})", place.page, place.kv_head);
    break;
  case PartKind::key: {
    const int keys = problem.requests[static_cast<size_t>(place.request)].key_length;
    if (place.first_key == keys - 1) return fmt::format("key {}, the last one ({})", place.first_key, owner);
    break;
  }
  case PartKind::block_values:
    return fmt::format("{}, column {} ({})", keys_text(place), place.column, owner);
  case PartKind::block_scores:
    return fmt::format("{}, columns {}-{} of K ({})", keys_text(place), 32 * place.column,
                       32 * place.column + 31, owner);
  default: break;
  }
  return fmt::format("{} ({})", keys_text(place), owner);
}

std::string row_text(const Problem& problem, int64_t row) {
  const int pool = problem.sparse->pool_rows;
  return row < pool ? fmt::format("row {} of the pool", row) : fmt::format("row {} of the chunk", row - pool);
}

std::string place_in_lists(const Problem& problem, const PartPlace& place) {
  const std::string token = place.request < 0 ? "all tokens" : fmt::format("token {}", place.request);
  switch (place.kind) {
  case PartKind::all_values:
  case PartKind::all_scores: return fmt::format("all rows of the lists ({})", token);
  case PartKind::edge: return fmt::format("the last row of each list ({})", token);
  case PartKind::segment:
    return fmt::format("rows of the {} ({})", place.first_key == 0 ? "pool" : "chunk", token);
  case PartKind::key:
    if (place.request < 0) return fmt::format("{} (all tokens that list it)", row_text(problem, place.row));
    return fmt::format("{} ({}, position {})", row_text(problem, place.row), token, place.first_key);
  default:
    return fmt::format("positions {}-{} of the lists ({})", place.first_key, place.last_key - 1, token);
  }
}

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
  const std::string place =
      problem.sparse ? place_in_lists(problem, finding.place) : place_of_pages(problem, finding.place);
  return fmt::format("{}: {}", place, effect(finding));
}

} // namespace fmha950::harness
