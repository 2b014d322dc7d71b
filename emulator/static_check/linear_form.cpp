#include "emulator/static_check/linear_form.hpp"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace fmha950::static_check {
namespace {

constexpr size_t most_inequalities = 200; // more than these are given up
// Products of two such, and the sum of two products, fit into 64 bits.
constexpr int64_t largest_factor = int64_t{1} << 24, largest_value = int64_t{1} << 37;

// Without a factor that all have in common. Nothing if it grows too large to go on with.
std::optional<LinearForm> reduced(LinearForm form) {
  int64_t common = 0;
  for (const auto& [number, factor] : form.terms) common = std::gcd(common, factor);
  if (common > 1) {
    for (auto& [number, factor] : form.terms) factor /= common;
    // Of whole numbers: rounded up, towards what contradicts sooner.
    form.least = form.least >= 0 ? (form.least + common - 1) / common : -(-form.least / common);
  }
  form.most = form.least;
  return form.is_within(largest_factor, largest_value) ? std::optional(form) : std::nullopt;
}

} // namespace

bool LinearForm::is_within(int64_t factor, int64_t value) const {
  const auto is_larger = [&](const auto& term) { return std::abs(term.second) > factor; };
  return std::abs(least) <= value && std::abs(most) <= value && std::ranges::none_of(terms, is_larger);
}

LinearForm sum(const LinearForm& a, const LinearForm& b) {
  LinearForm result = a;
  for (const auto& [number, factor] : b.terms)
    if ((result.terms[number] += factor) == 0) result.terms.erase(number);
  result.least += b.least;
  result.most += b.most;
  return result;
}
LinearForm multiple(const LinearForm& a, int64_t by) {
  if (by == 0) return {};
  LinearForm result = a;
  for (auto& [number, factor] : result.terms) factor *= by;
  result.least *= by;
  result.most *= by;
  if (by < 0) std::swap(result.least, result.most);
  return result;
}
LinearForm difference(const LinearForm& a, const LinearForm& b) { return sum(a, multiple(b, -1)); }

bool contradict(const Inequalities& inequalities) {
  Inequalities open;
  const auto add = [&](const LinearForm& form) {
    if (const auto shorter = reduced(form)) open.insert(*shorter);
  };
  for (const LinearForm& form : inequalities) add(form);
  for (;;) {
    if (std::ranges::any_of(open, [](const auto& form) { return form.terms.empty() && form.least > 0; }))
      return true;
    // The number whose elimination leaves the fewest.
    std::map<LinearForm::Number, std::pair<size_t, size_t>> signs;
    for (const LinearForm& form : open)
      for (const auto& [number, factor] : form.terms)
        ++(factor > 0 ? signs[number].first : signs[number].second);
    if (signs.empty()) return false;
    const auto product = [](const auto& each) { return each.second.first * each.second.second; };
    const LinearForm::Number gone = std::ranges::min_element(signs, {}, product)->first;
    std::vector<LinearForm> above, below;
    for (auto at = open.begin(); at != open.end();) {
      if (at->has(gone)) (at->terms.at(gone) > 0 ? above : below).push_back(*at);
      at = at->has(gone) ? open.erase(at) : std::next(at);
    }
    if (open.size() + above.size() * below.size() > most_inequalities) return false;
    for (const LinearForm& a : above)
      for (const LinearForm& b : below)
        add(sum(multiple(a, -b.terms.at(gone)), multiple(b, a.terms.at(gone))));
  }
}

} // namespace fmha950::static_check
