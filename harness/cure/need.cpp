#include "harness/cure/need.hpp"

#include <charconv>

namespace fmha950::harness::cure {
namespace {

// "s_nop 15, s_nop 3"
int states_in(std::string_view text) {
  constexpr std::string_view nop = "s_nop ";
  int states = 0;
  for (size_t at = text.find(nop); at != text.npos; at = text.find(nop, at + 1)) {
    int count = 0;
    std::from_chars(text.data() + at + nop.size(), text.data() + text.size(), count);
    states += count + 1;
  }
  return states;
}

} // namespace

std::optional<Need> need_of(const HazardReport& report) {
  const std::string& missing = report.missing;
  if (report.earlier.empty() || report.later.empty()) return {};
  if (report.earlier_offset == in_no_kernel || report.later_offset == in_no_kernel) return {};
  if (missing.starts_with("s_nop ")) return Need{Need::Kind::states, false, false, states_in(missing)};
  if (missing == "a barrier") return Need{Need::Kind::barrier, true, true, 0};
  if (!missing.starts_with("s_waitcnt ")) return {};
  const bool before_barrier = missing.ends_with(" before the barrier");
  return Need{before_barrier ? Need::Kind::wait_before_barrier : Need::Kind::wait,
              missing.find("vmcnt(") != missing.npos, missing.find("lgkmcnt(") != missing.npos, 0};
}

} // namespace fmha950::harness::cure
