// How mutants fared, as text.
#include "harness/cure/mutant_cures.hpp"
#include "interface/error.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace fmha950::harness::cure {
namespace {

struct Count {
  size_t findings = 0, cured = 0, one_place = 0, in_time = 0, partly = 0, not_cured = 0, no_order = 0,
         other = 0;
  size_t some_gone = 0; // cured, and some pair was seen beside wrong values alone
};

void add(Count& sum, const MutantCure& cure, double time_limit) {
  const bool judged = cure.verdict != "no error", cured = cure.verdict == "cured";
  const bool no_order = cure.verdict == no_order_fault;
  sum.findings += judged;
  sum.cured += cured;
  sum.one_place += cured && cure.places == 1;
  sum.in_time += cured && cure.is_within(time_limit);
  sum.some_gone += cured && cure.ordered < cure.pairs;
  sum.partly += cure.verdict == "partly";
  sum.no_order += no_order;
  sum.not_cured += judged && !cured && !no_order && cure.verdict != "partly";
  sum.other += !judged;
}

} // namespace

std::string as_table(const std::vector<MutantCure>& cures, double time_limit) {
  std::map<std::string, Count> by_kind;
  for (const MutantCure& cure : cures) add(by_kind[cure.kind()], cure, time_limit);
  std::string text =
      fmt::format("{:8} {:>8} {:>8} {:>10} {:>8} {:>10} {:>8} {:>8} {:>9} {:>8}\n", "kind", "findings",
                  "cured", "one place", "in time", "some gone", "partly", "not", "no order", "other");
  for (const auto& [kind, count] : by_kind)
    text += fmt::format("{:8} {:8} {:8} {:10} {:8} {:10} {:8} {:8} {:9} {:8}\n", kind, count.findings,
                        count.cured, count.one_place, count.in_time, count.some_gone, count.partly,
                        count.not_cured, count.no_order, count.other);
  return text;
}

std::string gone_line(const std::vector<MutantCure>& cures) {
  Count sum;
  for (const MutantCure& cure : cures) add(sum, cure, 0);
  const double percent =
      sum.cured > 0 ? 100.0 * static_cast<double>(sum.some_gone) / static_cast<double>(sum.cured) : 0;
  return fmt::format(
      "Of {} cured findings {} have every pair met and ordered; of {} ({:.0f} %) some pair is only gone",
      sum.cured, sum.cured - sum.some_gone, sum.some_gone, percent);
}

std::string closing_line(const std::vector<MutantCure>& cures) {
  Count sum;
  for (const MutantCure& cure : cures) add(sum, cure, 0);
  return fmt::format("{} findings, {} cured, {} partly, {} not", sum.findings, sum.cured, sum.partly,
                     sum.not_cured + sum.no_order);
}

std::string to_line(const MutantCure& cure) {
  return nlohmann::json{{"subject", cure.subject},
                        {"mutant", cure.mutant},
                        {"code", cure.code},
                        {"verdict", cure.verdict},
                        {"change", cure.change},
                        {"places", cure.places},
                        {"pairs", cure.pairs},
                        {"ordered", cure.ordered},
                        {"executions", cure.executions},
                        {"clocks", cure.clocks},
                        {"clocks_cured", cure.clocks_cured},
                        {"objection", cure.objection}}
      .dump();
}

MutantCure from_line(const std::string& line) {
  try {
    const auto json = nlohmann::json::parse(line);
    return {json.at("subject"),    json.at("mutant"), json.at("code"),         json.at("verdict"),
            json.at("change"),     json.at("places"), json.at("pairs"),        json.at("ordered"),
            json.at("executions"), json.at("clocks"), json.at("clocks_cured"), json.at("objection")};
  } catch (const nlohmann::json::exception& error) {
    throw InvalidInput("output", line.substr(0, 60),
                       fmt::format("must be lines of cure --mutants: {}", error.what()));
  }
}

} // namespace fmha950::harness::cure
