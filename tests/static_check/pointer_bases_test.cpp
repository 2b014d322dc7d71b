// Proofs that need to know through which argument a kernel accesses device memory.
#include "emulator/static_check/proof.hpp"
#include "tests/static_check/code_objects.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using static_check::Proof;
using Verdict = Proof::Verdict;

namespace {

const loader::Kernel& kernel_of(const std::string& name) {
  static const auto object = test::load_code_object("static_check_pointers");
  return *object->find_kernel(name);
}

// Of the kernel's n-th wait of that kind, removed.
Proof without_wait(const std::string& name, observe::Change change, size_t n) {
  const loader::Kernel& kernel = kernel_of(name);
  for (const observe::Mutation& mutation : observe::mutations_of(kernel))
    if (mutation.change == change && n-- == 0) return static_check::Prover(kernel).judge(mutation);
  return {Verdict::refuted, "no such wait"};
}
Proof without_memory_wait(const std::string& name) {
  return without_wait(name, observe::Change::vmcnt_dropped, 0);
}
// Of other_argument these are the loads of its arguments.
bool is_scalar_load(const static_check::Code& code, size_t index) {
  return code.instruction(index).encoding == isa::Encoding::smem;
}
bool names_premise(const Proof& proof) {
  return proof.reason.find("given that what a launch reads through one argument") != std::string::npos;
}

} // namespace

TEST_CASE(
    "pointer bases: a load over a barrier is proved where the store behind it is through another argument") {
  for (const char* name :
       {"other_argument", "by_vector", "either_of_the_read", "with_offset", "loaded_again", "by_resource",
        "some_lanes_all_second", "some_lanes_first_before", "dma_then_store"}) {
    const Proof proof = without_memory_wait(name);
    CAPTURE(name, proof.reason);
    CHECK(proof.verdict == Verdict::proved);
    CHECK(names_premise(proof));
  }
}

TEST_CASE("pointer bases: through the same argument, one of several or an unknown pointer it is not proved") {
  for (const char* name :
       {"same_argument", "by_vector_same", "by_vector_shifted", "either_of_all", "sum_of_two", "difference",
        "loaded_at_unknown", "loaded_from_memory", "loaded_beside", "by_resource_same",
        "all_lanes_first_before", "other_lanes_first_before", "lanes_by_unknown_mask",
        "mask_written_meanwhile", "dma_then_store_same"}) {
    const Proof proof = without_memory_wait(name);
    CAPTURE(name, proof.reason);
    CHECK(proof.verdict == Verdict::undecided);
  }
}

TEST_CASE("pointer bases: a kernel that may read a flag in device memory has no accesses apart") {
  for (const char* name : {"with_poll", "with_atomic"}) {
    const Proof proof = without_memory_wait(name);
    CAPTURE(name, proof.reason);
    CHECK(proof.verdict == Verdict::undecided);
  }
}

TEST_CASE("pointer bases: an LDS read tells nothing about what a load reads through another argument") {
  constexpr auto lds_wait = observe::Change::lgkmcnt_dropped;
  CHECK(without_wait("flag_of_other", lds_wait, 1).verdict == Verdict::proved);
  CHECK(without_wait("flag_of_same", lds_wait, 1).verdict == Verdict::undecided);
}

TEST_CASE(
    "pointer bases: without the premise nothing is apart but loads of the arguments, which nobody writes") {
  const static_check::Code code(kernel_of("other_argument"));
  using static_check::PointerBases, static_check::Premise;
  const PointerBases without(code, Premise::none), with(code, Premise::arguments_apart);
  size_t apart = 0, apart_without = 0, of_arguments = 0;
  for (size_t a = 0; a < code.size(); ++a)
    for (size_t b = 0; b < code.size(); ++b) {
      const bool loads = is_scalar_load(code, a) || is_scalar_load(code, b);
      CHECK(without.apart(a, b) == loads);
      of_arguments += loads;
      apart += with.apart(a, b);
      apart_without += without.apart(a, b);
    }
  CHECK(of_arguments > 0);
  CHECK(apart == apart_without + 2); // the load and the store
}

TEST_CASE("pointer bases: what is loaded beside the arguments, or at an unknown place, is none of them") {
  for (const auto& [name, others] : {std::pair("other_argument", 0), std::pair("loaded_from_memory", 1),
                                     std::pair("loaded_at_unknown", 1), std::pair("loaded_beside", 1)}) {
    const static_check::Code code(kernel_of(name));
    const static_check::PointerBases bases(code, static_check::Premise::none);
    int not_apart = 0;
    for (size_t i = 0; i < code.size(); ++i) not_apart += is_scalar_load(code, i) && !bases.apart(i, i);
    CAPTURE(name);
    CHECK(not_apart == others);
  }
}

TEST_CASE("last barrier: it may go where what comes behind meets nothing that comes before one") {
  const auto last = [](const std::string& name) {
    return without_wait(name, observe::Change::barrier_dropped, 1);
  };
  CHECK(last("last_before_nothing").verdict == Verdict::proved);
  CHECK_FALSE(names_premise(last("last_before_nothing")));
  CHECK(last("last_before_store").verdict == Verdict::proved);
  CHECK(names_premise(last("last_before_store")));
  for (const char* name : {"last_before_store_same", "last_between_stores", "last_before_lds",
                           "last_of_polling", "last_but_one"}) {
    CAPTURE(name, last(name).reason);
    CHECK(last(name).verdict == Verdict::undecided);
  }
  CHECK(without_wait("last_before_nothing", observe::Change::barrier_dropped, 0).verdict ==
        Verdict::undecided);
}
