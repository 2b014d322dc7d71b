#include "operators/merge/definition.hpp"

#include <fmt/format.h>

namespace fmha950::operators {
namespace {

// All tokens of a head have a part of each number: a call's result.
class PartsOfTokens : public PartNames {
 public:
  bool share(const Problem&, PartPlace& place) const override {
    return place.kind == PartKind::tile || place.kind == PartKind::key;
  }

  std::string text(const Problem&, const PartPlace& place) const override {
    const std::string token = place.request < 0 ? "all tokens" : fmt::format("token {}", place.request);
    const std::string owner = fmt::format("{}, head {}", token, place.kv_head);
    switch (place.kind) {
    case PartKind::all_values:
    case PartKind::all_scores: return fmt::format("all parts ({})", owner);
    case PartKind::edge: return fmt::format("the last part ({})", owner);
    case PartKind::key: return fmt::format("part {} ({})", place.first_key, owner);
    default: return fmt::format("parts from {} on ({})", place.first_key, owner);
    }
  }

  std::string text_of_keys(const PartPlace& place) const override {
    return fmt::format("parts {} of token {}, head {}", numbers_of_keys(place), place.request, place.kv_head);
  }
  std::string text_of_row(QueryRow row) const override { return fmt::format("token {}", row.query); }
};

} // namespace

const PartNames& merge_parts() {
  static const PartsOfTokens parts;
  return parts;
}

} // namespace fmha950::operators
