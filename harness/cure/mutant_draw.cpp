#include "harness/cure/mutant_draw.hpp"

#include "harness/cases/case_selection.hpp"
#include "harness/cure/ways.hpp"
#include "numerics/digest.hpp"

#include <algorithm>
#include <cstdio>
#include <fmt/format.h>
#include <map>

namespace fmha950::harness::cure {
namespace {

// Classes that a wait, a barrier or wait states prevent. Divergence alone is another matter: a barrier is missing for one wave.
bool is_order(const std::string& reason) {
  return std::ranges::any_of(
      std::initializer_list<const char*>{"register_in_flight", "lds_order", "memory_order", "wait_states"},
      [&](const char* name) { return reason.starts_with(name); });
}

MutantCure named(const std::string& subject, const std::string& mutant) {
  MutantCure cure;
  cure.subject = subject;
  cure.mutant = mutant;
  return cure;
}

std::string drawn(const MutantCure& cure) {
  numerics::Digest digest;
  digest.add(cure.subject + " " + cure.mutant);
  return digest.text();
}

bool is_killed_by_order(const LedgerEntry& entry) {
  return entry.mutant.find("+0x") != entry.mutant.npos && entry.judgement.verdict == MutantVerdict::killed &&
         is_order(entry.judgement.reason);
}

// A mutant's offset says nothing of other code than its page is of.
std::vector<MutantCure> killed_by_order(const std::string& filter_text, const LedgerFolders& folders) {
  std::vector<MutantCure> all;
  const NameFilter filter(filter_text);
  for (const LedgerRow& row : ledger_rows(folders)) {
    std::vector<MutantCure> of_page;
    for (const LedgerEntry& entry : ledger_page(row.page, folders).entries)
      if (is_killed_by_order(entry) && filter.finds(entry.subject + " " + entry.mutant))
        of_page.push_back(named(entry.subject, entry.mutant));
    if (of_page.empty()) continue;
    if (const std::string why = why_not_judged(row.page, folders); !why.empty())
      fmt::print(stderr, "{} mutants of {} are left out: {}\n", of_page.size(), row.page, why);
    else
      all.insert(all.end(), of_page.begin(), of_page.end());
  }
  return all;
}

hip::Kernel kernel_of(const std::string& subject) { // "code object/kernel"
  const size_t slash = subject.find('/');
  return hip::load_kernel(subject.substr(0, slash), subject.substr(slash + 1));
}

uint64_t offset_in(const std::string& mutant) {
  return std::stoull(mutant.substr(mutant.rfind("+0x") + 1), nullptr, 16);
}

// In one loop, or with one barrier on every way from the one to the other.
bool are_close(const hip::Kernel& kernel, uint64_t one, uint64_t other) {
  if (other < one) std::swap(one, other);
  const CodePlace first{"", one}, second{"", other};
  const auto there = ways_between(kernel, first, second), back = ways_between(kernel, second, first);
  const auto is_barrier = [](const Place& place) { return place.kind == "barrier" && place.on_every_way; };
  return std::ranges::find(back, first, &Place::at) != back.end() ||
         std::ranges::count_if(there, is_barrier) == 1;
}

// In the order in which the first of each is drawn.
std::vector<MutantCure> in_pairs(const std::vector<MutantCure>& mutants, size_t most) {
  struct Subject {
    std::vector<std::string> open; // mutants, in the order in which they are drawn
    bool next_are_close = true;
  };
  std::map<std::string, Subject> subjects;
  for (const MutantCure& each : mutants) subjects[each.subject].open.push_back(each.mutant);
  std::vector<MutantCure> pairs;
  for (const MutantCure& first : mutants) {
    if (most > 0 && pairs.size() == most) break;
    auto& [open, next_are_close] = subjects[first.subject];
    if (std::erase(open, first.mutant) == 0) continue; // it is in a pair
    const uint64_t offset = offset_in(first.mutant);
    const auto find = [&](auto suits) {
      return std::ranges::find_if(open, [&](const std::string& mutant) {
        return offset_in(mutant) != offset && suits(offset_in(mutant));
      });
    };
    const auto any = [](uint64_t) { return true; };
    auto second = open.end();
    if (next_are_close) {
      const hip::Kernel kernel = kernel_of(first.subject);
      second = find([&](uint64_t other) { return are_close(kernel, offset, other); });
    }
    if (second == open.end()) second = find(any);
    if (second == open.end()) continue;
    next_are_close = !next_are_close;
    pairs.push_back(named(first.subject, first.mutant + "," + *second));
    open.erase(second);
  }
  return pairs;
}

} // namespace

std::vector<MutantCure> drawn_mutants(const std::string& filter, size_t most, bool pairs,
                                      const LedgerFolders& folders) {
  std::vector<MutantCure> all = killed_by_order(filter, folders);
  std::ranges::sort(all, {}, drawn);
  if (pairs)
    all = in_pairs(all, most);
  else
    take_drawn(all, most);
  std::ranges::sort(all, {}, [](const MutantCure& cure) { // a worker has one kernel's problems at a time
    return std::tie(cure.subject, cure.mutant);
  });
  return all;
}

void take_drawn(std::vector<MutantCure>& mutants, size_t most) {
  if (most == 0 || mutants.size() <= most) return;
  std::ranges::sort(mutants, {}, drawn);
  mutants.resize(most);
}

} // namespace fmha950::harness::cure
