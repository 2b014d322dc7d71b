// The kernels of combine on parts made by hand, through their plan.
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "impl_combine/combine_plan.hpp"
#include "interface/case_string.hpp"
#include "operators/merge/merge_tensors.hpp"
#include "workload/generate.hpp"

#include "tests/support/catch.hpp"
#include <cmath>

using namespace fmha950;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

struct Merged {
  Problem problem;
  Tensors tensors;

  explicit Merged(const std::string& text)
      : problem(parse_case(text)), tensors(workload::make_tensors(problem)) {}
  float& lse(int part, int token, int head) {
    return merge_tensors(tensors)
        .partial_lse.as<float>()[static_cast<size_t>(lse_strides(problem).at(part, token, head))];
  }
  void fill(int part, int token, int head, float value) { // of fp32
    const auto row = static_cast<size_t>(output_strides(problem).at(part, token, head) * problem.head_dim);
    for (int column = 0; column < problem.head_dim; ++column)
      merge_tensors(tensors).partial_output.as<float>()[row + static_cast<size_t>(column)] = value;
  }
  harness::RowValues run() {
    harness::CaseRun run(find_implementation("combine"), problem, tensors);
    return harness::decode(problem, run.run({}, harness::all_rows(problem)).rows);
  }
};

} // namespace

TEST_CASE("combine: parts by hand, in either base") {
  const bool binary = GENERATE(false, true);
  Merged merged(std::string("merge/parts=2/h=1/n=2/d=64/o=fp32/lse=1") + (binary ? "/base=2" : ""));
  const float unit = binary ? 1 : std::log(2.f);
  merged.lse(0, 0, 0) = 1 * unit; // weights 2 : 6
  merged.lse(1, 0, 0) = std::log2(6.f) * unit;
  merged.lse(0, 1, 0) = 1000 * unit; // so far apart that one is nothing beside the other
  merged.lse(1, 1, 0) = -1000 * unit;
  for (const auto& [part, token, value] : {std::tuple{0, 0, 8.f}, {1, 0, 4.f}, {0, 1, 3.f}, {1, 1, 7.f}})
    merged.fill(part, token, 0, value);
  const harness::RowValues values = merged.run();
  CHECK(values.output[0] == Approx(5).epsilon(1e-6));
  CHECK(values.lse[0] == Approx(std::log(8)).epsilon(1e-6));
  CHECK(values.output[64] == 3);
  CHECK(values.lse[1] == Approx(1000 * std::log(2)).epsilon(1e-6));
}

TEST_CASE("combine: an LSE that is NaN spoils its own row, and no other") {
  Merged merged("merge/parts=6/h=3/n=7/d=128/layout=tokens/lse=1");
  const harness::RowValues right = merged.run();
  const int part = GENERATE(0, 3, 5); // the last one stands for those past the end, too
  merged.lse(part, 2, 1) = NAN;
  const harness::RowValues values = merged.run();
  for (size_t row = 0; row < values.lse.size(); ++row) {
    const bool spoiled = row == 2 * 3 + 1;
    CHECK(std::isnan(values.lse[row]) == spoiled);
    for (size_t column = 0; column < 128; ++column) {
      const double value = values.output[row * 128 + column];
      if (spoiled ? !std::isnan(value) : value != right.output[row * 128 + column]) {
        CAPTURE(row, column);
        FAIL("NaN where it does not belong, or none");
      }
    }
  }
}

TEST_CASE("combine: parts that are empty hold NaN, and both infinities say so") {
  Merged merged("merge/parts=5/h=2/n=2/d=72/lse=1");
  for (int part = 0; part < 5; ++part)
    for (int head = 0; head < 2; ++head) {
      merged.lse(part, 0, head) = part == 3 ? 2.f : part % 2 == 0 ? infinity : -infinity;
      merged.fill(part, 0, head, part == 3 ? 1.5f : NAN);
      merged.lse(part, 1, head) = part % 2 == 0 ? infinity : -infinity;
      merged.fill(part, 1, head, NAN);
    }
  const harness::RowValues values = merged.run();
  for (size_t i = 0; i < 2 * 2 * 72; ++i) CHECK(values.output[i] == (i < 2 * 72 ? 1.5 : 0));
  CHECK(values.lse == std::vector<double>{2, 2, -infinity, -infinity});
}

TEST_CASE("combine: any number of parts is merged as one part after the other is") {
  // Merging is associative: the whole is the merge of merges.
  Merged whole("merge/parts=7/h=2/n=3/d=128/o=fp32/lse=1");
  const harness::RowValues expected = whole.run();
  Merged first("merge/parts=3/h=2/n=3/d=128/o=fp32/lse=1"), rest("merge/parts=4/h=2/n=3/d=128/o=fp32/lse=1"),
      both("merge/parts=2/h=2/n=3/d=128/o=fp32/lse=1");
  const size_t rows = 2 * 3, columns = 128;
  const auto part_of = [&](Merged& from, size_t first_part, size_t count) {
    MergeTensors &to = merge_tensors(from.tensors), &all = merge_tensors(whole.tensors);
    std::copy_n(all.partial_lse.as<float>().begin() + static_cast<std::ptrdiff_t>(first_part * rows),
                count * rows, to.partial_lse.as<float>().begin());
    std::copy_n(all.partial_output.as<float>().begin() +
                    static_cast<std::ptrdiff_t>(first_part * rows * columns),
                count * rows * columns, to.partial_output.as<float>().begin());
    return from.run();
  };
  const harness::RowValues merged[] = {part_of(first, 0, 3), part_of(rest, 3, 4)};
  MergeTensors& to = merge_tensors(both.tensors);
  for (size_t part = 0; part < 2; ++part) {
    for (size_t i = 0; i < rows; ++i)
      to.partial_lse.as<float>()[part * rows + i] = static_cast<float>(merged[part].lse[i]);
    for (size_t i = 0; i < rows * columns; ++i)
      to.partial_output.as<float>()[part * rows * columns + i] = static_cast<float>(merged[part].output[i]);
  }
  const harness::RowValues got = both.run();
  for (size_t i = 0; i < rows; ++i) CHECK(got.lse[i] == Approx(expected.lse[i]).epsilon(1e-6));
  for (size_t i = 0; i < rows * columns; ++i)
    CHECK(got.output[i] == Approx(expected.output[i]).epsilon(1e-5).margin(1e-6));
}

TEST_CASE("combine: rows ask for the workgroups that have their heads") {
  // 128 columns: 16 lanes share a row, 16 rows a workgroup; a token has 12.
  const Merged merged("merge/parts=2/h=12/n=9/d=128");
  const harness::CaseRun run(find_implementation("combine"), merged.problem, merged.tensors);
  const auto of = [&](std::vector<QueryRow> rows) {
    return run.plan().workgroups_for(rows).front().workgroups;
  };
  CHECK(of({{0, 0}}) == std::vector<uint32_t>{0});               // rows 0 to 11
  CHECK(of({{0, 1}}) == std::vector<uint32_t>{0, 1});            // 12 to 23
  CHECK(of({{0, 8}, {0, 1}}) == std::vector<uint32_t>{0, 1, 6}); // 96 to 107
}
