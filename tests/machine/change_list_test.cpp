// Changes that protect: what is put into a kernel is executed where its text says, on the ways that it says, and the copy
// is laid out without a gap.
#include "emulator/isa/mnemonic.hpp"
#include "emulator/isa/waitcnt.hpp"
#include "emulator/machine/listener.hpp"
#include "emulator/observe/mutation/change_list.hpp"
#include "emulator/program/row.hpp"
#include "tests/machine/guarded_kernel.hpp"

using namespace fmha950;

namespace {

using Sections = std::vector<size_t>;

uint64_t offset_of(const std::string& id) { return std::stoull(id.substr(id.rfind("+0x") + 1), nullptr, 16); }

struct Code {
  explicit Code(const Guarded& g, const std::string& changes)
      : block(*observe::mutant_code(g.kernel, changes)->of(g.kernel.entry)), entry(g.kernel.entry) {}
  const isa::Program::Block& block;
  uint64_t entry;

  // Every instruction lies behind the one before it.
  void check_layout() const {
    uint64_t at = block.begin;
    for (const isa::Instruction& in : block.instructions) {
      REQUIRE(in.laid_out_at == at);
      at += in.bytes;
    }
  }
  const isa::Instruction& at(uint64_t offset) const { return *block.at(entry + offset); }
};

std::string at(uint64_t offset, const std::string& change) {
  return fmt::format("guarded+{:#x}:{}", offset, change);
}

} // namespace

TEST_CASE("change list: what was taken away and is put back makes the original's bits and layout") {
  Guarded g;
  const auto expected = g.run("");
  const auto& original = g.kernel.object->program().decode(
      g.kernel.object->function_at(g.kernel.entry)->begin, g.kernel.object->function_at(g.kernel.entry)->end,
      g.kernel.accum_offset);
  const std::string dropped = g.id("barrier-drop", "s_barrier");
  const std::string back = dropped + "," + at(offset_of(dropped) + 4, "before:s_barrier");
  CHECK(changed(g.run(dropped), expected) == Sections{4});
  CHECK(g.run(back) == expected);
  const Code code(g, back);
  code.check_layout();
  REQUIRE(code.block.instructions.size() == original.instructions.size());
  for (size_t i = 0; i < original.instructions.size(); ++i) {
    CHECK(code.block.instructions[i].laid_out_at == original.instructions[i].address);
    CHECK(code.block.instructions[i].row == original.instructions[i].row);
    CHECK(code.block.instructions[i].target == original.instructions[i].target);
  }
}

TEST_CASE("change list: a wait in another place than the one that was lost") {
  Guarded g;
  const auto expected = g.run("");
  const std::string dropped = g.id("vmcnt-drop", "s_waitcnt vmcnt(1)");
  const uint64_t place = offset_of(dropped);
  CHECK(changed(g.run(dropped), expected) == Sections{2});
  CHECK(g.run(dropped + "," + at(place + 4, "before:s_waitcnt vmcnt(1)")) == expected);
  CHECK(g.run(dropped + "," + at(place, "after:s_waitcnt vmcnt(1)")) == expected);
  CHECK(g.run(dropped + "," + at(place, "vmcnt=1")) == expected);
  CHECK(g.run(dropped + "," + at(place, "vmcnt=0")) == expected);
  // One operation too few, one counter too few, one instruction too late: nothing is mended.
  CHECK(changed(g.run(dropped + "," + at(place, "before:s_waitcnt vmcnt(2)")), expected) == Sections{2});
  CHECK(changed(g.run(dropped + "," + at(place, "before:s_waitcnt lgkmcnt(0)")), expected) == Sections{2});
  CHECK(changed(g.run(dropped + "," + at(place + 8, "before:s_waitcnt vmcnt(1)")), expected) == Sections{2});
}

TEST_CASE("change list: a tightened wait says what it was, and only tightens") {
  Guarded g;
  const std::string wait = g.id("vmcnt+1", "s_waitcnt vmcnt(1)");
  const uint64_t place = offset_of(wait);
  const auto& copies =
      *observe::mutant_code(g.kernel, at(place, "vmcnt=0") + "," + at(place, "lgkmcnt=2"), 2);
  const isa::Instruction& in = *copies.at(g.kernel.entry + place);
  CHECK(in.is_doubted);
  CHECK(isa::waitcnt_of(in.simm16).vmcnt == 0);
  CHECK(isa::waitcnt_of(in.simm16).lgkmcnt == 2);
  CHECK(isa::waitcnt_of(in.trusted_simm16).vmcnt == 0); // the second change alone is doubted
  CHECK(isa::waitcnt_of(in.trusted_simm16).lgkmcnt == 15);
  CHECK(isa::disassemble(in) == "s_waitcnt vmcnt(0) lgkmcnt(2)");
  CHECK_THROWS_WITH(g.run(at(place, "vmcnt=1")), Catch::Contains("must be below 1"));
  CHECK_THROWS_WITH(g.run(at(0, "vmcnt=1")), Catch::Contains("no s_waitcnt"));
}

