#include "harness/probe/permutation_table.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using namespace fmha950::harness;

namespace {

Probe named(const std::string& name) {
  Probe probe;
  probe.name = name;
  return probe;
}

std::vector<std::string> printed(const PermutationTable& table) {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  table.print(file);
  std::rewind(file);
  std::vector<std::string> lines(1);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
    if (c == '\n')
      lines.emplace_back();
    else
      lines.back() += static_cast<char>(c);
  }
  std::fclose(file);
  lines.pop_back();
  return lines;
}

} // namespace

TEST_CASE("page permutations: a row per list of pages, both forms of V in it, other families left out") {
  PermutationTable table;
  const Outcome passed = Outcome::passed();
  const ProbeResult alone{0.004, 0.8, std::nullopt}, row{0.005, 1.2, 0.8}, constant{0.001, 0.5, std::nullopt};
  table.add("a", named("page_permutation/single/4097/random_v"), &alone, passed);
  table.add("a", named("page_permutation/single/4097/constant_v"), &constant, passed);
  table.add("a", named("page_permutation/odd_first/4097,4098/random_v"), &row,
            Outcome::failed(OutcomeKind::inaccurate, "ratio"));
  table.add("a", named("page_permutation/odd_first/4097,4098/constant_v"), nullptr,
            Outcome::failed(OutcomeKind::not_run, "no result"));
  table.add("a", named("mask/causal/sglang/linear/page=16/quant=none"), &alone, passed);
  const auto lines = printed(table);
  REQUIRE(lines.size() == 4);
  CHECK(lines[0].starts_with("page permutations, a: "));
  CHECK(lines[1] == "kind        pages               random  constant       row     alone   ratio  verdict");
  CHECK(lines[2] == "single      4097              4.00e-03  1.00e-03     0.800         -       -  passed");
  CHECK(lines[3] == "odd_first   4097,4098         5.00e-03         -     1.200     0.800   1.500  "
                    "random_v inaccurate, constant_v not_run");
}

TEST_CASE("page permutations: without rows nothing is printed, each implementation has its own") {
  PermutationTable table;
  CHECK(printed(table).empty());
  const ProbeResult result{0.004, 0.8, std::nullopt};
  for (const char* implementation : {"b", "a"})
    table.add(implementation, named("page_permutation/single/0/random_v"), &result, Outcome::passed());
  const auto lines = printed(table);
  REQUIRE(lines.size() == 6);
  CHECK(lines[0].starts_with("page permutations, a: "));
  CHECK(lines[3].starts_with("page permutations, b: "));
}
