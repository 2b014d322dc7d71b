// What is too strong, as text and JSON.
#include "harness/cure/too_strong.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace fmha950::harness::cure {
namespace {

const char* name_of(ListedProtection::Author author) {
  static constexpr const char* names[] = {"hand", "compiler", "unknown"};
  return names[static_cast<size_t>(author)];
}

// Of a function that waits: the nearest call from another file, "tile.hpp:80".
std::string caller_of(const ListedProtection& protection) {
  const std::string file = protection.source.substr(0, protection.source.rfind(':') + 1);
  std::istringstream calls(protection.calls);
  for (std::string call; std::getline(calls, call, ',');)
    if (!call.starts_with(file)) return call;
  return "";
}

std::string place_of(const ListedProtection& protection) {
  const std::string caller = caller_of(protection);
  return fmt::format(
      "+{:#x} {}{}{}{}", protection.offset, protection.source, caller.empty() ? "" : " from " + caller,
      (protection.source.empty() ? "" : ": ") + protection.instruction,
      protection.loop_depth > 0 ? fmt::format("  (loop of depth {})", protection.loop_depth) : "");
}

// "vmcnt(0) may go", "vmcnt(4) is enough instead of vmcnt(0)"
std::string what_of(const ListedProtection& protection) {
  return protection.enough.empty() ? protection.what + " may go"
                                   : protection.enough + " is enough instead of " + protection.what;
}

std::string text_of(const Kept& kept, const char* how) {
  return fmt::format("  {} {}: {}\n    {}\n", how, place_of(kept.protection), kept.protection.what, kept.why);
}

nlohmann::json json_of(const TooStrongSet& set, const ListedProtection& protection, const char* kind) {
  return {{"schema", 1},
          {"kind", kind},
          {"kernel", set.kernel},
          {"offset", protection.offset},
          {"source", protection.source},
          {"calls", protection.calls},
          {"instruction", protection.instruction},
          {"loop_depth", protection.loop_depth},
          {"author", name_of(protection.author)},
          {"what", protection.what},
          {"enough", protection.enough},
          {"change", protection.change},
          {"reason", protection.reason}};
}

double saved_by(const TooStrongSet& set) { return set.members.empty() ? 0 : set.clocks - set.clocks_without; }

} // namespace

std::string as_text(const TooStrongSet& set) {
  std::string text = fmt::format("kernel {}: ", set.kernel);
  if (!set.unsound.empty()) return text + fmt::format("not looked at: {}\n", set.unsound);
  text += fmt::format("{} of {} protections may go or be weaker together; {} are needed, {} not decided\n",
                      set.members.size(), set.looked_at, set.needed, set.undecided.size());
  if (set.without_source > 0)
    text +=
        fmt::format("  {} are taken as written by hand: there is no source line, or its file is not here\n",
                    set.without_source);
  for (const TooStrong& member : set.members) {
    text += fmt::format("  {}\n    {}: {}\n", place_of(member.protection), what_of(member.protection),
                        member.protection.reason);
    if (member.saved) text += fmt::format("    saves {:.0f} clocks, the others gone\n", *member.saved);
  }
  for (const Kept& kept : set.stand_in) text += text_of(kept, "stays with them gone:");
  for (const Kept& kept : set.contradicted) text += text_of(kept, "proved, but executions differ:");
  if (set.not_tried > 0) text += fmt::format("  {} more were not tried: the time was over\n", set.not_tried);
  if (set.members.empty()) return text;
  text += fmt::format("  verified in {} runs, all gone together: no new report, the kernel's bits; {}\n",
                      set.runs, set.judged);
  if (!set.held_on.empty()) text += fmt::format("  also on {}\n", fmt::join(set.held_on, "\n          "));
  if (set.clocks > 0)
    text += fmt::format("  clocks  {:.0f} before, {:.0f} without them ({:+.2f} %), modelled\n", set.clocks,
                        set.clocks_without, 100 * (set.clocks_without / set.clocks - 1));
  if (!set.contradicted.empty())
    return text +
           "  the others were proved with what executions contradict gone, too: nothing here is proved\n";
  return text + fmt::format("  try it  FMHA950_MUTANT='{}'\n", set.change);
}

std::string as_json(const TooStrongSet& set) {
  std::string lines;
  for (const TooStrong& member : set.members) {
    nlohmann::json line = json_of(set, member.protection, "member");
    line["saved_clocks"] = member.saved ? nlohmann::json(*member.saved) : nlohmann::json();
    lines += line.dump() + "\n";
  }
  const auto add_kept = [&](const std::vector<Kept>& all, const char* kind) {
    for (const Kept& kept : all) {
      nlohmann::json line = json_of(set, kept.protection, kind);
      line["why"] = kept.why;
      lines += line.dump() + "\n";
    }
  };
  add_kept(set.stand_in, "stands_in");
  add_kept(set.contradicted, "contradicted");
  for (const ListedProtection& each : set.undecided) lines += json_of(set, each, "undecided").dump() + "\n";
  return lines + nlohmann::json{{"schema", 1},
                                {"kind", "kernel"},
                                {"kernel", set.kernel},
                                {"unsound", set.unsound},
                                {"looked_at", set.looked_at},
                                {"without_source", set.without_source},
                                {"needed", set.needed},
                                {"undecided", set.undecided.size()},
                                {"not_tried", set.not_tried},
                                {"members", set.members.size()},
                                {"change", set.change},
                                {"runs", set.runs},
                                {"judged", set.judged},
                                {"held_on", set.held_on},
                                {"clocks", set.clocks},
                                {"clocks_without", set.clocks_without}}
                     .dump();
}

std::string closing_line(const std::vector<TooStrongSet>& sets) {
  size_t members = 0, undecided = 0;
  double saved = 0;
  for (const TooStrongSet& set : sets) {
    members += set.members.size();
    undecided += set.undecided.size();
    saved += saved_by(set);
  }
  return fmt::format("{} protections of {} kernels may go or be weaker, {:.0f} clocks saved; {} not decided",
                     members, sets.size(), saved, undecided);
}

} // namespace fmha950::harness::cure
