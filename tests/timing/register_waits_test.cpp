// When an instruction may issue by the registers that it reads and writes, over random code: as a table says that has a clock
// for each register and nothing else.
#include "tests/timing/replay_case.hpp"

#include "emulator/rates/latencies.hpp"

#include "tests/support/catch.hpp"
#include <algorithm>
#include <map>
#include <random>

using namespace fmha950::timing;

namespace {

constexpr int registers = 12, sums = 4; // of an MFMA

class Table {
 public:
  // The clock at which it issues.
  uint64_t issue(const Op& op) {
    uint64_t clock = std::max(next_, free_[op.pipe]);
    for (const RegisterSlots range : op.reads) clock = std::max(clock, wait_for(op, range));
    for (const RegisterSlots range : op.writes)
      if (results_[range.first].of_mfma) clock = std::max(clock, wait_for(op, range));
    ++written_;
    for (const RegisterSlots range : op.writes)
      for (int i = 0; i < range.count; ++i)
        results_[range.first + i] = {clock + static_cast<uint64_t>(op.result_clocks),
                                     clock + static_cast<uint64_t>(op.chain_clocks), op.pipe == Pipe::matrix,
                                     written_};
    next_ = clock + clocks_per_issue;
    free_[op.pipe] = clock + static_cast<uint64_t>(op.clocks);
    return clock;
  }

 private:
  struct Result {
    uint64_t readable = 0, chainable = 0;
    bool of_mfma = false;
    int number = 0; // of what wrote it
  };
  uint64_t wait_for(const Op& op, RegisterSlots range) {
    const Result& first = results_[range.first];
    bool of_one_mfma = first.of_mfma; // and nobody has written there since
    uint64_t clock = 0;
    for (int i = 0; i < range.count; ++i) {
      clock = std::max(clock, results_[range.first + i].readable);
      of_one_mfma &= results_[range.first + i].number == first.number;
    }
    return range == op.chain && of_one_mfma ? first.chainable : clock;
  }

  uint64_t next_ = 0;
  int written_ = 0;
  std::map<Pipe, uint64_t> free_;
  std::map<int, Result> results_; // by register
};

Op random_op(std::mt19937& random) {
  const auto below = [&](int end) { return static_cast<int>(random() % static_cast<uint32_t>(end)); };
  switch (below(8)) {
  case 0: return mfma(4, sums * below(2));
  case 3: { // its data are waited for by s_waitcnt alone: it takes the place of what is waited for
    Op op = lds_read();
    op.set_registers({}, std::array{vgprs(below(registers))});
    return op;
  }
  case 1:
  case 2: return valu(below(registers), below(registers), Kind::transcendental);
  default: return valu(below(registers), below(registers));
  }
}

} // namespace

TEST_CASE("timing: an instruction waits for what a table of all registers says") {
  for (uint32_t seed = 1; seed <= 300; ++seed) {
    CAPTURE(seed);
    std::mt19937 random(seed);
    std::vector<Op> ops;
    for (int i = 0; i < 80; ++i) ops.push_back(random_op(random));
    ReplayCase replay;
    replay.add_wave(ops);
    const std::vector<Issue> issues = issues_of(replay.run());
    REQUIRE(issues.size() >= ops.size());
    Table table;
    for (size_t i = 0; i < ops.size(); ++i) {
      CAPTURE(i);
      REQUIRE(issues[i].clock - issues.front().clock == table.issue(ops[i]));
    }
  }
}
