// Page tables whose entries are those of other pages.
#include "harness/sabotage/changed_tensors.hpp"
#include "harness/sabotage/defect.hpp"
#include "interface/operator.hpp"
#include "interface/visibility.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace fmha950::harness {

namespace {

// The next page of the pool that some request has filled.
int32_t next_full_page(const Problem& problem, const Tensors& tensors, int32_t page) {
  const std::set<int32_t> full = full_pages(problem, tensors);
  const auto next = full.upper_bound(page);
  return next == full.end() ? *full.begin() : *next;
}

// The page in which what a judged row sees ends.
int page_at_edge(const SabotagedCase& of, int request) {
  const auto row = std::ranges::find(of.rows, request, &QueryRow::request);
  const Visibility sees =
      visibility_of(of.problem, of.problem.requests[static_cast<size_t>(request)], row->query);
  return static_cast<int>(std::max<int64_t>(sees.end - 1, 0)) / of.problem.page_size;
}

Defect of_entries(std::string kind, const KeyTarget& target, int entry,
                  std::function<void(std::vector<int32_t>&, const Problem&, const Tensors&)> change) {
  return {.kind = std::move(kind),
          .place = fmt::format("entry {} of request {}", entry, target.request),
          .inputs = [=](Problem& problem, Tensors& tensors) {
            auto pages = page_lists(problem, tensors);
            change(pages[static_cast<size_t>(target.request)], problem, tensors);
            set_page_lists(problem, pages, tensors);
          }};
}

} // namespace

std::vector<Defect> wrong_tables(const SabotagedCase& of) {
  std::vector<Defect> defects;
  if (!of.problem.op->facts().pages || !of.problem.paged) return defects;
  std::set<std::pair<int, int>> done; // KV heads share a table
  for (const KeyTarget& target : targets(of, of.problem.page_size)) {
    const int pages = full_pages(of.problem, target.request), entry = target.first / of.problem.page_size;
    if (entry >= pages || pages < 2 || !done.insert({target.request, entry}).second) continue;
    defects.push_back(of_entries("page_id_off_by_one", target, entry,
                                 [=](auto& ids, const Problem& problem, const Tensors& tensors) {
                                   int32_t& id = ids[static_cast<size_t>(entry)];
                                   id = next_full_page(problem, tensors, id);
                                 }));
    // Attention does not know the order of keys that a row sees, so one of the two is at the edge of a mask.
    const int other = std::min(page_at_edge(of, target.request), pages - 1);
    if (other != entry)
      defects.push_back(of_entries("page_ids_swapped", target, entry, [=](auto& ids, auto&, auto&) {
        std::swap(ids[static_cast<size_t>(entry)], ids[static_cast<size_t>(other)]);
      }));
    if (entry + 1 == pages) continue;
    defects.push_back(of_entries("page_ids_one_past", target, entry, [=](auto& ids, auto&, auto&) {
      for (int i = entry; i + 1 < pages; ++i) ids[static_cast<size_t>(i)] = ids[static_cast<size_t>(i) + 1];
    }));
  }
  return defects;
}

} // namespace fmha950::harness
