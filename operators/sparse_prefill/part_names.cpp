#include "operators/sparse_prefill/definition.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_rows.hpp"

#include <fmt/format.h>

namespace fmha950::operators {
namespace {

std::string row_text(const Problem& problem, int64_t row) {
  const int pool = sparse_lists(problem)->pool_rows;
  return row < pool ? fmt::format("row {} of the pool", row) : fmt::format("row {} of the chunk", row - pool);
}

// Tokens share the rows that several of them list, and have each two lists.
class ListParts : public PartNames {
 public:
  void find(const Problem&, const Tensors& tensors, PartPlace& place) const override {
    if (place.kind != PartKind::key) return;
    const SparseTensors& t = sparse_tensors(tensors);
    const ListedRow listed = TokenLists(t, place.request)[place.first_key];
    place.row = listed.row + (listed.of == &t.pool ? 0 : t.pool.rows());
  }

  bool share(const Problem&, PartPlace& place) const override {
    switch (place.kind) {
    case PartKind::segment:
      place.first_key = place.first_key == 0 ? 0 : 1; // pool, chunk
      return true;
    case PartKind::tile: return true; // of the lists, whatever they name
    case PartKind::page:
    case PartKind::page_scores:
    case PartKind::key:
    case PartKind::tile_scores: place.first_key = 0; return true;
    default: return false;
    }
  }

  std::string text(const Problem& problem, const PartPlace& place) const override {
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

  std::string text_of_keys(const PartPlace& place) const override {
    return fmt::format("positions {} of token {}", numbers_of_keys(place), place.request);
  }
  std::string text_of_row(QueryRow row) const override { return fmt::format("token {}", row.query); }
};

} // namespace

const PartNames& sparse_parts() {
  static const ListParts parts;
  return parts;
}

} // namespace fmha950::operators
