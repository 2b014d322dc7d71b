// A cured finding, as text and JSON.
#include "harness/cure/finding_cure.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace fmha950::harness::cure {
namespace {

std::string side(const char* which, const std::string& text, const CodePlace& place) {
  return text.empty() ? "" : fmt::format("  {} {} {}\n", which, place.text(), text);
}

std::string where_of(const Protection& protection) {
  if (protection.from)
    return fmt::format("on the way from {}:", CodePlace{protection.at.function, *protection.from}.text());
  return protection.tightens ? "waits for more:" : "before:";
}

std::string place_of(const Protection& protection) {
  return fmt::format("    {} {} {}\n      {}: {}{}\n", protection.at.text(), where_of(protection),
                     protection.text(), protection.source, protection.instruction,
                     protection.loop_depth > 0 ? fmt::format("  (loop of depth {})", protection.loop_depth)
                                               : "");
}

// " by 1 change", " by the changes above", ": 2 of 4 pairs are silent".
std::string by_what(const Cure& cure) {
  if (cure.verdict == Cure::Verdict::partly)
    return fmt::format(": {} of {} pairs are silent", cure.ordered, cure.pairs);
  if (cure.verdict != Cure::Verdict::cured) return "";
  if (cure.protections.empty()) return " by the changes above";
  const size_t places = cure.protections.size(), changes = changes_in(cure.protections);
  return fmt::format(" by {} change{}{}", changes, changes == 1 ? "" : "s",
                     places > changes ? fmt::format(", in {} copies of its line", places) : "");
}

// "; 3 of 19 pairs are only gone": of one line nobody reads how many were ordered.
std::string only_gone(const Cure& cure) {
  const size_t gone = cure.pairs - std::min(cure.pairs, cure.proof.ordered);
  return gone > 0 ? fmt::format("; {} of {} pairs are only gone", gone, cure.pairs) : "";
}

std::string why_not(const Cure& cure) {
  if (!cure.proof.objection.empty()) return cure.proof.objection;
  return cure.limited ? "the limit came before anything was proven" : "no place was found that orders more";
}

double percent(double now, double before) { return before > 0 ? 100 * (now / before - 1) : 0; }

} // namespace

std::string as_text(const CuredFinding& finding, size_t number, size_t of) {
  const Cure& cure = finding.cure;
  std::string text = fmt::format("finding {} of {}: {}: {}\n  kernel  {}\n", number, of,
                                 finding.report.hazard, finding.report.what, finding.kernel);
  text += side("earlier", finding.report.earlier, finding.report.earlier_place) +
          side("later  ", finding.report.later, finding.report.later_place);
  text += fmt::format("  pairs   {} of code locations\n", cure.pairs);
  if (cure.verdict == Cure::Verdict::no_order) {
    text += "  no wait or barrier orders this\n";
    return finding.report.missing.empty() ? text
                                          : text + fmt::format("  missing {}\n", finding.report.missing);
  }
  text += fmt::format("  {}{}; {} executions, {:.1f} s{}\n", name_of(cure.verdict), by_what(cure),
                      cure.executions, cure.seconds,
                      cure.interrupted ? ", interrupted"
                      : cure.limited   ? ", the limit"
                                       : "");
  for (const Protection& protection : cure.protections) text += place_of(protection);
  if (cure.verdict != Cure::Verdict::cured && cure.interrupted && cure.proof.objection.empty()) return text;
  if (cure.verdict != Cure::Verdict::cured) return text + fmt::format("  because {}\n", why_not(cure));
  if (cure.proof.ordered == 0)
    text +=
        fmt::format("  proof   in {} runs gone: it follows from values that were wrong\n", cure.proof.runs);
  else
    text += fmt::format(
        "  proof   {} pairs, in {} runs: reported if the checks do not count on the change, else silent{}\n",
        cure.proof.ordered, cure.proof.runs,
        cure.pairs > cure.proof.ordered ? fmt::format("; {} more were seen beside wrong values, and are gone",
                                                      cure.pairs - cure.proof.ordered)
                                        : "");
  if (!finding.chain.empty()) text += fmt::format("  ordered by {}\n", finding.chain);
  text += fmt::format("  paths   {}\n", cure.paths.text());
  if (!cure.counts.empty()) text += fmt::format("  counts  no larger: {}\n", cure.counts);
  text += fmt::format("  result  {}\n", cure.proof.judged);
  text += finding.held_on.empty()
              ? "  also on no further case or launch: other paths are judged by the code alone\n"
              : fmt::format("  also on {}\n", fmt::join(finding.held_on, "\n          "));
  if (cure.clocks > 0)
    text += fmt::format("  clocks  {:.0f} before, {:.0f} with it ({:+.2f} %), modelled\n", cure.clocks,
                        cure.clocks_cured, percent(cure.clocks_cured, cure.clocks));
  return finding.option.empty() ? text
                                : text + fmt::format("  try it  FMHA950_MUTANT='{}'\n", finding.option);
}

std::string as_line(const CuredFinding& finding) {
  const Cure& cure = finding.cure;
  const std::string what = fmt::format("{} in {}: {}: {}", finding.report.hazard, finding.kernel,
                                       finding.report.what, name_of(cure.verdict));
  if (cure.verdict == Cure::Verdict::no_order)
    return what + (finding.report.missing.empty() ? "" : ": missing " + finding.report.missing);
  if (cure.verdict != Cure::Verdict::cured) return what + ", because " + why_not(cure);
  return what + (finding.option.empty() ? " by the changes above" : " by " + finding.option) +
         only_gone(cure) + (cure.proof.outlives ? std::string("; ") + ended_waves : "");
}

std::string as_json(const CuredFinding& finding) {
  const Cure& cure = finding.cure;
  return nlohmann::json{
      {"schema", 2},
      {"kernel", finding.kernel},
      {"hazard", finding.report.hazard},
      {"what", finding.report.what},
      {"earlier", finding.report.earlier},
      {"earlier_place", finding.report.earlier_place.text()},
      {"later", finding.report.later},
      {"later_place", finding.report.later_place.text()},
      {"missing", finding.report.missing},
      {"verdict", name_of(cure.verdict)},
      {"change", finding.option},
      {"places", cure.protections.size()},
      {"pairs", cure.pairs},
      {"ordered", cure.ordered},
      {"executions", cure.executions},
      {"interrupted", cure.interrupted},
      {"limited", cure.limited},
      {"objection",
       cure.verdict == Cure::Verdict::cured || cure.verdict == Cure::Verdict::no_order ? "" : why_not(cure)},
      {"ordered_by", finding.chain},
      {"runs_of_proof", cure.proof.runs},
      {"judged", cure.proof.judged},
      {"on_all_paths",
       {{"gone", cure.paths.gone},
        {"left", cure.paths.left.size()},
        {"new", cure.paths.is_new},
        {"unknown", cure.paths.unknown}}},
      {"no_larger_counts", cure.counts},
      {"held_on", finding.held_on},
      {"clocks", cure.clocks},
      {"clocks_cured", cure.clocks_cured}}
      .dump();
}

std::string closing_line(const std::vector<CuredFinding>& findings) {
  const auto count = [&](Cure::Verdict verdict) {
    return std::ranges::count_if(
        findings, [&](const CuredFinding& finding) { return finding.cure.verdict == verdict; });
  };
  const auto cured = count(Cure::Verdict::cured), partly = count(Cure::Verdict::partly);
  return fmt::format("{} findings, {} cured, {} partly, {} not", findings.size(), cured, partly,
                     static_cast<ptrdiff_t>(findings.size()) - cured - partly);
}

} // namespace fmha950::harness::cure
