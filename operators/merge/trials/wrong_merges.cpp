// What a kernel of merge can do wrong: parts that weigh too much or nothing, that stand for others, LSEs in another base.
#include "harness/sabotage/changed_tensors.hpp"
#include "harness/sabotage/defect.hpp"
#include "operators/merge/merge_tensors.hpp"
#include "operators/merge/trials/trials.hpp"
#include "workload/quantise.hpp"

#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>

namespace fmha950::harness {
namespace {

// The LSEs and outputs of a problem, as copies that may be changed.
class ChangedParts {
 public:
  ChangedParts(const Problem& problem, Tensors& tensors)
      : problem_(problem), parts_(merge_tensors(tensors)), of_output_(output_strides(problem)),
        of_lse_(lse_strides(problem)) {
    parts_.partial_lse = copy_of(parts_.partial_lse);
    parts_.partial_output = copy_of(parts_.partial_output);
  }

  float& lse(int part, int token, int head) {
    return parts_.partial_lse.as<float>()[static_cast<size_t>(of_lse_.at(part, token, head))];
  }
  void scale(int part, int token, int head, float factor) {
    const int64_t first = of_output_.at(part, token, head) * problem_.head_dim;
    for (int64_t i = first; i < first + problem_.head_dim; ++i)
      workload::store(parts_.partial_output, i, factor * parts_.partial_output.value(i));
  }
  void copy(int from, int from_head, int to, int token, int head) {
    const auto bytes =
        static_cast<size_t>(problem_.head_dim) * static_cast<size_t>(element_bytes(problem_.kv_type));
    std::byte* const outputs = parts_.partial_output.data();
    std::copy_n(outputs + static_cast<size_t>(of_output_.at(from, token, from_head)) * bytes, bytes,
                outputs + static_cast<size_t>(of_output_.at(to, token, head)) * bytes);
  }

 private:
  const Problem& problem_;
  MergeTensors& parts_;
  PartStrides of_output_, of_lse_;
};

using Change = std::function<void(ChangedParts& parts, const Problem& problem)>;

Defect defect(std::string kind, std::string place, Change change) {
  return {
      .kind = std::move(kind), .place = std::move(place), .inputs = [=](Problem& problem, Tensors& tensors) {
        ChangedParts parts(problem, tensors);
        change(parts, problem);
      }};
}

float weight_unit(const Problem& problem) { // of a natural logarithm, in the problem's base
  return merge_form(problem)->base == LseBase::two ? std::numbers::log2e_v<float> : 1;
}

void add_target(const SabotagedCase& of, const KeyTarget& target, std::vector<Defect>& defects) {
  const int part = target.first, token = target.request, head = target.kv_head;
  const int parts = merge_form(of.problem)->parts, heads = of.problem.query_heads;
  const std::string place = target.text(of.problem);
  const auto add = [&](const char* kind, Change change) {
    defects.push_back(defect(kind, place, std::move(change)));
  };
  add("part_left_out", [=](ChangedParts& changed, const Problem&) {
    changed.lse(part, token, head) = -std::numeric_limits<float>::infinity();
  });
  add("part_counted_twice", [=](ChangedParts& changed, const Problem& problem) {
    changed.lse(part, token, head) += std::numbers::ln2_v<float> * weight_unit(problem);
  });
  for (const float factor : {0.9f, 1.1f, 2.0f})
    defects.push_back(
        defect(fmt::format("part_x{}", factor), place,
               [=](ChangedParts& changed, const Problem&) { changed.scale(part, token, head, factor); }));
  const auto full = [&](int other_part, int other_head) {
    Tensors tensors = of.tensors;
    return !is_empty_part(ChangedParts(of.problem, tensors).lse(other_part, token, other_head));
  };
  const int next = (part + 1) % parts;
  if (parts > 1 && full(next, head)) {
    add("part_elsewhere",
        [=](ChangedParts& changed, const Problem&) { changed.copy(next, head, part, token, head); });
    add("part_with_wrong_lse", [=](ChangedParts& changed, const Problem&) {
      changed.lse(part, token, head) = changed.lse(next, token, head);
    });
  }
  const int neighbour = (head + 1) % heads;
  if (heads > 1 && full(part, neighbour))
    add("part_of_wrong_head",
        [=](ChangedParts& changed, const Problem&) { changed.copy(part, neighbour, part, token, head); });
}

void add_all_rows(std::vector<Defect>& defects) {
  const auto all = [](ChangedParts& changed, const Problem& problem, const auto& use) {
    for (int token = 0; token < static_cast<int>(problem.total_queries()); ++token)
      for (int head = 0; head < problem.query_heads; ++head)
        for (int part = 0; part < merge_form(problem)->parts; ++part)
          use(changed.lse(part, token, head), part);
  };
  for (const auto& [kind, factor] : {std::pair{"partial_lses_in_base_2", std::numbers::log2e_v<float>},
                                     std::pair{"partial_lses_natural", std::numbers::ln2_v<float>}})
    defects.push_back(defect(kind, "all rows", [=](ChangedParts& changed, const Problem& problem) {
      all(changed, problem, [factor](float& lse, int) { lse *= factor; });
    }));
  defects.push_back(
      defect("last_part_missing", "all rows", [=](ChangedParts& changed, const Problem& problem) {
        const int last = merge_form(problem)->parts - 1;
        all(changed, problem, [last](float& lse, int part) {
          if (part == last) lse = -std::numeric_limits<float>::infinity();
        });
      }));
  defects.push_back(
      defect("weights_all_alike", "all rows", [=](ChangedParts& changed, const Problem& problem) {
        all(changed, problem, [](float& lse, int) { lse = is_empty_part(lse) ? lse : 0; });
      }));
}

} // namespace

std::vector<Defect> wrong_merges(const SabotagedCase& of) {
  std::vector<Defect> defects;
  for (const KeyTarget& target : targets(of, 1)) add_target(of, target, defects);
  add_all_rows(defects);
  return defects;
}

} // namespace fmha950::harness
