#include "interface/part_names.hpp"

#include <fmt/format.h>

namespace fmha950 {
namespace {

std::string keys_text(const PartPlace& place) {
  return (place.last_key - place.first_key == 1 ? "key " : "keys ") + numbers_of_keys(place);
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

} // namespace

std::string numbers_of_keys(const PartPlace& place) {
  if (place.last_key - place.first_key == 1) return fmt::format("{}", place.first_key);
  return fmt::format("{}-{}", place.first_key, place.last_key - 1);
}

std::string PartNames::text(const Problem& problem, const PartPlace& place) const {
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

std::string PartNames::text_of_keys(const PartPlace& place) const {
  return fmt::format("keys {} of request {}, KV head {}", numbers_of_keys(place), place.request,
                     place.kv_head);
}

std::string PartNames::text_of_row(QueryRow row) const {
  return fmt::format("request {}, query {}", row.request, row.query);
}

} // namespace fmha950
