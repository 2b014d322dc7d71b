// Plans as lists of launches: which workgroups run, of the launches in their order.
#include "attention/host/launched_plan.hpp"

#include "tests/support/catch.hpp"

using namespace fmha950;

namespace {

struct Marks { // as in kernels.hip
  unsigned* marks;
  unsigned width;
  unsigned value;
};

// A row needs the workgroup of its query in the first launch and in the last, and all of the one between.
class MarkingPlan final : public attention::LaunchedPlan {
 public:
  MarkingPlan() {
    marks_.fill(0);
    add({3, 2, 1}, 1, [](const std::vector<QueryRow>& rows) {
      std::vector<uint32_t> workgroups;
      for (const QueryRow& row : rows) workgroups.push_back(static_cast<uint32_t>(row.query));
      return workgroups;
    });
    add({0, 1, 1}, 100, [](const std::vector<QueryRow>&) { return std::vector<uint32_t>{}; });
    add({2, 3, 1}, 10, [](const std::vector<QueryRow>& rows) {
      return std::vector<uint32_t>(1, static_cast<uint32_t>(rows.at(0).query));
    });
  }
  std::string variant() const override { return "marks"; }
  size_t workspace_bytes() const override { return marks_.bytes(); }
  ProbabilityRounding probability_rounding() const override { return {}; }
  int query_tile() const override { return 1; }
  TileShape score_tile() const override { return {1, 1}; }

  std::vector<unsigned> marks() const {
    hip::check(hip::api().DeviceSynchronize(), "hipDeviceSynchronize");
    std::vector<unsigned> marks(6);
    marks_.download(marks.data(), marks_.bytes());
    return marks;
  }

 private:
  void add(hip::Dim3 grid, unsigned value, Needed needed) {
    add_launch(hip::load_kernel("test_attention_kernels", "leave_mark"), grid, 64,
               Marks{marks_.as<unsigned>(), grid.x, value}, std::move(needed));
  }

  hip::Buffer marks_{6 * sizeof(unsigned)};
};

using Numbers = std::vector<unsigned>;

} // namespace

TEST_CASE("every workgroup of every launch runs, and a grid without any is no launch") {
  MarkingPlan plan;
  size_t launches = 0;
  {
    const hip::LaunchWatch watch([&](size_t, const hip::Kernel&) { ++launches; });
    plan.enqueue(nullptr);
  }
  CHECK(launches == 2);
  CHECK(plan.marks() == Numbers(6, 11));
  plan.enqueue(nullptr);
  CHECK(plan.marks() == Numbers(6, 22));
}

TEST_CASE("restricted, only the workgroups that the rows need run, launch by launch") {
  MarkingPlan plan;
  const auto needed = plan.workgroups_for({{0, 5}, {0, 2}});
  REQUIRE(needed.size() == 3);
  for (const LaunchWorkgroups& launch : needed) CHECK(launch.kernel == "leave_mark");
  CHECK(needed[0].workgroups == std::vector<uint32_t>{5, 2});
  CHECK(needed[1].workgroups.empty());
  CHECK(needed[2].workgroups == std::vector<uint32_t>{5});
  plan.enqueue_restricted(nullptr, needed);
  CHECK(plan.marks() == Numbers{0, 0, 1, 0, 0, 11});
}

TEST_CASE("a restriction has a list for every launch") {
  MarkingPlan plan;
  CHECK_THROWS_AS(plan.enqueue_restricted(nullptr, {{"leave_mark", {0}}}), std::out_of_range);
}
