// Pages of append_prefill beyond byte 2^32 of a pool.
#include "harness/probe/append_form.hpp"
#include "harness/probe/families.hpp"
#include "harness/probe/kv_form.hpp"

#include <fmt/format.h>

namespace fmha950::harness {

std::vector<Probe> append_page_ids() {
  const AppendForm form = {PageTable::sglang, 1024, ElementType::bf16, 128};
  Problem problem = append_problem(form, {{9, 1030}, {5, 5}});
  problem.query_heads = problem.kv_heads = 8; // a page is 1 MiB
  constexpr int64_t pool_pages = 5000;
  // Page 1 is page 4097 modulo 2^32 bytes.
  return {
      small_probe(fmt::format("append_page_ids/{}", text_of(form)),
                  "a page's place in the pool that does not fit 32 bits, where it is read and where it is "
                  "written",
                  problem, ValuesOfPage::random, {}, {{4097, 1}, {4999}}, pool_pages)};
}

} // namespace fmha950::harness
