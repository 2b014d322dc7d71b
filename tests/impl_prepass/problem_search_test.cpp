// The search for problems that kill mutants, on mutants of a kernel that is known by one tiny problem only: it finds
// problems that kill by the judge's rule, finds the same again, and says so where there is nothing to find.
#include "harness/device/variation.hpp"
#include "harness/mutation/problem_search.hpp"
#include "harness/mutation/subject.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>

using namespace fmha950;
using namespace fmha950::harness;

namespace {

const ListedKernel known{
    "prepass", "prepass_attention_bf16", "attention_forward", {"batch_prefill/h=1:1/sq=1/sk=1/d=128/page=1"}};

std::vector<Mutant> mutants(const std::string& change) {
  std::vector<Mutant> all = mutants_of(hip::load_kernel(known.code_object, known.kernel));
  std::erase_if(all, [&](const Mutant& mutant) { return mutant.change != change; });
  return all;
}

Judgement judged(const Mutant& mutant, const std::string& problem) {
  ListedKernel alone = known;
  alone.problems = {problem};
  const auto subject = implementation_subject(alone);
  return IsaJudge(*subject, {"eager"}).judge(mutant);
}

// Of waits that something needs, and that the known problem does not notice.
std::vector<Mutant> planted() {
  std::vector<Mutant> open;
  for (Mutant& mutant : mutants("vmcnt-drop"))
    if (!mutant.proved && judged(mutant, known.problems.front()).verdict != MutantVerdict::killed)
      open.push_back(std::move(mutant));
  return open;
}

struct OptionsAsBefore { // as other tests expect them
  ~OptionsAsBefore() { apply({.schedule = "eager", .threads = "", .mfma = "", .check = "none"}); }
};

} // namespace

TEST_CASE(
    "search: it finds problems that kill what the known one does not, and the same from the same seed") {
  const OptionsAsBefore restored;
  const std::vector<Mutant> open = planted();
  REQUIRE_FALSE(open.empty());
  const Search search = search_problems(known, open, 1, 40);
  CHECK(search.ways > 0);
  CHECK(search.launched > 10);
  REQUIRE_FALSE(search.finds.empty());
  CHECK(search.left.size() < open.size());
  for (const Find& find : search.finds) {
    CHECK_FALSE(find.killed.empty());
    for (const std::string& id : find.killed) {
      CAPTURE(find.problem, id);
      const auto mutant = std::ranges::find(open, id, &Mutant::id);
      REQUIRE(mutant != open.end());
      CHECK(judged(*mutant, find.problem).verdict == MutantVerdict::killed);
      CHECK(std::ranges::find(search.left, id) == search.left.end());
    }
  }
  const Search again = search_problems(known, open, 1, 40);
  REQUIRE(again.finds.size() == search.finds.size());
  for (size_t i = 0; i < again.finds.size(); ++i) CHECK(again.finds[i].problem == search.finds[i].problem);
}

TEST_CASE("search: where no problem kills, none is found and the mutants are left") {
  const OptionsAsBefore restored;
  std::vector<Mutant> equivalent = mutants("vmcnt+1");
  std::erase_if(equivalent, [](const Mutant& mutant) { return !mutant.proved; });
  REQUIRE_FALSE(equivalent.empty());
  const Search search = search_problems(known, equivalent, 1, 20);
  CHECK(search.finds.empty());
  CHECK(search.left.size() == equivalent.size());
  CHECK(search.launched > 0);
}

TEST_CASE("search: a kernel of the same name in another code object does not count") {
  const OptionsAsBefore restored;
  ListedKernel other = known;
  other.problems = {"batch_prefill/h=1:1/sq=1/sk=1/d=128/q=fp16/kv=fp16/o=fp16/page=1"};
  const Search search = search_problems(other, mutants("vmcnt-drop"), 1, 0);
  CHECK(search.launched == 0);
  CHECK(search.ways == 0);
}
