// Lengths of requests: around every boundary of tiles and pages, and batches whose requests are nothing like
// each other.
#include "harness/probe/kv_form.hpp"
#include "operators/batch_prefill/trials/trials.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace fmha950::harness {

// On, before and behind every boundary.
std::vector<Probe> lengths() {
  std::vector<Probe> probes;
  for (const KvForm& form : kv_forms()) {
    std::vector<Request> keys, queries;
    for (const int length : lengths_around_boundaries(form.page_size)) keys.push_back({3, length});
    for (const int length : lengths_around_boundaries(1)) queries.push_back({length, length + 5});
    probes.push_back(
        small_probe(fmt::format("lengths/keys/{}", text_of(form)),
                    "key lengths around every boundary: the tail of a tile or page must not count",
                    small_problem(form, keys), ValuesOfPage::random));
    probes.push_back(small_probe(fmt::format("lengths/queries/{}", text_of(form)),
                                 "query lengths around every boundary: rows of a tile past the end must not "
                                 "be stored",
                                 small_problem(form, queries), ValuesOfPage::random));
  }
  return probes;
}

std::vector<Probe> contiguous() {
  std::vector<Probe> probes;
  for (const KvForm& form : kv_forms()) {
    if (form.page_size > 64) continue;
    // Behind each request's keys lie NaN to the end of its last page, then the next request's keys.
    Problem problem = small_problem(form, {{3, 1}, {70, 197}, {5, 64}, {40, 130}});
    problem.paged = false;
    probes.push_back(small_probe(fmt::format("contiguous/{}", text_of(form)),
                                 "consecutive pages, read without a table: what lies behind the last key "
                                 "must not count",
                                 problem, ValuesOfPage::random));
  }
  return probes;
}

std::vector<Probe> empty_requests() {
  struct Batch {
    const char* name;
    std::vector<Request> requests;
  };
  const std::vector<Batch> batches = {
      {"no_keys_first", {{6, 0}, {20, 90}, {5, 17}}},
      {"no_keys_between", {{20, 90}, {6, 0}, {7, 0}, {5, 17}}},
      {"no_keys_last", {{20, 90}, {5, 17}, {6, 0}}},
      {"no_keys_at_all", {{6, 0}, {20, 0}}},
      {"no_queries_first", {{0, 40}, {20, 90}, {5, 17}}},
      {"no_queries_between", {{20, 90}, {0, 40}, {0, 0}, {5, 17}}},
      {"no_queries_last", {{20, 90}, {5, 17}, {0, 40}, {0, 0}}},
      {"no_queries_at_all", {{0, 40}, {0, 0}}},
  };
  std::vector<Probe> probes;
  for (const KvForm& form : kv_forms()) {
    if (form.page_size == 1024) continue; // which tokens a page has plays no part
    for (const Batch& batch : batches)
      probes.push_back(small_probe(fmt::format("empty_request/{}/{}", batch.name, text_of(form)),
                                   "a request without keys gives 0 and an LSE of -inf, one without queries "
                                   "nothing, and neither shifts its neighbours",
                                   small_problem(form, batch.requests), ValuesOfPage::constant, {0, 0}));
  }
  return probes;
}

std::vector<Probe> shared_pages() {
  std::vector<Probe> probes;
  for (const KvForm& form : kv_forms()) {
    // A prefix of two pages shared by all, a page twice and three times in a row, the prefix turned round.
    const std::vector<std::vector<int32_t>> lists = {{5, 2, 7}, {5, 2, 9}, {5, 2, 2, 2, 0}, {2, 5}, {9}};
    std::vector<Request> requests;
    for (const auto& list : lists) {
      const int keys = static_cast<int>(list.size()) * form.page_size;
      requests.push_back({std::min(keys, 40), keys});
    }
    probes.push_back(small_probe(fmt::format("shared_pages/{}", text_of(form)),
                                 "pages shared between requests and repeated in one: each use counts, and "
                                 "in its place",
                                 small_problem(form, requests), ValuesOfPage::constant, {0, 0}, lists, 11));
  }
  return probes;
}

std::vector<Probe> uneven_lengths() {
  std::vector<Probe> probes;
  for (const KvForm& form : kv_forms()) {
    std::vector<Request> requests;
    for (int i = 1; i <= 6; ++i) requests.push_back({1 + i % 3, i});
    requests.push_back({70, 1500});
    for (int i = 1; i <= 6; ++i) requests.push_back({i % 4, 2 * i + 3});
    probes.push_back(small_probe(fmt::format("uneven_lengths/{}", text_of(form)),
                                 "one long request between many short ones: work sized or indexed by the "
                                 "longest or the mean goes astray",
                                 small_problem(form, requests), ValuesOfPage::random));
  }
  return probes;
}

} // namespace fmha950::harness
