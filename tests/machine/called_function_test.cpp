// Changes to a function that a kernel calls: launches of that kernel execute its copy wherever they call it from, those of
// others do not, and no two instructions lie at one place.
#include "emulator/isa/mnemonic.hpp"
#include "emulator/loader/code_object.hpp"
#include "emulator/machine/launch.hpp"
#include "emulator/machine/listener.hpp"
#include "emulator/memory/address_space.hpp"
#include "emulator/observe/mutation/change_list.hpp"
#include "emulator/observe/mutation/mutation.hpp"
#include "interface/hip.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <set>

using namespace fmha950;

namespace {

class Calls final : public machine::Listener {
 public:
  Calls() : object_(hip::code_object("machine_mutation_kernels")) {
    out_ = static_cast<uint32_t*>(space_.allocate(words * 4));
    kernarg_ = space_.allocate(512);
    std::memcpy(kernarg_, &out_, sizeof out_);
  }
  ~Calls() override {
    space_.release(out_);
    space_.release(kernarg_);
  }
  const loader::Kernel& kernel(const char* name) const { return *object_.find_kernel(name); }
  std::unique_ptr<machine::WorkgroupListener> join() override { return std::make_unique<Watch>(*this); }

  // Of one wave, the sums that it stores.
  std::vector<uint32_t> run(const char* name, const std::string& changes) {
    for (uint32_t i = 0; i < words; ++i) out_[i] = 1000 + i;
    machine::Launch launch;
    std::string error;
    REQUIRE(machine::parse_schedule("lazy", launch.options.schedule, error));
    launch.kernel = &kernel(name);
    launch.kernarg = reinterpret_cast<uint64_t>(kernarg_);
    launch.block[0] = 64;
    launch.options.threads = 1;
    if (!changes.empty()) launch.code = observe::mutant_code(kernel(name), changes);
    launch.listener = this;
    inserted = 0;
    places.clear();
    machine::run(launch);
    return {out_ + 256, out_ + 320};
  }
  // The first instruction of a function with this mnemonic: its offset.
  uint64_t offset(const char* name, const std::string& function, const std::string& mnemonic) const {
    const observe::FunctionCode code = observe::function_code(kernel(name), function);
    for (const isa::Instruction& in : code.block.instructions)
      if (in.bytes > 0 && in.address >= code.entry && isa::mnemonic_of(in) == mnemonic)
        return in.address - code.entry;
    FAIL("no " << mnemonic);
    return 0;
  }

  size_t inserted = 0;                                           // instructions that were executed
  std::set<std::pair<uint64_t, const isa::Instruction*>> places; // where executed instructions lie

 private:
  struct Watch final : machine::WorkgroupListener {
    explicit Watch(Calls& owner) : of(owner) {}
    void before(machine::Wave&, const isa::Instruction& in) override {
      of.inserted += in.inserted > 0;
      of.places.emplace(in.laid_out_at, &in);
    }
    Calls& of;
  };
  static constexpr size_t words = 1024;
  machine::AddressSpace& space_ = machine::AddressSpace::device();
  loader::CodeObject object_;
  uint32_t* out_;
  void* kernarg_;
};

std::vector<uint32_t> sums(uint32_t calls) {
  std::vector<uint32_t> expected(64);
  for (uint32_t i = 0; i < calls; ++i)
    for (uint32_t lane = 0; lane < 64; ++lane) expected[lane] += 1000 + 64 * i + lane;
  return expected;
}

} // namespace

TEST_CASE("called function: its copy is executed at every call, by launches of that kernel alone") {
  Calls calls;
  REQUIRE(calls.run("calling", "") == sums(3));
  // The asm's own wait is behind the one at the entry.
  const auto code = observe::function_code(calls.kernel("calling"), "loaded");
  std::string dropped;
  for (const observe::Mutation& mutation : observe::mutations_of(code))
    if (mutation.change == observe::Change::vmcnt_dropped &&
        mutation.offset > calls.offset("calling", "loaded", "global_load_dword"))
      dropped = observe::id_of(code, mutation);
  REQUIRE(dropped.starts_with("calling/loaded+0x"));
  const std::string place = dropped.substr(0, dropped.rfind(':'));
  CHECK(calls.run("calling", dropped) == std::vector<uint32_t>(64, 3 * 0xAAAA));
  CHECK(calls.run("calling", dropped + "," + place + ":vmcnt=0") == sums(3));
  CHECK(calls.run("calling", dropped + "," + place + ":before:s_waitcnt vmcnt(0)") == sums(3));
  CHECK(calls.inserted == 3);
  CHECK(calls.run("calling", "") == sums(3));
  CHECK(observe::mutant_code(calls.kernel("calling_too"), dropped) == nullptr);
  CHECK(calls.run("calling_too", "") == sums(1));
  CHECK(calls.run("calling_too", "calling_too" + dropped.substr(dropped.find('/'))) ==
        std::vector<uint32_t>(64, 0xAAAA));
}

