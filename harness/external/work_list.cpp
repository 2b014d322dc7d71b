#include "harness/external/work_list.hpp"

#include "interface/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace fmha950::harness::external {

void define(const Definitions& definitions, Scope& scope) {
  for (const auto& [name, expression] : definitions) scope.names[name] = expression.value(scope);
}

namespace {

class Maker {
 public:
  Maker(const WorkList& list, std::span<const Expression* const> further, const ListLimits& limits)
      : list_(list), further_(further), limits_(limits) {}

  MadeList make(const Scope& scope) {
    turn(0, scope);
    if (!list_.order.empty()) sort();
    return std::move(made_);
  }

 private:
  void turn(size_t depth, const Scope& scope) {
    if (depth == list_.loops.size()) return entry(scope);
    const Loop& loop = list_.loops[depth];
    Scope inner{.names = {}, .requests = nullptr, .outer = &scope};
    if (loop.over_requests) {
      const std::vector<RequestNames>& requests = *scope.all_requests();
      for (size_t r = 0; r < requests.size(); ++r) {
        count_turn(loop, "requests");
        inner.bind(loop.name, static_cast<int64_t>(r), requests[r]);
        turn(depth + 1, inner);
      }
      return;
    }
    const int64_t first = loop.first.empty() ? 0 : loop.first.integer(scope), end = loop.end.integer(scope);
    for (int64_t i = first; i < end; ++i) {
      count_turn(loop, fmt::format("{} .. {}", first, end));
      inner.names[loop.name] = i;
      turn(depth + 1, inner);
    }
  }

  void count_turn(const Loop& loop, const std::string& over) {
    if (++turns_ > limits_.turns)
      throw InvalidInput(loop.place, fmt::format("{} in {}", loop.name, over),
                         fmt::format("makes list {} take more than {} turns", list_.name, limits_.turns));
  }

  void entry(const Scope& around) {
    Scope scope{.names = {}, .requests = nullptr, .outer = &around};
    define(list_.define, scope);
    if (!list_.where.empty() && !list_.where.truth(scope)) return;
    if (list_.stride > limits_.bytes - made_.bytes.size())
      throw InvalidInput(list_.place, fmt::format("{} entries of {} bytes", made_.length + 1, list_.stride),
                         fmt::format("must have at most {} bytes", limits_.bytes));
    made_.bytes.resize((made_.length + 1) * list_.stride);
    list_.entry.encode(scope, std::span(made_.bytes).subspan(made_.length * list_.stride));
    for (const Expression* each : further_) made_.further.push_back(each->value(scope));
    if (!list_.order.empty()) order_.push_back(list_.order.real(scope));
    ++made_.length;
  }

  void sort() {
    std::vector<size_t> places(made_.length);
    std::iota(places.begin(), places.end(), size_t{0});
    std::ranges::sort(places, {}, [this](size_t place) { return std::pair(order_[place], place); });
    MadeList sorted{.bytes = {}, .length = made_.length, .further = {}};
    for (const size_t place : places) {
      const auto from = made_.bytes.begin() + static_cast<ptrdiff_t>(place * list_.stride);
      sorted.bytes.insert(sorted.bytes.end(), from, from + static_cast<ptrdiff_t>(list_.stride));
      for (size_t i = 0; i < further_.size(); ++i)
        sorted.further.push_back(std::move(made_.further[place * further_.size() + i]));
    }
    made_ = std::move(sorted);
  }

  const WorkList& list_;
  std::span<const Expression* const> further_;
  const ListLimits limits_;
  MadeList made_;
  std::vector<double> order_;
  size_t turns_ = 0;
};

} // namespace

MadeList make_list(const WorkList& list, const Scope& scope, std::span<const Expression* const> further,
                   const ListLimits& limits) {
  return Maker(list, further, limits).make(scope);
}

} // namespace fmha950::harness::external
