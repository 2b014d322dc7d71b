// ISA mutants: which a kernel has, and that each removes what its id says, and nothing else.
#include "emulator/loader/code_object.hpp"
#include "emulator/machine/launch.hpp"
#include "emulator/memory/address_space.hpp"
#include "emulator/observe/mutation/mutation.hpp"
#include "interface/hip.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <cstring>
#include <sstream>

using namespace fmha950;

namespace {

struct Listed {
  std::string id, source, text, before, after;
  std::string change() const { return id.substr(id.rfind(':') + 1); }
};

class Guarded {
 public:
  Guarded() : object_(hip::code_object("machine_mutation_kernels")), kernel(*object_.find_kernel("guarded")) {
    auto& space = machine::AddressSpace::device();
    out_ = static_cast<uint32_t*>(space.allocate(words * 4));
    kernarg_ = space.allocate(64);
    std::memcpy(kernarg_, &out_, sizeof out_);
    std::istringstream lines(observe::list_mutants(kernel));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream fields(line);
      Listed& entry = listed.emplace_back();
      std::getline(fields, entry.id, '\t');
      std::getline(fields, entry.source, '\t');
      std::getline(fields, entry.text, '\t');
      std::getline(fields, entry.before, '\t');
      std::getline(fields, entry.after, '\t');
    }
  }
  ~Guarded() {
    machine::AddressSpace::device().release(out_);
    machine::AddressSpace::device().release(kernarg_);
  }
  std::vector<uint32_t> run(const std::string& mutant, const char* schedule = "lazy,starve:0") {
    for (size_t i = 0; i < words; ++i) out_[i] = static_cast<uint32_t>(1000 + i);
    machine::Launch launch;
    std::string error;
    REQUIRE(machine::parse_schedule(schedule, launch.options.schedule, error));
    launch.kernel = &kernel;
    launch.kernarg = reinterpret_cast<uint64_t>(kernarg_);
    launch.block[0] = 128;
    if (!mutant.empty()) launch.code = observe::mutant_code(kernel, mutant);
    machine::run(launch);
    return {out_, out_ + words};
  }
  // The mutant with this change whose instruction has this text.
  std::string id(const std::string& change, const std::string& text) const {
    for (const Listed& entry : listed)
      if (entry.change() == change && entry.text.find(text) != entry.text.npos) return entry.id;
    FAIL("no mutant " << change << " of " << text);
    return {};
  }
  static constexpr size_t words = 1024;

 private:
  loader::CodeObject object_;
  uint32_t* out_;
  void* kernarg_;

 public:
  const loader::Kernel& kernel;
  std::vector<Listed> listed;
};

size_t count(const Guarded& g, const std::string& change) {
  return static_cast<size_t>(
      std::count_if(g.listed.begin(), g.listed.end(), [&](const Listed& e) { return e.change() == change; }));
}

// Sections of 128 words of the output that differ from the unmutated kernel's.
std::vector<size_t> changed(const std::vector<uint32_t>& a, const std::vector<uint32_t>& b) {
  std::vector<size_t> sections;
  for (size_t s = 0; s < a.size() / 128; ++s)
    if (!std::equal(a.begin() + s * 128, a.begin() + (s + 1) * 128, b.begin() + s * 128))
      sections.push_back(s);
  return sections;
}

} // namespace

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

TEST_CASE("mutants: several waits are missing together, and nothing but waits goes together") {
  Guarded g;
  const auto expected = g.run("");
  const std::string loosened = g.id("vmcnt+1", "s_waitcnt vmcnt(1)"),
                    dropped = g.id("vmcnt-drop", "s_waitcnt vmcnt(1)"),
                    last = g.id("vmcnt+1", "s_waitcnt vmcnt(0)");
  CHECK(changed(g.run(loosened + "," + last), expected) == std::vector<size_t>{2, 3});
  CHECK(g.run(loosened + "," + dropped) == g.run(dropped));
  CHECK(g.run(dropped + "," + loosened) ==
        g.run(dropped)); // a field that waits for nothing is loosened no more
  CHECK_THROWS_WITH(g.run(last + "," + g.id("barrier-drop", "s_barrier")),
                    Catch::Contains("only waits go together"));
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
    CHECK(error.starts_with("must be KERNEL+0xOFFSET:CHANGE, CHANGE one of vmcnt+1, "));
  }
  CHECK(observe::mutant_code(g.kernel, "other+0x0:vmcnt+1") == nullptr);
  CHECK_THROWS_WITH(observe::mutant_code(g.kernel, "guarded+0x1:vmcnt+1"),
                    "mutant = guarded+0x1:vmcnt+1: kernel guarded has none of that id");
}
