#include "harness/cure/copies.hpp"

#include <algorithm>
#include <string_view>

namespace fmha950::harness::cure {
namespace {

constexpr size_t shapes_compared = 3; // on each side
constexpr size_t most_copies = 64;

std::string_view opcode_of(const Place& place) {
  return std::string_view(place.text).substr(0, place.text.find(' '));
}

// What stays in each copy, whatever the compiler does about addresses, waits and arithmetic.
bool is_shape(const Place& place) {
  return place.kind == "barrier" ||
         std::ranges::any_of(std::initializer_list<const char*>{"ds_", "global_", "buffer_", "flat_"},
                             [&](const char* family) { return place.text.starts_with(family); });
}

// A wait for all cannot wait for more.
bool can_tighten(const Place& place, const Protection& protection) {
  const auto waits_for_all = [&](const char* text) { return place.text.find(text) != place.text.npos; };
  return !(protection.vmcnt && waits_for_all("vmcnt(0)")) &&
         !(protection.lgkmcnt && waits_for_all("lgkmcnt(0)"));
}

} // namespace

Copies::Copies(const hip::Kernel& kernel, const std::set<CodePlace>& changed)
    : places_(all_places(kernel)), changed_(changed) {
  std::ranges::transform(places_, std::back_inserter(shapes_), is_shape);
}

bool Copies::is_alike(size_t one, size_t other) const {
  const Place &a = places_[one], &b = places_[other];
  return a.source == b.source && opcode_of(a) == opcode_of(b) && a.loop_depth == b.loop_depth;
}

// The loop around an instruction, or all of its function: indices from the first to one behind the last.
std::pair<size_t, size_t> Copies::body_of(size_t index) const {
  const int depth = places_[index].loop_depth;
  const auto is_in = [&](size_t i) {
    return places_[i].at.function == places_[index].at.function && places_[i].loop_depth >= depth;
  };
  size_t first = index, last = index;
  while (first > 0 && is_in(first - 1)) --first;
  while (last < places_.size() && is_in(last)) ++last;
  return {first, last};
}

// Before both or behind both: in no loop, the first copy has something else before it and the last one behind it.
bool Copies::has_same_around(size_t one, size_t other) const {
  const auto [first, last] = body_of(one);
  if (other < first || other >= last) return false;
  const auto at = [&](size_t i) { return shapes_.begin() + static_cast<std::ptrdiff_t>(i); };
  const bool goes_around = places_[one].loop_depth > 0 && std::find(at(first), at(last), true) != at(last);
  const auto next = [&, first = first, last = last](size_t& i, bool forward) {
    do {
      const bool at_end = forward ? i + 1 == last : i == first;
      if (at_end && !goes_around) return false;
      i = at_end ? (forward ? first : last - 1) : forward ? i + 1 : i - 1;
    } while (!shapes_[i]);
    return true;
  };
  const auto same_on = [&](bool forward) {
    size_t a = one, b = other;
    for (size_t k = 0; k < shapes_compared; ++k) {
      const bool there = next(a, forward);
      if (there != next(b, forward)) return false;
      if (!there) return true;
      if (opcode_of(places_[a]) != opcode_of(places_[b]) || places_[a].source != places_[b].source)
        return false;
    }
    return true;
  };
  return same_on(true) || same_on(false);
}

std::vector<Protection> Copies::at_each(const Protection& protection, size_t of, size_t behind,
                                        bool same_around) const {
  std::vector<Protection> copies;
  for (size_t i = 0; i + behind < places_.size(); ++i) {
    const Place& place = places_[i + behind];
    if (!is_alike(of, i) || (same_around && !has_same_around(of, i))) continue;
    if (changed_.contains(place.at) || (protection.tightens && !can_tighten(place, protection))) continue;
    Protection copy = protection;
    copy.at = place.at;
    copy.source = place.source;
    copy.instruction = place.text;
    copies.push_back(std::move(copy));
  }
  for (Protection& copy : copies) copy.copy_of = copies.front().at;
  return copies;
}

std::vector<std::vector<Protection>> Copies::of(const Protection& protection) const {
  const auto at =
      static_cast<size_t>(std::ranges::find(places_, protection.at, &Place::at) - places_.begin());
  if (at == places_.size() || protection.from) return {};
  std::vector<std::vector<Protection>> found;
  const auto add = [&](std::vector<Protection> copies) {
    if (copies.size() > 1 && copies.size() <= most_copies && std::ranges::find(found, copies) == found.end())
      found.push_back(std::move(copies));
  };
  add(at_each(protection, at, 0, true));
  if (!protection.source.empty()) add(at_each(protection, at, 0, false));
  size_t before = at;
  while (before > 0 && !shapes_[--before]) continue;
  if (!protection.tightens && shapes_[before]) add(at_each(protection, before, 1, true));
  return found;
}

} // namespace fmha950::harness::cure
