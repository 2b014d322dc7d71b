// Proofs about barriers and the waits before them, by what each wave of a workgroup accesses.
#include "emulator/static_check/proof.hpp"
#include "tests/static_check/code_objects.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

namespace {

// "proved", "undecided" ... of the kernel's mutants with that change, in code order.
std::vector<std::string> verdicts(const std::string& name, observe::Change change) {
  static const auto object = test::load_code_object("static_check_workgroups");
  const loader::Kernel& kernel = *object->find_kernel(name);
  const static_check::Prover prover(kernel);
  std::vector<std::string> all;
  for (const observe::Mutation& mutation : observe::mutations_of(kernel))
    if (mutation.change == change) all.push_back(name_of(prover.judge(mutation).verdict));
  return all;
}
using All = std::vector<std::string>;
constexpr auto barrier = observe::Change::barrier_dropped, lds_wait = observe::Change::lgkmcnt_dropped,
               memory_wait = observe::Change::vmcnt_dropped;

} // namespace

TEST_CASE(
    "workgroup order: a barrier between waves that meet in no byte is proved, between others it is not") {
  for (const char* kernel : {"own_word", "word_of_the_wave", "unknown_word_one_wave", "some_of_one_wave"}) {
    CAPTURE(kernel);
    CHECK(verdicts(kernel, barrier) == All{"proved"});
    CHECK(verdicts(kernel, lds_wait) == All{"proved", "refuted"}); // the last one is the register's
  }
  for (const char* kernel : {"word_of_the_other_wave", "unknown_word", "some_of_one_wave_all_read"}) {
    CAPTURE(kernel);
    CHECK(verdicts(kernel, barrier) == All{"undecided"});
    CHECK(verdicts(kernel, lds_wait) == All{"undecided", "refuted"});
  }
}

TEST_CASE(
    "workgroup order: of two barriers where one is enough either may go, the wait before both may not") {
  CHECK(verdicts("two_barriers", barrier) == All{"proved", "proved"});
  CHECK(verdicts("two_barriers", lds_wait) == All{"undecided", "refuted"});
}

TEST_CASE("workgroup order: a loop whose count the code fixes is followed") {
  CHECK(verdicts("loop_of_the_wave", barrier) == All{"proved"});
  CHECK(verdicts("loop_of_the_other_wave", barrier) == All{"undecided"});
}

TEST_CASE(
    "workgroup order: a barrier that only one wave has keeps the others' count, and an unknown way is none") {
  CHECK(verdicts("one_ahead", barrier).at(1) == "proved");
  CHECK(verdicts("one_ahead_by_memory", barrier) ==
        All{"undecided", "undecided", "proved"}); // nothing comes behind it
}

TEST_CASE(
    "workgroup order: the last barrier of staggered waves may go where it orders nothing, the first never") {
  CHECK(verdicts("one_ahead", barrier) == All{"undecided", "proved", "proved"});
  CHECK(verdicts("one_ahead_then_read", barrier) == All{"undecided", "undecided", "undecided"});
}

TEST_CASE("workgroup order: accesses of device memory meet if one is a write") {
  CHECK(verdicts("store_then_load", barrier) == All{"undecided"});
  CHECK(verdicts("store_then_load", memory_wait) == All{"undecided", "refuted"});
  CHECK(verdicts("load_then_load", barrier) == All{"proved"});
}

TEST_CASE(
    "phases: a load over a barrier is proved where waves meet and no wave stores before the next barrier") {
  CHECK(verdicts("load_in_loop_ordered", memory_wait) == All{"proved", "proved"});
  CHECK(verdicts("load_in_loop", memory_wait) == All{"undecided", "proved"}); // the store behind the loop
  CHECK(verdicts("load_in_loop_of_stores", memory_wait) == All{"undecided", "proved"});
  CHECK(verdicts("load_in_loop_by_wave", memory_wait) == All{"undecided", "proved"});
}

TEST_CASE("phases: an LDS read before a load is no flag where no store is made or arrives meanwhile") {
  const auto last = [](const std::string& kernel, size_t wait) {
    return verdicts(kernel, lds_wait).at(wait);
  };
  CHECK(last("flag_after_stores", 1) == "proved");
  CHECK(last("flag_with_stores", 1) == "undecided");
  CHECK(last("flag_with_stores_in_flight", 1) == "undecided");
}

TEST_CASE("LDS ranges: LDS DMA over a barrier is proved where no access may be at its places, whatever the "
          "parity") {
  CHECK(verdicts("own_places", memory_wait) == All{"proved", "proved"});
  CHECK(verdicts("own_places_by_table", memory_wait) == All{"proved", "proved"});
  CHECK(verdicts("own_places_by_table_read", memory_wait).front() == "undecided");
  CHECK(verdicts("own_places_read", memory_wait).front() == "undecided");
  CHECK(verdicts("places_that_reach_the_reads", memory_wait).front() == "undecided");
}

TEST_CASE("workgroup order: a barrier whose wait state is wanted is needed, whatever it orders") {
  CHECK(verdicts("barrier_as_state", barrier) == All{"refuted"});
  CHECK(verdicts("barrier_beyond_states", barrier) == All{"proved"});
}

TEST_CASE("workgroup order: addresses of a kernel that asks for two dimensions are not known") {
  CHECK(verdicts("own_word_in_two_dimensions", barrier) == All{"undecided"});
}
