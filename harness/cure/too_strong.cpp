#include "harness/cure/too_strong.hpp"

#include <algorithm>
#include <chrono>

namespace fmha950::harness::cure {
namespace {

void append(std::string& changes, const std::string& more) {
  if (!more.empty()) changes += (changes.empty() ? "" : ",") + more;
}

// Of the first `count` members, behind the base's.
std::string changes_of(const std::string& base, const std::vector<TooStrong>& members, size_t count) {
  std::string changes = base;
  for (size_t i = 0; i < count; ++i) append(changes, members[i].protection.change);
  return changes;
}

class TooStrongSearch {
 public:
  TooStrongSearch(Patient& patient, const TooStrongLimits& limits) : patient_(patient), limits_(limits) {
    set_.kernel = patient.kernel().name;
  }

  TooStrongSet run(const std::vector<Condition>& conditions) {
    Comparison comparison(patient_, conditions);
    set_.unsound = comparison.unsound();
    if (set_.unsound.empty()) {
      set_.clocks = patient_.clocks(0, patient_.base());
      const std::vector<ListedProtection> all = wanted(patient_.base());
      count(all);
      for (std::vector<ListedProtection> open = proved(all); !open.empty() && !is_late();
           open = proved(wanted(in_force())))
        take(open);
      keep_what_holds(comparison, set_);
      measure();
    }
    set_.runs = comparison.runs();
    return std::move(set_);
  }

 private:
  std::vector<ListedProtection> wanted(const std::string& changes, std::optional<uint64_t> only = {}) {
    auto all = listed_protections(patient_.kernel(), changes, sources_, only);
    std::erase_if(all, [&](const ListedProtection& each) {
      return !limits_.all && each.author == ListedProtection::Author::compiler;
    });
    return all;
  }

  void count(const std::vector<ListedProtection>& all) {
    set_.looked_at = all.size();
    for (const ListedProtection& each : all) {
      set_.without_source += each.author == ListedProtection::Author::unknown;
      set_.needed += each.verdict == "refuted";
      if (each.verdict == "undecided") set_.undecided.push_back(each);
    }
  }

  // Those that nothing was found against yet, by the clocks that each saves, then inner loops first.
  std::vector<ListedProtection> proved(std::vector<ListedProtection> all) {
    std::erase_if(all, [&](const ListedProtection& each) {
      return !each.is_proved() || std::ranges::any_of(set_.stand_in, [&](const Kept& kept) {
        return kept.protection.is_same_as(each);
      });
    });
    if (set_.members.empty()) set_.not_tried = all.size();
    std::vector<std::pair<std::pair<double, int>, size_t>> order;
    for (size_t i = 0; i < all.size(); ++i) {
      const bool measures = all.size() > 1 && seconds() < limits_.seconds / 2;
      order.push_back({{measures ? -saved(in_force(), all[i]) : 0, -all[i].loop_depth}, i});
    }
    std::ranges::sort(order);
    std::vector<ListedProtection> sorted;
    for (const auto& [key, index] : order) sorted.push_back(std::move(all[index]));
    return sorted;
  }
  double saved(const std::string& changes, const ListedProtection& without) {
    std::string more = changes;
    append(more, without.change);
    return patient_.clocks(0, changes) - patient_.clocks(0, more);
  }

  // One after the other, each judged again with those before it gone.
  void take(const std::vector<ListedProtection>& open) {
    for (const ListedProtection& each : open) {
      if (is_late()) return;
      if (set_.not_tried > 0) --set_.not_tried;
      const auto now = wanted(in_force(), each.offset);
      const auto same =
          std::ranges::find_if(now, [&](const ListedProtection& other) { return other.is_same_as(each); });
      if (same != now.end() && same->is_proved())
        add(*same);
      else
        set_.stand_in.push_back({each, same == now.end() ? "" : same->reason});
    }
  }
  // One that became weaker may become weaker still when others are gone.
  void add(const ListedProtection& protection) {
    const auto known = std::ranges::find_if(
        set_.members, [&](const TooStrong& member) { return member.protection.is_same_as(protection); });
    if (known == set_.members.end()) {
      set_.members.push_back({protection, {}});
    } else {
      known->protection.enough = protection.enough;
      append(known->protection.change, protection.change);
    }
  }
  std::string in_force() const { return changes_of(patient_.base(), set_.members, set_.members.size()); }

  void measure() {
    set_.change = changes_of("", set_.members, set_.members.size());
    if (set_.members.empty()) return;
    set_.judged = patient_.judged();
    for (size_t problem = 1; problem < patient_.problems(); ++problem)
      set_.held_on.push_back(patient_.problem(problem));
    if (set_.clocks == 0) return;
    set_.clocks_without = patient_.clocks(0, in_force());
    if (set_.members.size() == 1) set_.members.front().saved = set_.clocks - set_.clocks_without;
    for (size_t i = 0; set_.members.size() > 1 && i < set_.members.size() && !is_late(); ++i) {
      std::vector<TooStrong> others = set_.members;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      set_.members[i].saved =
          patient_.clocks(0, changes_of(patient_.base(), others, others.size())) - set_.clocks_without;
    }
    std::ranges::sort(set_.members, {}, [](const TooStrong& member) {
      return std::pair(-member.saved.value_or(0), member.protection.offset);
    });
  }

  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
  }
  bool is_late() const { return seconds() >= limits_.seconds; }

  Patient& patient_;
  const TooStrongLimits& limits_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  Sources sources_;
  TooStrongSet set_;
};

} // namespace

TooStrongSet find_too_strong(Patient& patient, const std::vector<Condition>& conditions,
                             const TooStrongLimits& limits) {
  return TooStrongSearch(patient, limits).run(conditions);
}

void keep_what_holds(Comparison& comparison, TooStrongSet& set) {
  while (!set.members.empty()) {
    const auto difference_of = [&](size_t count) {
      return comparison.difference(changes_of(comparison.base(), set.members, count));
    };
    size_t same = 0, differs = set.members.size(); // so many of the first
    std::string difference = difference_of(differs);
    if (difference.empty()) return;
    while (differs - same > 1) {
      const size_t half = (same + differs) / 2;
      std::string found = difference_of(half);
      if (found.empty()) {
        same = half;
      } else {
        differs = half;
        difference = std::move(found);
      }
    }
    const auto member = set.members.begin() + static_cast<std::ptrdiff_t>(differs - 1);
    set.contradicted.push_back({member->protection, std::move(difference)});
    set.members.erase(member);
  }
}

} // namespace fmha950::harness::cure
