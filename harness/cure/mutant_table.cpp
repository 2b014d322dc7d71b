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
  size_t findings = 0, cured = 0, one_place = 0, partly = 0, not_cured = 0, other = 0;
};

Count& operator+=(Count& sum, const MutantCure& cure) {
  const bool judged = cure.verdict != "no error";
  sum.findings += judged;
  sum.cured += cure.verdict == "cured";
  sum.one_place += cure.verdict == "cured" && cure.places == 1;
  sum.partly += cure.verdict == "partly";
  sum.not_cured += judged && cure.verdict != "cured" && cure.verdict != "partly";
  sum.other += !judged;
  return sum;
}

} // namespace

std::string as_table(const std::vector<MutantCure>& cures) {
  std::map<std::string, Count> by_kind;
  for (const MutantCure& cure : cures) by_kind[cure.kind()] += cure;
  std::string text = fmt::format("{:8} {:>8} {:>8} {:>10} {:>8} {:>8} {:>8}\n", "kind", "findings", "cured",
                                 "one place", "partly", "not", "other");
  for (const auto& [kind, count] : by_kind)
    text += fmt::format("{:8} {:8} {:8} {:10} {:8} {:8} {:8}\n", kind, count.findings, count.cured,
                        count.one_place, count.partly, count.not_cured, count.other);
  return text;
}

std::string closing_line(const std::vector<MutantCure>& cures) {
  Count sum;
  for (const MutantCure& cure : cures) sum += cure;
  return fmt::format("{} findings, {} cured, {} partly, {} not", sum.findings, sum.cured, sum.partly,
                     sum.not_cured);
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
