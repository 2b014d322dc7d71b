// Which protections may go together: by proofs on all paths, each with the others gone, and by executions that take from the set.
#include "harness/cure/too_strong.hpp"
#include "tests/cure/patient_of.hpp"

#include <nlohmann/json.hpp>
#include <sstream>

using namespace fmha950::harness;
using namespace fmha950::harness::cure;

namespace {

template <size_t DISTANCE> Words through_lds(const Words&, const CorpusProblem&) {
  Words out;
  for (uint32_t i = 0; i < 128; ++i) out.push_back((i ^ DISTANCE) + 2);
  return out;
}
Words all_plus_one(const Words& in, const CorpusProblem&) {
  Words out(in.begin(), in.begin() + 128);
  for (uint32_t& word : out) ++word;
  return out;
}

TestPatient patient_of(const char* name, uint32_t threads = 64, Expected expected = plus_one,
                       const char* code_object = "cure_too_strong") {
  return TestPatient(kernel_of(code_object, name, threads, {{129}, {256}}, expected));
}

// "vmcnt(0) ->", "vmcnt(0) -> vmcnt(1)": the members by their places.
std::vector<std::string> members_of(const TooStrongSet& set) {
  std::map<uint64_t, std::string> by_place;
  for (const TooStrong& member : set.members)
    by_place[member.protection.offset] +=
        member.protection.what + " ->" +
        (member.protection.enough.empty() ? "" : " " + member.protection.enough);
  std::vector<std::string> all;
  for (const auto& [offset, text] : by_place) all.push_back(text);
  return all;
}
using All = std::vector<std::string>;

TooStrongSet set_of(TestPatient& test, bool all = false) {
  TooStrongSet set = find_too_strong(test.patient, test.conditions, {all});
  CAPTURE(as_text(set));
  CHECK(set.unsound.empty());
  CHECK(set.contradicted.empty());
  CHECK(set.looked_at >= set.members.size() + set.needed);
  return set;
}

} // namespace

TEST_CASE("too strong: of two waits that stand in for each other one stays") {
  TestPatient test = patient_of("either_wait");
  const TooStrongSet set = set_of(test);
  CHECK(members_of(set) == All{"vmcnt(0) ->"});
  REQUIRE(set.stand_in.size() == 1);
  CHECK(set.stand_in.front().why.find("is read while global_load_dword") != std::string::npos);
  CHECK(set.members.front().protection.offset != set.stand_in.front().protection.offset);
  CHECK(set.members.front().saved.has_value());
  CHECK(set.held_on.size() == 1);
  // Each by itself is proved.
  Sources sources;
  size_t proved = 0;
  for (const ListedProtection& each : listed_protections(test.patient.kernel(), "", sources))
    proved += each.author == ListedProtection::Author::hand && each.is_proved();
  CHECK(proved == 2);
}

TEST_CASE("too strong: a wait may be weaker, and one for nothing goes with both of its counters") {
  TestPatient test = patient_of("looser_wait");
  const TooStrongSet set = set_of(test);
  CHECK(members_of(set) == All{"vmcnt(0) -> vmcnt(1)", "vmcnt(0) ->lgkmcnt(0) ->"});
  CHECK(set.stand_in.size() == 1);
  CHECK(set.change.find("vmcnt-drop") != std::string::npos);
  CHECK(set.change.find("vmcnt=1") != std::string::npos);
  CHECK(set.change.find("wait-drop") != std::string::npos); // with the second counter the instruction goes
}

TEST_CASE("too strong: a wait that another path needs stays, though executions show no difference") {
  TestPatient test(kernel_of("cure_too_strong", "other_path", 64, {{129}}, plus_one));
  const TooStrongSet set = set_of(test);
  CHECK(members_of(set) == All{"vmcnt(0) ->"}); // that of the way which is taken
  CHECK(set.needed == 1);
  Sources sources;
  for (const ListedProtection& each : listed_protections(test.patient.kernel(), "", sources))
    if (each.author == ListedProtection::Author::hand && each.verdict == "refuted") {
      Comparison comparison(test.patient, test.conditions);
      CHECK(comparison.difference(fmt::format("other_path+{:#x}:vmcnt-drop", each.offset)).empty());
      CHECK(set.members.front().protection.offset > each.offset);
    }
}

TEST_CASE("too strong: an s_nop becomes as short as the rules allow") {
  TestPatient test = patient_of("longer_nop", 64, plus_one);
  const TooStrongSet set = set_of(test);
  CHECK(members_of(set) == All{"s_nop 15 -> s_nop 7"});
  CHECK(set.needed == 1);
  CHECK(set.change.find("nop-drop") != std::string::npos);
  CHECK(set.change.find("before:s_nop 7") != std::string::npos);
}

TEST_CASE(
    "too strong: a barrier goes where no waves meet, with the wait before it, and stays where they do") {
  TestPatient within = patient_of("barrier_within_wave", 128, through_lds<32>);
  CHECK(members_of(set_of(within)) == All{"lgkmcnt(0) ->", "s_barrier ->"});
  TestPatient between = patient_of("barrier_between_waves", 128, through_lds<64>);
  const TooStrongSet set = set_of(between);
  CHECK(members_of(set).empty());
  CHECK(set.change.empty());
  CHECK(set.undecided.size() == 2); // the barrier, and the wait before it
}

