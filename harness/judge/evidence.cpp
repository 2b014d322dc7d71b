#include "harness/judge/evidence.hpp"

#include "interface/operator.hpp"
#include "interface/ulp.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace fmha950::harness {

double share_of(double value, double limit) {
  const double ratio = value == 0 ? 0 : value / limit;
  return std::isnan(ratio) || std::isnan(limit) ? INFINITY : ratio;
}

double largest_share(const std::vector<Limit>& limits) {
  double largest = 0;
  for (const Limit& limit : limits) largest = std::max(largest, share_of(limit.value, limit.limit));
  return largest;
}

std::string describe(const Limit& limit) {
  return fmt::format("{} {:.4g} over its limit {:.4g}{}{}", limit.name, limit.value, limit.limit,
                     limit.where.empty() ? "" : ": ", limit.where);
}

OwnerOfRow::OwnerOfRow(const Evidence& evidence) {
  const Problem& problem = evidence.problem;
  std::map<std::pair<int, int>, const AuditOwner*> by_key;
  for (const AuditOwner& owner : evidence.audit.owners) by_key[{owner.request, owner.kv_head}] = &owner;
  for (const QueryRow& row : evidence.exact.rows)
    for (int head = 0; head < problem.query_heads; ++head)
      owners_.push_back(by_key.at({problem.op->owner_of(row), head / problem.heads_per_kv_head()}));
}

double coherent_share(ElementType type) { return ulp(type, 1) / 2 / (1 + ulp(type, 1) / 2); }

std::string describe_row(const Problem& problem, const std::vector<QueryRow>& rows, size_t place) {
  const auto heads = static_cast<size_t>(problem.query_heads);
  return fmt::format("{}, head {}", problem.op->parts().text_of_row(rows[place / heads]), place % heads);
}

} // namespace fmha950::harness
