#include "harness/probe/page_values.hpp"

namespace fmha950::harness {

std::vector<int32_t> columns_of_pages(const std::vector<int32_t>& pages, int columns) {
  std::vector<int32_t> page_of_column;
  for (int column = 0; column < columns; ++column)
    page_of_column.push_back(pages[static_cast<size_t>(column) % pages.size()]);
  return page_of_column;
}

PageValues::PageValues(const Problem& problem, workload::PageAssignment pages,
                       std::vector<int32_t> page_of_column)
    : seed_(problem.seed), page_size_(problem.page_size), pages_(std::move(pages)),
      page_of_column_(std::move(page_of_column)) {}

int32_t PageValues::page_of(int request, int token) const {
  const int page = token / page_size_;
  return request < 0 ? page : pages_.of_request[static_cast<size_t>(request)][static_cast<size_t>(page)];
}

void PageValues::query(int request, int query, int head, std::span<float> row) const {
  workload::fill_normal(row, seed_, {workload::Stream::query, request, query, head});
}

void PageValues::key(int request, int token, int kv_head, std::span<float> row) const {
  workload::fill_normal(row, seed_,
                        {workload::Stream::key, page_of(request, token), token % page_size_, kv_head});
}

void PageValues::value(int request, int token, int kv_head, std::span<float> row) const {
  const int32_t page = page_of(request, token);
  if (page_of_column_.empty())
    return workload::fill_normal(row, seed_, {workload::Stream::value, page, token % page_size_, kv_head});
  for (size_t column = 0; column < row.size(); ++column)
    row[column] = page_of_column_[column] == page ? 1.0f : 0.0f;
}

} // namespace fmha950::harness
