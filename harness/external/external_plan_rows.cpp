// Which rows the workgroups of a plan compute, and where partial results of rows lie.
#include "harness/external/external_plan.hpp"
#include "harness/external/integer_table.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <array>
#include <fmt/ranges.h>
#include <set>

namespace fmha950::harness::external {

int64_t ExternalPlan::integer_of(const Expression& expression, const Value& value) {
  if (const int64_t* const integer = std::get_if<int64_t>(&value)) return *integer;
  expression.fail(1, text_of(value), "must be an integer");
}

uint32_t ExternalPlan::cost_of(const Expression& expression, const Value& value) {
  const int64_t cost = integer_of(expression, value);
  if (cost < 0 || cost > UINT32_MAX) expression.fail(1, text_of(value), "must be from 0 to 2^32 - 1");
  return static_cast<uint32_t>(cost);
}

void ExternalPlan::find_rows(Launch& launch, const Scope& scope) {
  const RowsForm& form = launch.form->rows;
  switch (form.of) {
  case RowsForm::Of::all: return;
  case RowsForm::Of::grid: rows_of_grid(launch, scope); break;
  case RowsForm::Of::list: {
    launch.rows = std::move(listed_rows_[launch.form]); // none of an empty list
    launch.cost = std::move(listed_costs_[launch.form]);
    break;
  }
  case RowsForm::Of::planner: {
    const std::string place = launch.form->place + ".rows.planned";
    const Array& planned = planned_.at(form.list);
    std::vector<const char*> columns = {"workgroup", "request", "first query", "count"};
    const bool of_heads =
        planned.shape.size() == 2 && planned.shape[1] > static_cast<int64_t>(columns.size());
    if (of_heads) columns.push_back("head");
    const IntegerTable table(place, form.list, planned, columns);
    for (size_t i = 0; i < table.rows(); ++i)
      launch.rows.push_back({table.at(i, 0), table.at(i, 1), table.at(i, 2), table.at(i, 3),
                             of_heads ? table.at(i, 4) : 0, of_heads});
    break;
  }
  }
  require_rows(launch);
}

ExternalPlan::WorkgroupRows ExternalPlan::rows_of(size_t workgroup, const RowsForm& form,
                                                  std::span<const Value> values) {
  const std::vector<const Expression*> asked = form.all();
  const auto at = [&](size_t i) { return integer_of(*asked[i], values[i]); };
  const int64_t heads = form.head.empty() ? 0 : form.heads.empty() ? 1 : at(4);
  return {static_cast<int64_t>(workgroup), at(0), at(1), at(2), form.head.empty() ? 0 : at(3), heads};
}

// Each workgroup has rows, and they are of requests and heads that there are.
void ExternalPlan::require_rows(const Launch& launch) const {
  const std::string place = launch.form->place + ".rows";
  const auto requests = static_cast<int64_t>(problem_.requests.size());
  std::vector<bool> known(launch.workgroups());
  for (size_t i = 0; i < launch.rows.size(); ++i) {
    const WorkgroupRows& rows = launch.rows[i];
    if (rows.request < 0 || rows.request >= requests)
      throw InvalidInput(fmt::format("{}, entry {}", place, i), fmt::format("request {}", rows.request),
                         fmt::format("must be from 0 to {}", requests - 1));
    if (rows.workgroup < 0 || static_cast<size_t>(rows.workgroup) >= known.size())
      throw InvalidInput(fmt::format("{}, entry {}", place, i), fmt::format("workgroup {}", rows.workgroup),
                         fmt::format("must be from 0 to {}, in the launch's grid", known.size() - 1));
    // Rows past the request's end are nobody's, as in a last tile, or in a grid for the longest request.
    if (rows.first < 0 || rows.count < 0)
      throw InvalidInput(fmt::format("{}, entry {}", place, i),
                         fmt::format("queries from {} on, {} of them", rows.first, rows.count),
                         "must begin at 0 or behind it, and be 0 or more");
    if (rows.head < 0 || rows.heads < 0 || rows.head > problem_.query_heads ||
        rows.heads > problem_.query_heads - rows.head)
      throw InvalidInput(fmt::format("{}, entry {}", place, i),
                         fmt::format("heads from {} on, {} of them", rows.head, rows.heads),
                         fmt::format("must be of the {} query heads", problem_.query_heads));
    known[static_cast<size_t>(rows.workgroup)] = true;
  }
  const auto missing = std::ranges::find(known, false);
  if (missing != known.end())
    throw InvalidInput(place, fmt::format("nothing of workgroup {}", missing - known.begin()),
                       fmt::format("must have an entry for each of the grid's {} workgroups", known.size()));
  if (std::ranges::any_of(launch.rows, [](const WorkgroupRows& rows) { return rows.heads != 0; }))
    require_heads(launch);
}

// What a launch computes of one head it computes of all: a grid that leaves some out would else show as elements that nobody
// has written. Judges ask for rows, of every head.
void ExternalPlan::require_heads(const Launch& launch) const {
  using Queries = std::vector<std::array<int64_t, 3>>; // request, first, end
  std::vector<Queries> computed(static_cast<size_t>(problem_.query_heads));
  for (const WorkgroupRows& rows : launch.rows) {
    const int64_t length = problem_.requests[static_cast<size_t>(rows.request)].query_length;
    if (rows.first >= length || rows.count == 0) continue;
    const int64_t end = rows.first + std::min(rows.count, length - rows.first);
    for (int64_t head = rows.head; head < rows.head + rows.heads; ++head)
      computed[static_cast<size_t>(head)].push_back({rows.request, rows.first, end});
  }
  for (Queries& queries : computed) {
    std::ranges::sort(queries);
    Queries joined;
    for (const auto& [request, first, end] : queries)
      if (!joined.empty() && joined.back()[0] == request && joined.back()[2] >= first)
        joined.back()[2] = std::max(joined.back()[2], end);
      else
        joined.push_back({request, first, end});
    queries = std::move(joined);
  }
  const auto text = [](const Queries& queries) {
    std::vector<std::string> parts;
    for (const auto& [request, first, end] : queries)
      parts.push_back(fmt::format("{} to {} of request {}", first, end - 1, request));
    return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, ", "));
  };
  for (size_t head = 1; head < computed.size(); ++head)
    if (computed[head] != computed[0])
      throw InvalidInput(launch.form->place + ".rows.head",
                         fmt::format("queries of head {}: {}", head, text(computed[head])),
                         fmt::format("must be those of head 0: {}", text(computed[0])));
}

