// Lengths on, before and behind every boundary of tiles and pages.
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

} // namespace fmha950::harness
