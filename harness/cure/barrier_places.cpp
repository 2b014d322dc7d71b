#include "harness/cure/barrier_places.hpp"

#include "harness/cure/need.hpp"

#include <algorithm>
#include <initializer_list>

namespace fmha950::harness::cure {
namespace {

enum class Run : uint8_t { none, wait, memory, matrix };

Run run_of(const Place& place) {
  const auto begins = [&](std::initializer_list<const char*> families) {
    return std::ranges::any_of(families, [&](const char* family) { return place.text.starts_with(family); });
  };
  if (place.kind == "wait") return Run::wait;
  if (begins({"ds_", "global_", "buffer_", "flat_"})) return Run::memory;
  return begins({"v_mfma", "v_smfmac"}) ? Run::matrix : Run::none;
}

Protection barrier_at(const Place& place) {
  Protection protection = protection_at(place);
  protection.vmcnt = protection.lgkmcnt = 0;
  protection.barrier = true;
  return protection;
}

// Of the instructions in their order, those behind the last one of a run. What is between two of one run belongs to it.
std::vector<Place> behind_runs(const std::vector<Place>& places, const std::set<CodePlace>& changed) {
  std::vector<Place> behind;
  Run run = Run::none;
  size_t last = 0; // of it
  const auto end_run = [&] {
    size_t next = last + 1;
    while (next < places.size() && changed.contains(places[next].at)) ++next;
    if (run != Run::none && next < places.size() && places[next].to_later && places[next].kind != "barrier")
      behind.push_back(places[next]);
    run = Run::none;
  };
  for (size_t i = 0; i < places.size(); ++i) {
    const Run here = run_of(places[i]);
    if (ends_stretch(places[i]) || (here != Run::none && here != run)) end_run();
    if (here == Run::none) continue;
    run = here;
    last = i;
  }
  return behind;
}

bool is_for_barrier(const HazardReport& report) {
  const auto need = need_of(report);
  return need && need->kind == Need::Kind::barrier;
}

} // namespace

Protection protection_at(const Place& place) {
  Protection protection;
  protection.at = place.at;
  protection.loop_depth = place.loop_depth;
  protection.branches = place.branches;
  protection.source = place.source;
  protection.instruction = place.text;
  return protection;
}

bool ends_stretch(const Place& place) {
  return place.kind == "barrier" || place.kind == "condition" || place.kind == "branch";
}

std::vector<Protection> barriers_in_loops(const hip::Kernel& kernel, int loop_depth) {
  std::vector<Protection> barriers;
  bool begins = true;
  for (const Place& place : all_places(kernel)) {
    if (begins && place.loop_depth == loop_depth) barriers.push_back(barrier_at(place));
    begins = ends_stretch(place);
  }
  return barriers;
}

std::vector<Protection> barriers_behind_runs(const hip::Kernel& kernel,
                                             const std::vector<HazardReport>& reports,
                                             const std::set<CodePlace>& changed) {
  const auto report = std::ranges::find_if(reports, is_for_barrier);
  if (report == reports.end() || !why_not_followed(kernel, report->earlier_place).empty() ||
      !why_not_followed(kernel, report->later_place).empty())
    return {};
  std::vector<Protection> barriers;
  for (const auto& [from, to] : {std::pair(report->earlier_place, report->later_place),
                                 std::pair(report->later_place, report->earlier_place)})
    for (const Place& place : behind_runs(ways_between(kernel, from, to), changed)) {
      Protection barrier = barrier_at(place);
      if (std::ranges::find(barriers, barrier) == barriers.end()) barriers.push_back(std::move(barrier));
    }
  return barriers;
}

} // namespace fmha950::harness::cure