void ExternalPlan::rows_of_grid(Launch& launch, const Scope& scope) const {
  const RowsForm& form = launch.form->rows;
  const std::vector<const Expression*> asked = form.all();
  Scope inner{.names = {}, .requests = nullptr, .outer = &scope};
  for (int64_t z = 0; z < launch.grid.z; ++z)
    for (int64_t y = 0; y < launch.grid.y; ++y)
      for (int64_t x = 0; x < launch.grid.x; ++x) {
        inner.names["x"] = x;
        inner.names["y"] = y;
        inner.names["z"] = z;
        std::vector<Value> values;
        for (const Expression* each : asked) values.push_back(each->value(inner));
        launch.rows.push_back(rows_of(launch.rows.size(), form, values));
        if (const Expression& cost = launch.form->cost; !cost.empty())
          launch.cost.push_back(cost_of(cost, cost.value(inner)));
      }
}

std::vector<LaunchWorkgroups> ExternalPlan::workgroups_for(const std::vector<QueryRow>& rows) const {
  std::map<int64_t, std::set<int64_t>> queries; // of each request
  for (const QueryRow& row : rows) queries[row.request].insert(row.query);
  const bool part = static_cast<int64_t>(rows.size()) < problem_.total_queries();
  std::vector<LaunchWorkgroups> all;
  for (const Launch& launch : launches_) {
    if (launch.form && launch.form->rows.of == RowsForm::Of::all && part)
      throw InvalidInput(
          launch.form->place + ".rows", "all",
          "must say which rows a workgroup computes: this case is so large that only some rows are run");
    std::vector<bool> needed(launch.workgroups(), launch.rows.empty());
    for (const WorkgroupRows& of : launch.rows) {
      const auto request = queries.find(of.request);
      if (request == queries.end()) continue;
      const auto next = request->second.lower_bound(of.first);
      if (next != request->second.end() && *next - of.first < of.count)
        needed[static_cast<size_t>(of.workgroup)] = true;
    }
    LaunchWorkgroups& only =
        all.emplace_back(LaunchWorkgroups{launch.kernel.name, {}, launch.cost, launch.form == nullptr});
    for (uint32_t i = 0; i < needed.size(); ++i)
      if (needed[i]) only.workgroups.push_back(i);
  }
  return all;
}

void ExternalPlan::find_partials(const Scope& scope) {
  const PartialsForm& form = *manifest_.partials;
  const auto reader = std::ranges::find(launches_, &manifest_.launches[form.read_by], &Launch::form);
  if (reader == launches_.end()) return; // nothing is joined in this case
  const std::string place = manifest_.file.string() + ": partials";
  const Value lse = form.lse.value(scope);
  const auto* const pointer = std::get_if<Pointer>(&lse);
  if (pointer == nullptr || pointer->address == 0)
    form.lse.fail(1, text_of(lse), "must be a pointer to floats");
  const int64_t floats = floats_from(pointer->address);
  if (floats == 0) form.lse.fail(1, text_of(lse), "must point into a workspace");
  const IntegerTable table(place + ".table", form.table, planned_.at(form.table),
                           {"index", "request", "query", "head", "tile", "first key", "last key"});
  for (size_t i = 0; i < table.rows(); ++i) {
    const auto within = [&](size_t column, int64_t most, const char* what) {
      return static_cast<int>(table.at(i, column, 0, most - 1, what));
    };
    const int request = within(1, static_cast<int64_t>(problem_.requests.size()), "request");
    const Request& of = problem_.requests[static_cast<size_t>(request)];
    partials_.push_back({.launch = static_cast<size_t>(reader - launches_.begin()),
                         .lse = reinterpret_cast<float*>(pointer->address) + within(0, floats, "index"),
                         .natural = form.natural,
                         .row = {request, within(2, of.query_length, "query")},
                         .head = within(3, problem_.query_heads, "head"),
                         .tile = within(4, INT32_MAX, "tile"),
                         .first_key = within(5, int64_t{of.key_length} + 1, "first key"),
                         .last_key = within(6, int64_t{of.key_length} + 1, "last key")});
  }
}

// That lie in a workspace from this address on: the saboteur writes them.
int64_t ExternalPlan::floats_from(uint64_t address) const {
  for (const Workspace& space : workspace_) {
    const auto begin = reinterpret_cast<uint64_t>(space.buffer.get());
    if (address >= begin && address - begin < space.buffer.bytes())
      return static_cast<int64_t>((space.buffer.bytes() - (address - begin)) / sizeof(float));
  }
  return 0;
}

std::vector<PartialWeight> ExternalPlan::partial_weights(const std::vector<QueryRow>& rows) const {
  std::set<std::pair<int, int>> wanted;
  for (const QueryRow& row : rows) wanted.emplace(row.request, row.query);
  std::vector<PartialWeight> weights;
  for (const PartialWeight& each : partials_)
    if (wanted.contains({each.row.request, each.row.query})) weights.push_back(each);
  return weights;
}

} // namespace fmha950::harness::external
