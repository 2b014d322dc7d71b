#include "interface/error.hpp"
#include "interface/implementation.hpp"

#include <algorithm>

namespace fmha950 {
namespace {

// Function-local, because registrations run before main in no known order.
std::vector<std::unique_ptr<Implementation>>& registered_implementations() {
  static std::vector<std::unique_ptr<Implementation>> implementations;
  return implementations;
}

} // namespace

void register_implementation(std::unique_ptr<Implementation> implementation) {
  auto& all = registered_implementations();
  const auto by_name = [](const auto& a, const auto& b) { return a->name() < b->name(); };
  all.insert(std::upper_bound(all.begin(), all.end(), implementation, by_name), std::move(implementation));
}

const std::vector<std::unique_ptr<Implementation>>& implementations() { return registered_implementations(); }

const Implementation& find_implementation(std::string_view name) {
  std::string known;
  for (const auto& implementation : implementations()) {
    if (implementation->name() == name) return *implementation;
    known += (known.empty() ? "" : ", ") + std::string(implementation->name());
  }
  throw InvalidInput("implementation", std::string(name),
                     known.empty() ? "this binary has none" : "must be one of " + known);
}

} // namespace fmha950
