// The GEMM kernels with each of their waits, barriers and wait states removed in turn, by the device: what is
// needed is missed, and little is there without need.
#include "calibration/gemm.hpp"
#include "harness/mutation/isa_mutants.hpp"
#include "harness/probe/schedule_sweep.hpp"
#include "tests/support/code_object.hpp"
#include "tests/support/machine_code.hpp"

#include "tests/support/catch.hpp"
#include <cstring>

using namespace fmha950;
using namespace fmha950::calibration;
using namespace fmha950::harness;

namespace {

class GemmSubject final : public Subject {
 public:
  explicit GemmSubject(const GemmKernel& kernel) : kernel_(kernel) { renew(); }
  std::string name() const override { return "calibration_gemm/" + std::string(kernel_.name); }
  hip::Kernel kernel() const override { return hip::load_kernel("calibration_gemm", kernel_.name); }
  size_t problems() const override { return gemms_.size(); }
  std::string problem(size_t index) const override {
    return index == 0 ? "two K steps, row by row" : "five K steps, window 1";
  }
  Outputs run(size_t problem) override {
    gemms_[problem].launch(nullptr, &workgroup_);
    hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
    const Tensor tile = gemms_[problem].tile(workgroup_.front());
    return {tile.data(), tile.data() + tile.bytes()};
  }
  std::string wrong(size_t, const Outputs&) override { return {}; } // gemm_test.cpp
  void renew() override {
    const uint32_t step = kernel_.element == ElementType::bf16 ? 64 : 128;
    gemms_.clear();
    gemms_.emplace_back(kernel_.name, GemmShape{256, 512, 2 * step}, row_by_row);
    gemms_.emplace_back(kernel_.name, GemmShape{256, 8 * 256, 5 * step}, TileOrder{1, 1});
    for (Gemm& gemm : gemms_) gemm.prepare(&workgroup_);
  }

 private:
  const GemmKernel& kernel_;
  const std::vector<uint32_t> workgroup_{1};
  std::vector<Gemm> gemms_;
};

// Offsets from the kernel's entry of its loop over K steps.
std::pair<uint64_t, uint64_t> loop_of(const GemmKernel& kernel) {
  const auto code =
      test::disassemble(test::code_object_file("calibration_gemm")).at(std::string(kernel.name));
  const auto loop = test::main_loop(code);
  const uint64_t entry = code.front().address;
  return {loop.front().address - entry, loop.back().address - entry};
}

} // namespace

TEST_CASE("GEMM: no wait, barrier or wait state can be removed unnoticed, and the loop has none too many",
          "[slow]") {
  for (const GemmKernel& kernel : gemm_kernels()) {
    CAPTURE(kernel.name);
    const auto [loop_begin, loop_end] = loop_of(kernel);
    GemmSubject subject(kernel);
    IsaJudge judge(subject, mutation_schedules(10));
    REQUIRE(judge.control() == "");
    int killed = 0, in_loop = 0, without_need = 0;
    for (const Mutant& mutant : mutants_of(subject.kernel())) {
      const Judgement judgement = judge.judge(mutant);
      INFO(mutant.id << " " << mutant.source << ": " << judgement.reason);
      CHECK(judgement.verdict != MutantVerdict::survived);
      if (judgement.verdict == MutantVerdict::killed) ++killed;
      const bool ours = mutant.change == "barrier-drop" || mutant.change.find("cnt") != std::string::npos;
      if (ours && mutant.offset >= loop_begin && mutant.offset <= loop_end) {
        ++in_loop;
        if (judgement.verdict != MutantVerdict::killed) ++without_need;
      }
    }
    CHECK(killed >= 50);
    // Four waves wait for A0 a quadrant before it is needed, so that no more reads are in flight than count.
    CHECK(without_need == (kernel.threads == 256 ? 2 : 0));
    CHECK(in_loop >= 4 + 2 * 8); // four or eight barriers, and two mutants of each of eight waits
  }
}
