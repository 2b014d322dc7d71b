// Lengths on, before and behind every boundary of tiles and pages, with pages and without.
#include "harness/probe/families.hpp"
#include "harness/probe/kv_form.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

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

} // namespace fmha950::harness
