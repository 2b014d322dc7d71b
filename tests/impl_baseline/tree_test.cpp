// Trees: a chain of nodes is the causal mask, bit by bit, and who mistakes the tree is not accurate.
#include "harness/accuracy/accuracy_case.hpp"
#include "harness/device/device_case.hpp"
#include "harness/judge/row_sample.hpp"
#include "interface/case_string.hpp"
#include "interface/implementation.hpp"
#include "workload/generate.hpp"
#include "workload/tree_mask.hpp"

#include "tests/support/catch.hpp"
#include <functional>

using namespace fmha950;

namespace {

void for_each_node(const Problem& problem, const std::function<void(QueryRow row, int node)>& use) {
  for (int r = 0; r < static_cast<int>(problem.requests.size()); ++r) {
    const Request& request = problem.requests[static_cast<size_t>(r)];
    const int nodes = problem.tree_nodes_of(request);
    for (int node = 0; node < nodes; ++node) use({r, request.query_length - nodes + node}, node);
  }
}

harness::RowOutputs outputs_of(const Problem& problem, const Tensors& tensors) {
  harness::CaseRun run(find_implementation("baseline"), problem, tensors);
  return run.run({}, harness::all_rows(problem)).rows;
}

// baseline, whose kernel reads other rows of the tree than those it is given.
class Mistaken final : public Implementation {
 public:
  using Mistake = std::function<void(const Problem&, Tensors&)>;
  explicit Mistaken(Mistake mistake) : mistake_(std::move(mistake)) {}

  std::string_view name() const override { return "mistaken"; }
  std::string_view description() const override { return "takes a tree for another"; }
  const std::vector<FeatureSet>& features() const override { return baseline_.features(); }
  std::unique_ptr<Plan> plan(const Problem& problem, const Tensors& host,
                             const DeviceTensors& device) const override {
    if (!mistake_) return baseline_.plan(problem, host, device);
    mask_ = hip::Buffer(host.tree_mask.bytes());
    Tensors other = host;
    other.tree_mask = Tensor(ElementType::int32, host.tree_mask.shape());
    std::copy_n(host.tree_mask.data(), host.tree_mask.bytes(), other.tree_mask.data());
    mistake_(problem, other);
    mask_.upload(other.tree_mask.data(), other.tree_mask.bytes());
    DeviceTensors there = device;
    there.tree_mask = static_cast<const uint64_t*>(mask_.get());
    return baseline_.plan(problem, host, there);
  }

 private:
  const Implementation& baseline_ = find_implementation("baseline");
  Mistake mistake_;
  mutable hip::Buffer mask_;
};

OutcomeKind judged(Mistaken::Mistake mistake) {
  const Problem problem = parse_case("batch_prefill/h=8:2/sq=32,32/sk=100,64/d=128/causal=1/tree=32/lse=1");
  const Tensors tensors = workload::make_tensors(problem);
  harness::CaseOracle oracle(problem, tensors);
  harness::Record record;
  harness::judge_case(Mistaken(std::move(mistake)), problem, tensors, {}, oracle, record);
  return record.outcome.kind();
}

} // namespace

TEST_CASE("a tree that is a chain has the bits of the causal mask without a tree") {
  for (const char* const form : {"", "/q=fp8/kv=fp8/quant=page/page=64", "/kv=fp8/quant=tensor/page=48"})
    for (const char* const mask : {"", "/window=40:0/sink=4"}) {
      const std::string causal =
          std::string("batch_prefill/h=8:2/sq=70,20,9/sk=150,64,5/d=128") + form + "/causal=1" + mask;
      CAPTURE(causal);
      const Problem problem = parse_case(causal + "/tree=40/lse=1");
      Tensors tensors = workload::make_tensors(problem);
      const harness::RowOutputs tree = outputs_of(problem, tensors);
      for_each_node(problem, [&](QueryRow row, int node) {
        workload::set_tree_bits(tensors, row, ~uint64_t{0} >> (63 - node));
      });
      const Problem without = parse_case(causal + "/lse=1");
      const harness::RowOutputs expected = outputs_of(without, workload::make_tensors(without));
      CHECK(outputs_of(problem, tensors) == expected);
      CHECK_FALSE(tree == expected);
    }
}

TEST_CASE("a kernel that takes other rows of a tree than its own is inaccurate") {
  CHECK(judged({}) == OutcomeKind::passed);
  const auto with_rows = [](const std::function<uint64_t(const Tensors&, QueryRow, int)>& wrong) {
    return [wrong](const Problem& problem, Tensors& tensors) {
      Tensors right = tensors;
      right.tree_mask = Tensor(ElementType::int32, tensors.tree_mask.shape());
      std::copy_n(tensors.tree_mask.data(), tensors.tree_mask.bytes(), right.tree_mask.data());
      for_each_node(problem, [&](QueryRow row, int node) {
        workload::set_tree_bits(tensors, row, wrong(right, row, node));
      });
    };
  };
  // All nodes before it; the row of the node before; the matrix transposed; bits one place off; of the other request.
  CHECK(judged(with_rows([](auto&, QueryRow, int) { return ~uint64_t{0}; })) == OutcomeKind::inaccurate);
  CHECK(judged(with_rows([](const Tensors& right, QueryRow row, int node) {
          return tree_bits(right, {row.request, node > 0 ? row.query - 1 : row.query});
        })) == OutcomeKind::inaccurate);
  CHECK(judged(with_rows([](const Tensors& right, QueryRow row, int node) {
          uint64_t column = 0;
          for (int other = 0; other < 32; ++other)
            column |= (tree_bits(right, {row.request, row.query - node + other}) >> node & 1) << other;
          return column;
        })) == OutcomeKind::inaccurate);
  CHECK(judged(with_rows([](const Tensors& right, QueryRow row, int) {
          return tree_bits(right, row) << 1;
        })) == OutcomeKind::inaccurate);
  CHECK(judged(with_rows([](const Tensors& right, QueryRow row, int) {
          return tree_bits(right, {1 - row.request, row.query});
        })) == OutcomeKind::inaccurate);
}
