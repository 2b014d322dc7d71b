// Proofs that num_records keeps nothing out.
#include "emulator/static_check/proof.hpp"
#include "tests/static_check/code_objects.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;
using static_check::Proof;
using Verdict = Proof::Verdict;

namespace {

Proof without_num_records(const std::string& name) {
  static const auto object = test::load_code_object("static_check_buffers");
  const loader::Kernel& kernel = *object->find_kernel(name);
  for (const observe::Mutation& mutation : observe::mutations_of(kernel))
    if (mutation.change == observe::Change::num_records) return static_check::Prover(kernel).judge(mutation);
  return {Verdict::refuted, "no such mutant"};
}
bool names_premise(const Proof& proof) {
  return proof.reason.find("given that each entry of a table is below the count") != std::string::npos;
}

} // namespace

TEST_CASE("buffer bounds: offsets whose bits are known are compared with a size that is") {
  for (const char* name : {"known", "known_with_offset"}) {
    const Proof proof = without_num_records(name);
    CAPTURE(name, proof.reason);
    CHECK(proof.verdict == Verdict::proved);
    CHECK_FALSE(names_premise(proof));
  }
  for (const char* name : {"known_beyond", "known_with_offset_beyond", "known_with_soffset_beyond",
                           "known_by_index", "known_by_format", "known_with_unknown_word3"}) {
    const Proof proof = without_num_records(name);
    CAPTURE(name, proof.reason);
    CHECK(proof.verdict == Verdict::undecided);
  }
}

TEST_CASE("buffer bounds: entries of a table are below the count if both are scaled alike") {
  for (const char* name : {"rows", "rows_twice", "pages", "pages_by_not", "pages_first_rows", "on_two_paths",
                           "in_a_loop", "in_all_lanes"}) {
    const Proof proof = without_num_records(name);
    CAPTURE(name, proof.reason);
    CHECK(proof.verdict == Verdict::proved);
    CHECK(names_premise(proof));
  }
}

TEST_CASE("buffer bounds: scaled otherwise, with more added or not on all paths and lanes it is not proved") {
  for (const char* name :
       {"rows_beyond", "rows_larger", "rows_overlapping", "rows_with_unknown", "rows_with_complement",
        "rows_of_sum", "rows_of_other_count", "rows_of_loaded_count", "rows_second_beyond",
        "pages_other_mask", "pages_contrary_mask", "pages_without_mask", "pages_of_other_size", "on_one_path",
        "in_a_loop_growing", "in_some_lanes"}) {
    const Proof proof = without_num_records(name);
    CAPTURE(name, proof.reason);
    CHECK(proof.verdict == Verdict::undecided);
  }
}