TEST_CASE("change list: an edge is passed on its own way alone") {
  Guarded g;
  // The kernel is straight: the edge between two neighbours, and none from anywhere else.
  const std::string dropped = g.id("barrier-drop", "s_barrier");
  const uint64_t place = offset_of(dropped);
  const auto expected = g.run("");
  CHECK(g.run(dropped + "," + at(place + 4, fmt::format("edge({:#x}):s_barrier", place))) == expected);
  CHECK_THROWS_WITH(g.run(at(place + 4, "edge(0x0):s_barrier")),
                    Catch::Contains("does not go from the one to the other"));
  CHECK_THROWS_WITH(g.run(at(1, "before:s_barrier")), Catch::Contains("has no instruction at 0x1"));
}

namespace {

// Runs the kernel `looped` with changes, and counts what was inserted and is executed.
class Looped final : public machine::Listener {
 public:
  Looped() : object_(hip::code_object("machine_mutation_kernels")), kernel_(*object_.find_kernel("looped")) {
    out_ = static_cast<uint32_t*>(space_.allocate(256));
    kernarg_ = space_.allocate(64);
    std::memcpy(kernarg_, &out_, sizeof out_);
    const auto function = object_.function_at(kernel_.entry);
    for (const isa::Instruction& in :
         object_.program().decode(function->begin, function->end, kernel_.accum_offset).instructions) {
      if (isa::control_of(in) == isa::ControlRole::branch_if) branch_ = in.address - kernel_.entry;
      if (isa::mnemonic_of(in) == "s_add_u32") head_ = in.address - kernel_.entry;
      if (isa::mnemonic_of(in) == "s_mov_b32" && head_ == 0) above_ = in.address - kernel_.entry;
    }
  }
  ~Looped() override {
    space_.release(out_);
    space_.release(kernarg_);
  }
  std::unique_ptr<machine::WorkgroupListener> join() override { return std::make_unique<Count>(inserted_); }

  size_t executed(const std::string& change) {
    machine::Launch launch;
    launch.kernel = &kernel_;
    launch.kernarg = reinterpret_cast<uint64_t>(kernarg_);
    launch.block[0] = 64;
    launch.options.threads = 1;
    launch.code = observe::mutant_code(kernel_, fmt::format("looped+{:#x}:{}", head_, change));
    launch.listener = this;
    inserted_ = 0;
    machine::run(launch);
    REQUIRE(out_[0] == 5);
    return inserted_;
  }
  uint64_t branch() const { return branch_; }
  uint64_t above() const { return above_; }

 private:
  struct Count final : machine::WorkgroupListener {
    explicit Count(size_t& sum) : inserted(sum) {}
    void before(machine::Wave&, const isa::Instruction& in) override {
      inserted += in.inserted > 0 && isa::control_of(in) == isa::ControlRole::nop;
    }
    size_t& inserted;
  };
  machine::AddressSpace& space_ = machine::AddressSpace::device();
  loader::CodeObject object_;
  const loader::Kernel& kernel_;
  uint32_t* out_;
  void* kernarg_;
  uint64_t head_ = 0, branch_ = 0, above_ = 0;
  size_t inserted_ = 0;
};

} // namespace

TEST_CASE("change list: in front of a loop, on its back edge, and on every way to its head") {
  Looped looped;
  CHECK(looped.executed("before:s_nop 0") == 5);
  CHECK(looped.executed(fmt::format("edge({:#x}):s_nop 0", looped.above())) == 1);
  CHECK(looped.executed(fmt::format("edge({:#x}):s_nop 0;s_nop 1", looped.branch())) == 8);
}

TEST_CASE("change list: several instructions stand in their order, each with a number") {
  Guarded g;
  const uint64_t place = offset_of(g.id("barrier-drop", "s_barrier"));
  const Code code(g, at(place, "before:s_waitcnt vmcnt(0) lgkmcnt(3);s_nop 2") + "," +
                         at(place, "before:s_nop 5"));
  code.check_layout();
  const isa::Instruction* in = code.block.at(code.entry + place);
  const char* texts[] = {"s_waitcnt vmcnt(0) lgkmcnt(3)", "s_nop 2", "s_nop 5", "s_barrier"};
  for (int i = 0; i < 4; ++i) {
    CHECK(isa::disassemble(in[i]) == texts[i]);
    CHECK(in[i].inserted == (i < 3 ? i + 1 : 0));
    CHECK(in[i].address == code.entry + place);
  }
}

TEST_CASE("change list: text that is none says what would be right") {
  std::string error;
  const auto refused = [&](const char* text, const char* wanted) {
    CAPTURE(text);
    CHECK_FALSE(observe::parse_mutant(text, error));
    CAPTURE(error);
    CHECK(error.find(wanted) != error.npos);
  };
  CHECK(observe::parse_mutant(
      "k+0x10:before:s_waitcnt vmcnt(62) lgkmcnt(14);s_barrier;s_nop 15,k+0x10:lgkmcnt=0", error));
  CHECK(observe::parse_mutant("k+0x10:edge(0x4):s_barrier", error));
  refused("k+0x10:before:", "'' must be s_waitcnt");
  refused("k+0x10:before:s_waitcnt vmcnt(64)", "vmcnt(0 to 63)");
  refused("k+0x10:before:s_waitcnt", "must be s_waitcnt");
  refused("k+0x10:before:s_nop 16", "s_nop 0 to 15");
  refused("k+0x10:before:s_endpgm", "must be s_waitcnt");
  refused("k+0x10:edge(4):s_barrier", "CHANGE must be one of");
  refused("k+0x10:vmcnt=63", "CHANGE must be one of");
  refused("k+0x10:vmcnt=0,j+0x10:vmcnt=0", "must be of kernel k");
}