TEST_CASE("called function: an instruction that was taken away and is put back makes the original's layout") {
  Calls calls;
  const uint64_t nop = calls.offset("calling", "loaded", "s_nop");
  const std::string list =
      fmt::format("calling/loaded+{0:#x}:nop-drop,calling/loaded+{0:#x}:before:s_nop 2", nop);
  CHECK(calls.run("calling", list) == sums(3));
  const auto& copies = *observe::mutant_code(calls.kernel("calling"), list);
  REQUIRE(copies.blocks.size() == 1);
  const auto& original = observe::function_code(calls.kernel("calling"), "loaded").block;
  REQUIRE(copies.blocks.front()->instructions.size() == original.instructions.size());
  for (size_t i = 0; i < original.instructions.size(); ++i)
    CHECK(copies.blocks.front()->instructions[i].laid_out_at == original.instructions[i].address);
}

TEST_CASE("called function: what grows moves what lies behind it, and nothing lies at one place") {
  Calls calls;
  const auto& kernel = calls.kernel("calling");
  const auto before = observe::function_code(kernel, "loaded");
  const auto behind = observe::function_code(kernel, "");
  REQUIRE(behind.entry >= before.block.end);
  std::string grown;
  for (size_t bytes = before.block.end; bytes <= behind.entry; bytes += 4)
    grown += (grown.empty() ? "calling/loaded+0x0:before:" : ";") + std::string("s_nop 0");
  for (const std::string& list : {grown, grown + ",calling+0x0:before:s_nop 0;s_nop 0"}) {
    CHECK(calls.run("calling", list) == sums(3));
    CHECK(calls.inserted > 0);
    const auto& copies = *observe::mutant_code(kernel, list);
    CHECK(copies.blocks.size() == 2); // the kernel is in the way
    CHECK(copies.at(behind.entry)->laid_out_at > behind.entry);
    CHECK(copies.at(behind.entry)->address == behind.entry);
    for (auto at = calls.places.begin(); std::next(at) != calls.places.end(); ++at)
      CHECK(at->first + at->second->bytes <= std::next(at)->first);
  }
  // One that does not grow moves nothing.
  const auto& few = *observe::mutant_code(
      kernel, fmt::format("calling/loaded+{:#x}:nop-drop", calls.offset("calling", "loaded", "s_nop")));
  CHECK(few.blocks.size() == 1);
}

TEST_CASE("called function: what is none is refused, and what would be right is said") {
  Calls calls;
  const auto& kernel = calls.kernel("calling");
  const auto refused = [&](const std::string& list, const char* wanted) {
    CAPTURE(list);
    CHECK_THROWS_WITH(observe::mutant_code(kernel, list), Catch::Contains(wanted));
  };
  refused("calling/other+0x0:before:s_nop 0", "the code object has no such function");
  refused("calling/calling+0x0:before:s_nop 0", "it is a kernel, whose own code is named KERNEL+0xOFFSET");
  refused("calling/loaded+0x1:before:s_nop 0", "function loaded has no instruction at 0x1");
  refused("calling/loaded+0x0:barrier-drop", "function loaded has none of that id");
  refused("calling/loaded+0x0:before:s_nop 0,calling_too+0x0:before:s_nop 0", "must be of kernel calling");
  // Execution comes back from the function's return, not from the call.
  refused(fmt::format("calling+{:#x}:after:s_nop 0", calls.offset("calling", "", "s_swappc_b64")),
          "execution does not go from the one to the other");
  std::string error;
  CHECK(observe::parse_mutant("k/f+0x10:vmcnt-drop,k+0x10:vmcnt-drop", error));
  for (const char* text : {"/f+0x10:vmcnt-drop", "k/+0x10:vmcnt-drop"}) {
    CHECK_FALSE(observe::parse_mutant(text, error));
    CHECK(error.find("KERNEL/FUNCTION+0xOFFSET:CHANGE") != error.npos);
  }
}
