#include "emulator/observe/report/cause_groups.hpp"

#include "emulator/observe/report/missing_order.hpp"
#include "emulator/observe/report/ordering_instructions.hpp"
#include "numerics/groups.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace fmha950::observe {
namespace {

using numerics::Groups;

std::string_view opcode_of(const ReportedParty& party) {
  return std::string_view(party.instruction).substr(0, party.instruction.find(' '));
}

bool same_kernel(const Report& a, const Report& b) { return a.code == b.code && a.kernel == b.kernel; }
bool same_place(const ReportedParty& a, const ReportedParty& b) {
  return a.present && b.present && a.symbol == b.symbol && a.offset == b.offset;
}

// One instruction would do for all that it orders. What several would order is of no cause in particular: what it is a
// copy of says nothing.
void join_ordered_by_one(std::span<const Report> reports, Groups& groups, std::vector<bool>& is_typical) {
  std::map<std::tuple<std::string, uint64_t, std::string, std::string>, std::vector<size_t>> by_kind;
  for (size_t i = 0; i < reports.size(); ++i) {
    const Report& report = reports[i];
    if (report.between.empty()) continue;
    const unsigned lacks = lacking(report);
    const std::string kind = lacks & Lacks::something_else ? report.missing : "";
    for (const unsigned each :
         {Lacks::vm_wait, Lacks::lgkm_wait, Lacks::barrier, Lacks::wait_states, Lacks::something_else})
      if (lacks & each)
        by_kind[{report.kernel, report.code, report.later.symbol, fmt::format("{} {}", each, kind)}]
            .push_back(i);
  }
  for (const auto& [kind, members] : by_kind) {
    const std::vector<OrderedBy> instructions = fewest_ordering_instructions(reports, members);
    std::map<size_t, size_t> first;
    for (size_t m = 0; m < members.size(); ++m) {
      groups.join(members[m], first.try_emplace(instructions[m].number, members[m]).first->second);
      if (instructions[m].others_do_too) is_typical[members[m]] = false;
    }
  }
}

// One s_waitcnt waits for both counters, and a wait goes with its barrier: such a pair of instructions is one statement of a
// source. Both counters only where they are waited for at the same place, as the loads may be far apart.
bool share_statement(const Report& a, unsigned lacks_a, const Report& b, unsigned lacks_b) {
  constexpr unsigned waits = Lacks::vm_wait | Lacks::lgkm_wait;
  if (lacks_a & lacks_b) return false; // what one instruction orders has been found
  if (!same_kernel(a, b) || a.between.empty() || b.between.empty() || !have_common_place(a, b)) return false;
  if (lacks_a & waits && lacks_b & waits) return a.later.symbol == b.later.symbol && a.stretch == b.stretch;
  const bool wait_and_barrier =
      (lacks_a & waits && lacks_b & Lacks::barrier) || (lacks_b & waits && lacks_a & Lacks::barrier);
  return wait_and_barrier && (same_place(a.earlier, b.earlier) || same_place(a.earlier, b.later) ||
                              same_place(a.later, b.earlier));
}

// Both sides lie in functions that were inlined into what holds both: where that was inlined to does not matter. These
// lines, from the instruction's outwards.
std::string lines_of(const ReportedParty& party, const ReportedParty& other) {
  size_t common = 0; // frames, counted from the outermost
  const auto& mine = party.frames;
  const auto& its = other.frames;
  while (common < mine.size() && common < its.size() &&
         mine[mine.size() - 1 - common] == its[its.size() - 1 - common])
    ++common;
  std::string text;
  for (size_t i = 0; i < std::max<size_t>(mine.size() - common, 1); ++i) text += mine[i].source + " < ";
  return text;
}

bool has_lines(const Report& report) {
  return (!report.earlier.present || !report.earlier.frames.empty()) &&
         (!report.later.present || !report.later.frames.empty());
}

// One statement of assembly may be a whole kernel: its line tells nothing apart.
bool are_told_by_lines(const Report& report) {
  return has_lines(report) &&
         (!report.earlier.present || !report.later.present || report.earlier.frames != report.later.frames);
}

// Where copies of one report are alike; "" of what the host does, each of which is a mistake of its own.
std::string copy_key(const Report& report) {
  if (!report.earlier.present && !report.later.present) return "";
  const unsigned lacks = lacking(report);
  const auto side = [&](const ReportedParty& party, const ReportedParty& other) {
    if (!party.present) return std::string("-");
    std::string text = has_lines(report) ? lines_of(party, other.present ? other : party) : "";
    if (!are_told_by_lines(report))
      text += fmt::format("{} {} {}", party.symbol, opcode_of(party), party.loop);
    return text;
  };
  std::string earlier = side(report.earlier, report.later), later = side(report.later, report.earlier);
  if (lacks & Lacks::barrier && later < earlier) std::swap(earlier, later);
  const std::string kind = lacks & Lacks::something_else
                               ? fmt::format("{} {}", name_of(report.type), report.missing)
                               : fmt::format("{}", lacks);
  return fmt::format("{} {}\n{}\n{}\n{}", report.kernel, report.code, kind, earlier, later);
}

// Whether the code repeats itself from one place of it to the other.
bool are_copies(const ReportedParty& a, const ReportedParty& b) {
  if (!a.present || !a.skeleton || a.skeleton != b.skeleton) return !a.present && !b.present;
  const std::vector<uint32_t>& code = *a.skeleton;
  const size_t from = std::min(a.position, b.position), to = std::max(a.position, b.position),
               apart = to - from;
  if (apart == 0) return true; // nothing but arithmetic between them
  for (size_t turn = 1; turn <= apart; ++turn) {
    if (apart % turn != 0) continue;
    size_t begin = from, end = from; // code[i] == code[i + turn] for [begin, end)
    while (end + turn < code.size() && code[end] == code[end + turn]) ++end;
    while (begin > 0 && code[begin - 1] == code[begin - 1 + turn]) --begin;
    if (end + turn < to) continue;
    // Two alike turns may be two pieces of code that do the like, three are a loop's; or the whole loop is such turns.
    if (end - begin >= 2 * turn) return true;
    const size_t body = code.size() - (a.loop.empty() ? 0 : 1); // without its branch
    if (!a.loop.empty() && begin == 0 && end + turn >= body && body % turn == 0) return true;
  }
  return false;
}

void join_copies(std::span<const Report> reports, const std::vector<bool>& is_typical, Groups& groups) {
  std::map<std::string, std::vector<size_t>> by_key;
  for (size_t i = 0; i < reports.size(); ++i)
    if (!is_typical[i])
      continue;
    else if (std::string key = copy_key(reports[i]); !key.empty())
      by_key[std::move(key)].push_back(i);
  for (const auto& [key, members] : by_key)
    for (size_t m = 1; m < members.size(); ++m)
      for (size_t n = 0; n < m; ++n) {
        const Report &a = reports[members[m]], &b = reports[members[n]];
        if (groups.of(members[m]) == groups.of(members[n])) continue;
        const bool same_way = opcode_of(a.earlier) == opcode_of(b.earlier); // waves: either comes first
        if (are_told_by_lines(a) || (are_copies(a.earlier, same_way ? b.earlier : b.later) &&
                                     are_copies(a.later, same_way ? b.later : b.earlier)))
          groups.join(members[m], members[n]);
      }
}

// What a hazard of order may do besides: the value is not there yet.
bool follows_from(const Report& effect, const Report& cause, unsigned cause_lacks) {
  if (cause_lacks & (Lacks::wait_states | Lacks::something_else) || !same_kernel(effect, cause)) return false;
  const bool is_effect = effect.type == HazardClass::uninitialised ||
                         effect.type == HazardClass::out_of_bounds ||
                         effect.type == HazardClass::misaligned || effect.type == HazardClass::fault;
  if (!is_effect) return false;
  const bool reads =
      cause.what.find(" is read ") != std::string::npos || cause.what.find(" reads ") != std::string::npos;
  if (!reads) return false;
  if (effect.type == HazardClass::uninitialised)
    return same_place(effect.earlier, cause.later) || same_place(effect.earlier, cause.earlier) ||
           same_place(effect.later, cause.later);
  return cause.type == HazardClass::register_in_flight && same_place(effect.later, cause.later);
}

// Nothing says where these would be mended: they are one if they share an instruction.
bool share_instruction(const Report& a, const Report& b, unsigned both) {
  if (!both || !same_kernel(a, b) || !a.between.empty() || !b.between.empty()) return false;
  if (both & Lacks::something_else && (a.type != b.type || a.missing != b.missing)) return false;
  return same_place(a.earlier, b.earlier) || same_place(a.later, b.later) || same_place(a.earlier, b.later) ||
         same_place(a.later, b.earlier);
}

} // namespace