TEST_CASE("too strong: no barrier goes that would leave another wave's without a partner") {
  TestPatient test = patient_of("one_ahead", 128, all_plus_one);
  const TooStrongSet set = set_of(test);
  CHECK(members_of(set) == All{"s_barrier ->"}); // the one that both waves come to
  CHECK(set.undecided.size() == 2);
  for (const ListedProtection& each : set.undecided) {
    Comparison comparison(test.patient, test.conditions);
    CHECK_FALSE(comparison.difference(fmt::format("one_ahead+{:#x}:barrier-drop", each.offset)).empty());
  }
}

TEST_CASE("too strong: what executions object to leaves the set, and the others stay") {
  TestPatient test = patient_of("looser_wait");
  TooStrongSet set = set_of(test);
  // As if the wait that is needed then were proved, too.
  REQUIRE(set.stand_in.size() == 1);
  ListedProtection needed = set.stand_in.front().protection;
  needed.change = fmt::format("looser_wait+{:#x}:vmcnt-drop", needed.offset);
  set.members.insert(set.members.begin() + 1, {needed, {}});
  REQUIRE(set.members.size() == 4);
  Comparison comparison(test.patient, test.conditions);
  keep_what_holds(comparison, set);
  CHECK(set.members.size() == 3);
  REQUIRE(set.contradicted.size() == 1);
  CHECK(set.contradicted.front().protection.is_same_as(needed));
  CHECK(set.contradicted.front().why.find("register_in_flight") != std::string::npos);
  CHECK(as_text(set).find("proved, but executions differ: +0x") != std::string::npos);
}

TEST_CASE(
    "too strong: without lines all are taken and that is said, with them the compiler's only if asked for") {
  TestPatient bare = patient_of("either_wait", 64, plus_one, "cure_too_strong_without_lines");
  const TooStrongSet all = set_of(bare);
  CHECK(all.without_source == all.looked_at);
  CHECK(all.looked_at > 2);
  CHECK(as_text(all).find("are taken as written by hand: there is no source line") != std::string::npos);
  TestPatient test = patient_of("either_wait");
  CHECK(set_of(test).looked_at == 2);
  TestPatient again = patient_of("either_wait");
  CHECK(set_of(again, true).looked_at == all.looked_at);
}

TEST_CASE("too strong: a kernel that has findings is not looked at") {
  TestPatient test(kernel_of("cure_kernels", "late_wait", 64, {{64}}, plus_one));
  const TooStrongSet set = find_too_strong(test.patient, test.conditions, {});
  CHECK(set.unsound.find("`cure` them first") != std::string::npos);
  CHECK(set.members.empty());
}

TEST_CASE("too strong: text, JSON and the sum say the same") {
  TestPatient test = patient_of("either_wait");
  const TooStrongSet set = set_of(test);
  const std::string text = as_text(set);
  for (const char* part :
       {"kernel either_wait: 1 of 2 protections may go or be weaker together; 0 are needed, 0 not decided",
        "too_strong.hip:", "vmcnt(0) may go: on all paths", "stays with them gone:",
        "new report, the kernel's bits", "modelled", "try it  FMHA950_MUTANT='either_wait+0x"}) {
    CAPTURE(text, part);
    CHECK(text.find(part) != text.npos);
  }
  std::map<std::string, size_t> kinds;
  std::istringstream lines(as_json(set));
  for (std::string line; std::getline(lines, line);) ++kinds[nlohmann::json::parse(line).at("kind")];
  CHECK(kinds == std::map<std::string, size_t>{{"member", 1}, {"stands_in", 1}, {"kernel", 1}});
  CHECK(closing_line({set}).starts_with("1 protections of 1 kernels may go or be weaker, "));
}

TEST_CASE("source statement: what is written, by its kind and counter, over the lines of a statement") {
  CHECK(asks_for("asm volatile(\"s_waitcnt vmcnt(%0)\" ::\"n\"(0));", "vmcnt"));
  CHECK_FALSE(asks_for("asm volatile(\"s_waitcnt vmcnt(%0)\" ::\"n\"(0));", "lgkmcnt"));
  CHECK(asks_for("WAIT_ALL();", "lgkmcnt"));
  CHECK(asks_for("__syncthreads();", "barrier"));
  CHECK_FALSE(asks_for("value = in[lane];", "vmcnt"));
  CHECK_FALSE(asks_for("settle(value);", "nop"));
  CHECK_FALSE(asks_for("nope = synopsis(pool_.nope);", "nop"));
  CHECK(asks_for("S_NOP(3);", "nop"));
  Sources sources;
  const auto path = std::string(TESTS) + "/cure/too_strong.hip:";
  const auto statement = [&](int line) { return sources.statement(path + std::to_string(line)); };
  REQUIRE(statement(9));
  CHECK(statement(9)->find("s_waitcnt vmcnt(0)") != std::string::npos); // the whole asm statement
  CHECK(statement(9)->find("arguments.out") == std::string::npos);
  CHECK_FALSE(statement(6)->find("stand") != std::string::npos); // a comment says nothing
  CHECK_FALSE(statement(100000));
  CHECK_FALSE(sources.statement("no/such/file.hip:1"));
  CHECK_FALSE(sources.statement(""));
  CHECK(sources.statement("gfx950/waits.hpp:1")); // from the project's folder
}
