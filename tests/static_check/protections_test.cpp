// The list of a kernel's protections: which may go or be weaker, with others gone already.
#include "emulator/observe/mutation/mutation.hpp"
#include "emulator/static_check/protections.hpp"
#include "tests/static_check/code_objects.hpp"

#include "tests/support/catch.hpp"
#include <fmt/format.h>
#include <sstream>

using namespace fmha950;

namespace {

struct Listed {
  uint64_t offset = 0;
  std::string field, source, what, enough, change, verdict, reason;
};

std::vector<Listed> listed(const char* code_object, const std::string& name, const std::string& changes = "",
                           std::optional<uint64_t> only = {}) {
  static std::map<std::string, std::unique_ptr<loader::CodeObject>> objects;
  auto& object = objects[code_object];
  if (!object) object = test::load_code_object(code_object);
  std::vector<Listed> all;
  std::istringstream lines(static_check::list_protections(*object->find_kernel(name), changes, only));
  for (std::string line; std::getline(lines, line);) {
    std::vector<std::string> fields;
    std::istringstream stream(line);
    for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
    REQUIRE(fields.size() == 12);
    CHECK(fields[2].substr(fields[2].find_last_of(":/")) == fields[3].substr(fields[3].find_last_of(":/")));
    all.push_back({std::stoull(fields[0], nullptr, 16), fields[1], fields[2], fields[7], fields[8], fields[9],
                   fields[10], fields[11]});
  }
  return all;
}

// "vmcnt(0) -> vmcnt(1)", "s_barrier refuted"
std::vector<std::string> texts(const std::vector<Listed>& all) {
  std::vector<std::string> texts;
  for (const Listed& each : all)
    texts.push_back(each.verdict == "proved"
                        ? fmt::format("{} ->{}{}", each.what, each.enough.empty() ? "" : " ", each.enough)
                        : each.what + " " + each.verdict);
  return texts;
}
using All = std::vector<std::string>;

} // namespace

TEST_CASE("protections: each by itself, with the verdict of its proof") {
  CHECK(texts(listed("static_check_kernels", "looser")) == All{"vmcnt(0) -> vmcnt(1)"});
  CHECK(texts(listed("static_check_workgroups", "two_barriers")) ==
        All{"lgkmcnt(0) undecided", "s_barrier ->", "s_barrier ->", "lgkmcnt(0) refuted"});
  CHECK(texts(listed("static_check_workgroups", "barrier_as_state")) ==
        All{"s_nop 6 refuted", "s_barrier refuted"});
  const auto not_followed = listed("static_check_kernels", "vgpr_index_unknown");
  CHECK_FALSE(not_followed.empty());
  for (const Listed& each : not_followed) CHECK(each.verdict == "undecided");
}

TEST_CASE("protections: with one gone the other is judged anew") {
  const auto alone = listed("static_check_workgroups", "two_barriers");
  const auto left = listed("static_check_workgroups", "two_barriers", alone[1].change);
  CHECK(texts(left) == All{"lgkmcnt(0) undecided", "s_barrier undecided", "lgkmcnt(0) refuted"});
  CHECK(left[1].offset == alone[2].offset); // of the original
  const auto only = listed("static_check_workgroups", "two_barriers", alone[1].change, alone[2].offset);
  CHECK(texts(only) == All{"s_barrier undecided"});
  CHECK(listed("static_check_workgroups", "two_barriers", alone[1].change, alone[1].offset).empty());

  const auto nops = listed("static_check_kernels", "needed_once");
  std::vector<Listed> both;
  std::ranges::copy_if(nops, std::back_inserter(both),
                       [](const Listed& each) { return each.field == "nop"; });
  REQUIRE(texts(both) == All{"s_nop 7 ->", "s_nop 7 ->"});
  const auto one = listed("static_check_kernels", "needed_once", both[0].change, both[1].offset);
  CHECK(texts(one) == All{"s_nop 7 refuted"});
}

TEST_CASE("protections: changes are values of option mutant, and leave nothing more to be weakened there") {
  for (const auto& [name, field] :
       {std::pair("looser", "vmcnt"), std::pair("superfluous_loop", "nop"), std::pair("no_flag", "lgkmcnt")})
    for (const Listed& each : listed("static_check_kernels", name)) {
      if (each.verdict != "proved" || each.field != field) continue;
      CAPTURE(name, each.change);
      std::string error;
      CHECK(observe::parse_mutant(each.change, error));
      for (const Listed& left : listed("static_check_kernels", name, each.change, each.offset)) {
        CHECK(left.field != "nop"); // what took its place was put there, and is not listed
        CHECK(left.verdict != "proved");
      }
    }
  CHECK_THROWS_AS(listed("static_check_kernels", "looser", "looser+0x1:vmcnt-drop"), observe::NoSuchMutant);
}
