#pragma once
// Sums of an audit by hand: owners of requests and KV heads whose parts say nothing until a test gives them
// sums, and the page tables that place them.

#include "harness/judge/audit_judge.hpp"
#include "tests/harness/synthetic_evidence.hpp"

#include <algorithm>

namespace fmha950::harness::test {

struct SyntheticAudit : SyntheticEvidence {
  // Requests of these key lengths and two KV heads. Page n of a request is page 10 n + its number, unless a
  // test makes a table of its own.
  SyntheticAudit(int page_size, std::vector<int> key_lengths) : SyntheticEvidence(2) {
    audit.owners.clear();
    for (AttentionRows* rows : {&exact, &plain, &got}) rows->rows.resize(1); // of two heads
    problem.page_size = page_size;
    problem.query_heads = problem.kv_heads = 2;
    problem.requests.clear();
    for (const int keys : key_lengths) problem.requests.push_back({1, keys});
    tensors.kv_indptr = Tensor(ElementType::int32, {int64_t(key_lengths.size()) + 1});
    std::vector<int32_t> pages;
    for (int request = 0; request < int(key_lengths.size()); ++request) {
      for (int page = 0; page < problem.pages_of(problem.requests[size_t(request)]); ++page)
        pages.push_back(10 * page + request);
      tensors.kv_indptr.as<int32_t>()[request + 1] = int32_t(pages.size());
      for (int kv_head = 0; kv_head < 2; ++kv_head) add_owner(request, kv_head);
    }
    tensors.kv_page_indices = Tensor(ElementType::int32, {int64_t(pages.size())});
    std::ranges::copy(pages, tensors.kv_page_indices.as<int32_t>().begin());
  }

  int32_t& page(int request, int number) {
    return tensors.kv_page_indices.as<int32_t>()[tensors.kv_indptr.as<int32_t>()[request] + number];
  }
  AuditOwner& owner(int request, int kv_head) {
    return *std::ranges::find_if(audit.owners, [&](const AuditOwner& one) {
      return one.request == request && one.kv_head == kv_head;
    });
  }
  PartList& tiles(int request, int kv_head) { return owner(request, kv_head).buckets[0].tiles; }
  PartList& list(int request, int kv_head, PartKind kind) {
    return *std::ranges::find(owner(request, kv_head).lists, kind, &PartList::kind);
  }

  AuditVerdict judged() const { return judge_audit(evidence()); }
  std::string text(const Finding& finding) const { return describe(problem, finding); }
  // Of the strongest finding.
  std::string text() const { return text(judged().findings.at(0)); }

 private:
  static PartList part_list(PartKind kind, int keys, int width, int columns = 1) {
    PartList list{kind, {}, columns, {}, {}};
    for (int first = 0; first < keys; first += width) list.ends.push_back(std::min(keys, first + width));
    list.sums.resize(list.ends.size() * size_t(columns));
    if (columns == 1) list.lse.resize(list.ends.size());
    return list;
  }

  void add_owner(int request, int kv_head) {
    const int keys = problem.requests[size_t(request)].key_length;
    AuditOwner owner{.request = request,
                     .kv_head = kv_head,
                     .rows = 1,
                     .keys = keys,
                     .buckets = {},
                     .lists = {},
                     .column_scale = std::vector<float>(columns, 1),
                     .lse_offset = {},
                     .sum_of_errors = std::vector<double>(columns, 0)};
    owner.buckets.push_back({0, part_list(PartKind::tile, keys, 64)});
    for (const PartKind whole : {PartKind::all_values, PartKind::all_scores})
      owner.lists.push_back(part_list(whole, keys, keys));
    if (problem.page_size != 1 && problem.page_size != 64)
      owner.lists.push_back(part_list(PartKind::page, keys, problem.page_size));
    owner.lists.push_back(part_list(PartKind::tile_scores, keys, 64));
    owner.lists.push_back(part_list(PartKind::key, keys, 1));
    owner.lists.push_back(part_list(PartKind::block_values, keys, 32, 64));
    owner.lists.push_back(part_list(PartKind::block_scores, keys, 64, 2));
    owner.lists.push_back(part_list(PartKind::edge, keys, keys, edges));
    audit.owners.push_back(std::move(owner));
  }
};

// A part whose share has this sigma if its own rounding is nothing: 1 / sqrt(information). The judge takes
// sigma (1 + sigma), because parts this quiet are many.
inline PartSums part(double share, double sigma, double floor = 0, double plain = 0) {
  const double information = 1 / (sigma * sigma);
  return {.information = information,
          .own = 0,
          .floor = floor * information,
          .plain = plain * information,
          .got = share * information};
}

} // namespace fmha950::harness::test
