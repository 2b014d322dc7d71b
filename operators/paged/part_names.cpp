#include "operators/paged/definition.hpp"

namespace fmha950::operators {
namespace {

// Requests share pages.
class PageParts : public PartNames {
 public:
  void find(const Problem& problem, const Tensors& tensors, PartPlace& place) const override {
    if (place.kind != PartKind::edge &&
        place.first_key / problem.page_size == (place.last_key - 1) / problem.page_size)
      place.page = page_of(problem, tensors, place.request, place.first_key);
  }

  // A part that is a whole page, keys and tiles among them, is named by the page.
  bool share(const Problem& problem, PartPlace& place) const override {
    constexpr int tile_keys = 64;
    const bool scores = place.kind == PartKind::tile_scores || place.kind == PartKind::page_scores;
    int keys = problem.page_size;
    switch (place.kind) {
    case PartKind::key: keys = 1; break;
    case PartKind::tile:
    case PartKind::tile_scores: keys = tile_keys; break;
    case PartKind::page:
    case PartKind::page_scores: break;
    default: return false;
    }
    if (keys != problem.page_size || problem.requests.size() < 2) return false;
    place.kind = scores ? PartKind::page_scores : PartKind::page;
    place.first_key = 0;
    return true;
  }
};

} // namespace

const PartNames& paged_parts() {
  static const PageParts parts;
  return parts;
}

} // namespace fmha950::operators