unsigned lacking(const Report& report) {
  const MissingOrder order = missing_order(report.type, report.missing);
  unsigned lacks = 0;
  if (order.states > 0) lacks |= Lacks::wait_states;
  if (order.vmcnt) lacks |= Lacks::vm_wait;
  if (order.lgkmcnt) lacks |= Lacks::lgkm_wait;
  if (order.barrier) lacks |= Lacks::barrier;
  return lacks ? lacks : Lacks::something_else;
}

std::string name_of_lacking(unsigned lacks, const Report& report) {
  if (lacks & Lacks::something_else) return report.missing.empty() ? name_of(report.type) : report.missing;
  if (lacks & Lacks::barrier) return "a barrier";
  if (lacks & Lacks::wait_states) return "wait states";
  if (lacks == (Lacks::vm_wait | Lacks::lgkm_wait)) return "vmcnt and lgkmcnt";
  return lacks & Lacks::vm_wait ? "vmcnt" : "lgkmcnt";
}

std::vector<size_t> cause_groups(std::span<const Report> reports) {
  Groups groups(reports.size());
  std::vector<bool> is_typical(reports.size(), true);
  join_ordered_by_one(reports, groups, is_typical);
  std::vector<unsigned> lacks;
  for (const Report& report : reports) lacks.push_back(lacking(report));
  const auto share_cause = [&](size_t i, size_t j) {
    const Report &a = reports[i], &b = reports[j];
    return share_statement(a, lacks[i], b, lacks[j]) || share_instruction(a, b, lacks[i] & lacks[j]) ||
           follows_from(a, b, lacks[j]) || follows_from(b, a, lacks[i]);
  };
  for (size_t i = 1; i < reports.size(); ++i)
    for (size_t j = 0; j < i; ++j)
      if (groups.of(i) != groups.of(j) && share_cause(i, j)) groups.join(i, j);
  join_copies(reports, is_typical, groups);
  std::vector<size_t> result;
  for (size_t i = 0; i < reports.size(); ++i) result.push_back(groups.of(i));
  return result;
}

} // namespace fmha950::observe
