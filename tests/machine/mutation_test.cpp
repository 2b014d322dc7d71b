// ISA mutants: which a kernel has, and that each removes what its id says, and nothing else.

#include "tests/machine/guarded_kernel.hpp"

using namespace fmha950;

TEST_CASE("mutants: every protection is listed once with its line, padding is not") {
  Guarded g;
  CHECK(count(g, "barrier-drop") == 1);
  CHECK(count(g, "num_records") == 1); // two loads by one descriptor
  size_t nops = 0, waits = 0;
  for (const Listed& entry : g.listed) {
    CAPTURE(entry.id, entry.text);
    CHECK(entry.source.find("mutation_kernels.hip:") != std::string::npos);
    nops += entry.text.find("s_nop 2") != std::string::npos;
    waits += entry.change() == "vmcnt+1" && entry.text == "s_waitcnt vmcnt(1)";
    const std::string offset = entry.id.substr(0, entry.id.rfind(':'));
    CHECK(offset.substr(0, 10) == "guarded+0x");
  }
  CHECK(nops == 1);
  CHECK(waits >= 1);
}

TEST_CASE("mutants: each removes its own protection only, the original stays as it was") {
  Guarded g;
  const auto expected = g.run("");
  for (size_t i = 0; i < 128; ++i) {
    REQUIRE(expected[256 + i] == 1000 + i);
    REQUIRE(expected[384 + i] == 1128 + i);
    REQUIRE(expected[512 + i] == (i ^ 64) + 1);
    REQUIRE(expected[640 + i] == (i < 64 ? 1000 + i : 0));
    REQUIRE(expected[768 + i] == (i < 63 ? 1001 + i : 0));
  }
  using Sections = std::vector<size_t>;
  CHECK(changed(g.run(g.id("vmcnt+1", "s_waitcnt vmcnt(1)")), expected) == Sections{2});
  CHECK(changed(g.run(g.id("vmcnt-drop", "s_waitcnt vmcnt(1)")), expected) == Sections{2});
  CHECK(changed(g.run(g.id("vmcnt+1", "s_waitcnt vmcnt(0)")), expected) == Sections{3});
  CHECK(changed(g.run(g.id("barrier-drop", "s_barrier")), expected) == Sections{4});
  CHECK(changed(g.run(g.id("nop-drop", "s_nop 2")), expected).empty());
  const auto unbounded = g.run(g.id("num_records", "buffer_load_dword"));
  CHECK(changed(unbounded, expected) == Sections{5, 6});
  for (size_t i = 0; i < 128; ++i) REQUIRE(unbounded[640 + i] == 1000 + i);
  CHECK(g.run("") == expected);
  // Under eager nothing is in flight: waits make no difference.
  CHECK(changed(g.run(g.id("vmcnt-drop", "s_waitcnt vmcnt(1)"), "eager"), expected).empty());
}

TEST_CASE("mutants: a wait may go as a whole, though none of the list does that") {
  Guarded g;
  const auto expected = g.run("");
  for (const Listed& entry : g.listed) CHECK(entry.id.find("wait-drop") == entry.id.npos);
  const std::string loosened = g.id("vmcnt+1", "s_waitcnt vmcnt(1)");
  const std::string dropped = loosened.substr(0, loosened.rfind(':')) + ":wait-drop";
  CHECK(changed(g.run(dropped), expected) == std::vector<size_t>{2});
  const auto instructions = [&](const std::string& changes) {
    const auto* code = observe::mutant_code(g.kernel, changes);
    REQUIRE(code);
    REQUIRE(code->blocks.size() == 1);
    return code->blocks.front()->instructions.size();
  };
  CHECK(instructions(dropped) + 1 == instructions(loosened));
  const std::string barrier = g.id("barrier-drop", "s_barrier");
  CHECK_THROWS_WITH(g.run(barrier.substr(0, barrier.rfind(':')) + ":wait-drop"),
                    Catch::Contains("has none of that id"));
}

TEST_CASE("mutants: several changes go together") {
  Guarded g;
  const auto expected = g.run("");
  const std::string loosened = g.id("vmcnt+1", "s_waitcnt vmcnt(1)"),
                    dropped = g.id("vmcnt-drop", "s_waitcnt vmcnt(1)"),
                    last = g.id("vmcnt+1", "s_waitcnt vmcnt(0)");
  CHECK(changed(g.run(loosened + "," + last), expected) == std::vector<size_t>{2, 3});
  CHECK(g.run(loosened + "," + dropped) == g.run(dropped));
  CHECK(g.run(dropped + "," + loosened) ==
        g.run(dropped)); // a field that waits for nothing is loosened no more
  CHECK(changed(g.run(last + "," + g.id("barrier-drop", "s_barrier")), expected) ==
        std::vector<size_t>{3, 4});
  CHECK_THROWS_WITH(g.run(last + ",guarded+0x1:vmcnt+1"), Catch::Contains("has none of that id"));
  CHECK(g.run("") == expected);
}

TEST_CASE("mutants: a trap faults in the place of a mutant of any kind, places lie before and after") {
  Guarded g;
  const auto expected = g.run("");
  for (const Listed& entry : g.listed) {
    CAPTURE(entry.id);
    const std::string place = entry.id.substr(0, entry.id.rfind(':'));
    CHECK_THROWS_WITH(g.run(place + ":trap"), Catch::StartsWith(observe::trap_text));
    // Straight code: one range up to the place, one from there to the end.
    const std::string offset = place.substr(place.rfind("0x"));
    CHECK(entry.before == "0x0-" + offset);
    CHECK(entry.after.starts_with(offset + "-0x"));
    CHECK(entry.after.find(',') == entry.after.npos);
  }
  CHECK(g.run("") == expected);
}

TEST_CASE("mutants: ids that are none say what would be right") {
  Guarded g;
  std::string error;
  CHECK(observe::parse_mutant("", error));
  CHECK(observe::parse_mutant("kernel+0x1f0:vmcnt+1", error));
  CHECK(observe::parse_mutant("kernel+0x1f0:vmcnt+1,kernel+0x200:lgkmcnt-drop", error));
  for (const char* text : {"kernel", "kernel+0x:vmcnt+1", "kernel+12:vmcnt+1", "kernel+0x12:vmcnt",
                           "+0x12:nop-drop", "kernel+0x1f0:vmcnt+1,", "kernel+0x1f0:vmcnt+1,kernel"}) {
    CHECK_FALSE(observe::parse_mutant(text, error));
    CHECK(error.find("must be") != error.npos);
  }
  CHECK(observe::mutant_code(g.kernel, "other+0x0:vmcnt+1") == nullptr);
  CHECK_THROWS_WITH(observe::mutant_code(g.kernel, "guarded+0x1:vmcnt+1"),
                    "mutant = guarded+0x1:vmcnt+1: kernel guarded has none of that id");
}
