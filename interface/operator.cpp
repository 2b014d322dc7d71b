#include "interface/operator.hpp"

#include "interface/error.hpp"

#include <algorithm>
#include <fmt/ranges.h>
#include <stdexcept>

namespace fmha950 {
namespace {

// Function-local, because registrations run before main in no known order.
std::vector<std::unique_ptr<Operator>>& registered() {
  static std::vector<std::unique_ptr<Operator>> all;
  return all;
}

} // namespace

int Operator::owner_of(QueryRow row) const {
  return facts_.key_owner == KeyOwner::query ? row.query : row.request;
}

int Operator::queries_of_owner(const Request& request) const {
  return facts_.key_owner == KeyOwner::query ? 1 : std::max(1, request.query_length);
}

OperatorCall Operator::call(const Problem&, const Tensors&, int) const {
  throw std::logic_error(fmt::format("{} does not come in several calls", name()));
}

const PartNames& Operator::parts() const {
  static const PartNames of_requests;
  return of_requests;
}

int old_tokens(const Problem& problem, const Request& request) {
  return request.key_length - (problem.op->facts().appends ? request.query_length : 0);
}

void register_operator(std::unique_ptr<Operator> op) {
  auto& all = registered();
  const auto in_order = [](const auto& a, const auto& b) {
    return std::pair(a->facts().order, a->name()) < std::pair(b->facts().order, b->name());
  };
  all.insert(std::upper_bound(all.begin(), all.end(), op, in_order), std::move(op));
}

std::vector<const Operator*> all_operators() {
  std::vector<const Operator*> all;
  for (const auto& op : registered()) all.push_back(op.get());
  return all;
}

const Operator* find_operator(std::string_view name) {
  for (const auto& op : registered())
    if (op->name() == name) return op.get();
  return nullptr;
}

const Operator& OperatorName::operator*() const {
  if (const Operator* found = find_operator(name_)) return *found;
  std::vector<std::string_view> known;
  for (const Operator* op : all_operators()) known.push_back(op->name());
  throw InvalidInput("operator", std::string(name_),
                     known.empty() ? "this binary has none"
                                   : fmt::format("must be one of {}", fmt::join(known, ", ")));
}

} // namespace fmha950
