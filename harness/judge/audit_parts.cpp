#include "harness/judge/audit_parts.hpp"

#include "interface/sparse_rows.hpp"

#include <map>

namespace fmha950::harness {

namespace {

class Parts {
 public:
  Parts(const Evidence& evidence, const std::function<void(const Part&)>& use)
      : evidence_(evidence), problem_(evidence.problem), use_(use) {}

  void visit() {
    for (const AuditGroup& group : evidence_.audit.groups) {
      visit_tiles(group);
      for (const PartList& list : group.lists) visit(group, list);
    }
    for (auto& [key, part] : shared_)
      if (part.groups > 1) use_(part.part);
  }

 private:
  bool sparse() const { return problem_.op == Operator::sparse_prefill; }

  void visit_tiles(const AuditGroup& group) {
    PartList tiles = group.buckets.front().tiles;
    for (size_t b = 1; b < group.buckets.size(); ++b)
      for (size_t i = 0; i < tiles.sums.size(); ++i) {
        tiles.sums[i] += group.buckets[b].tiles.sums[i];
        tiles.lse[i] += group.buckets[b].tiles.lse[i];
      }
    visit(group, tiles);
  }

  void visit(const AuditGroup& group, const PartList& list) {
    const auto columns = static_cast<size_t>(list.columns);
    const double rows_alike = group.rows_alike();
    for (size_t i = 0; i < list.sums.size(); ++i) {
      const size_t range = i / columns;
      Part part;
      part.place = {.kind = list.kind,
                    .request = group.request,
                    .kv_head = group.kv_head,
                    .first_key = list.first_key(range),
                    .last_key = list.ends[range],
                    .column = columns > 1 ? static_cast<int>(i % columns) : -1};
      if (part.place.first_key == part.place.last_key) continue;
      part.sums = list.sums[i];
      part.rows_alike = rows_alike;
      if (!list.lse.empty()) {
        part.lse = list.lse[range];
        part.lse_offset = group.lse_offset;
      }
      find(part.place);
      use_(part);
      share(part);
    }
  }

  // The page, or the listed row, that holds the whole part.
  void find(PartPlace& place) const {
    if (sparse()) {
      if (place.kind != PartKind::key) return;
      const ListedRow listed = TokenLists(evidence_.tensors.sparse, place.request)[place.first_key];
      place.row = listed.row +
                  (listed.of == &evidence_.tensors.sparse.pool ? 0 : evidence_.tensors.sparse.pool.rows());
    } else if (place.kind != PartKind::edge &&
               place.first_key / problem_.page_size == (place.last_key - 1) / problem_.page_size) {
      place.page = page_of(problem_, evidence_.tensors, place.request, place.first_key);
    }
  }

  // Names a part that is a whole page by the page, keys and tiles among them; false for any other part.
  bool make_page(PartPlace& place) const {
    constexpr int tile_keys = 64;
    const bool scores = place.kind == PartKind::tile_scores || place.kind == PartKind::page_scores;
    const int keys = place.kind == PartKind::key ? 1
                     : place.kind == PartKind::tile || place.kind == PartKind::tile_scores
                         ? tile_keys
                         : problem_.page_size;
    if (keys != problem_.page_size || problem_.requests.size() < 2) return false;
    place.kind = scores ? PartKind::page_scores : PartKind::page;
    return true;
  }

  // Adds the part to one of all that share it.
  void share(const Part& part) {
    Part all = part;
    all.place.request = -1;
    switch (part.place.kind) {
    case PartKind::all_values:
    case PartKind::all_scores:
    case PartKind::edge: break;
    case PartKind::segment:
      if (!sparse()) return;
      all.place.first_key = part.place.first_key == 0 ? 0 : 1; // pool, chunk
      break;
    case PartKind::page:
    case PartKind::page_scores:
    case PartKind::key:
    case PartKind::tile:
    case PartKind::tile_scores:
      if (sparse() && part.place.kind == PartKind::tile) break; // of the lists, whatever they name
      if (!sparse() && !make_page(all.place)) return;
      all.place.first_key = all.place.last_key = 0;
      break;
    default: return;
    }
    if (all.place.kind != PartKind::tile) all.place.last_key = 0;
    const PartPlace& place = all.place;
    Shared& shared = shared_[{static_cast<int>(place.kind), place.kv_head, place.first_key, place.column,
                              place.page, place.row}];
    if (shared.groups++ == 0) {
      shared.part = all;
      return;
    }
    shared.part.sums += part.sums;
    shared.part.lse += part.lse;
    shared.part.lse_offset += part.lse_offset;
    shared.part.rows_alike = std::max(shared.part.rows_alike, part.rows_alike);
  }

  struct Shared {
    Part part;
    int groups = 0;
  };
  using Key = std::tuple<int, int, int, int, int64_t, int64_t>;

  const Evidence& evidence_;
  const Problem& problem_;
  const std::function<void(const Part&)>& use_;
  std::map<Key, Shared> shared_;
};

} // namespace

int64_t keys_to_audit(const Problem& problem, const Tensors& tensors) {
  int64_t keys = 0;
  if (problem.op == Operator::sparse_prefill) {
    for (int token = 0; token < problem.total_queries(); ++token)
      keys += TokenLists(tensors.sparse, token).size();
    return keys;
  }
  for (const Request& request : problem.requests)
    if (request.query_length > 0) keys += request.key_length;
  return keys * problem.kv_heads;
}

void for_each_part(const Evidence& evidence, const std::function<void(const Part&)>& use) {
  Parts(evidence, use).visit();
}

} // namespace fmha950::harness
