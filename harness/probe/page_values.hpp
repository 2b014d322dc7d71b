#pragma once
// Values that belong to a page of the pool, not to the request that names it: a page has the same content
// wherever it is named, and another content than every other page.

#include "workload/page_assignment.hpp"
#include "workload/value_source.hpp"

namespace fmha950::harness {

// Columns shared out evenly among the pages: column c belongs to pages[c % n].
std::vector<int32_t> columns_of_pages(const std::vector<int32_t>& pages, int columns);

class PageValues final : public workload::ValueSource {
 public:
  // V is N(0, 1) without `page_of_column`, else 1 in the columns of its page and 0 in the others.
  PageValues(const Problem& problem, workload::PageAssignment pages, std::vector<int32_t> page_of_column);
  void query(int request, int query, int head, std::span<float> row) const override;
  void key(int request, int token, int kv_head, std::span<float> row) const override;
  void value(int request, int token, int kv_head, std::span<float> row) const override;

 private:
  int32_t page_of(int request, int token) const;

  uint64_t seed_;
  int page_size_;
  workload::PageAssignment pages_;
  std::vector<int32_t> page_of_column_;
};

} // namespace fmha950::harness
