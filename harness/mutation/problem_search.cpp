#include "harness/mutation/problem_search.hpp"

#include "harness/device/embedded_device.hpp"
#include "harness/mutation/case_draw.hpp"
#include "harness/record/digest.hpp"
#include "interface/error.hpp"
#include "interface/implementation.hpp"

#include <algorithm>
#include <set>
#include <sstream>

namespace fmha950::harness {

namespace {

// Reports are of what waits guarantee, and eager shows them with the right values.
constexpr const char* schedule = "eager";

bool is_of_wait(const Mutant& mutant) { return mutant.change.find("cnt") != std::string::npos; }

uint64_t seed_of(uint64_t seed, const std::string& kernel) {
  Digest digest;
  digest.add(kernel);
  return seed ^ std::stoull(digest.text(), nullptr, 16);
}

// In force for a scope: all waits missing at once, with the ways of the waves followed.
class AllWaitsMissing {
 public:
  explicit AllWaitsMissing(const std::string& ids) {
    set_option("mutant", ids);
    set_option("paths", "1");
  }
  ~AllWaitsMissing() {
    hip::api().SetOption("paths", "0");
    hip::api().SetOption("mutant", "");
  }
};

class ProblemSearch {
 public:
  ProblemSearch(const ListedKernel& kernel, const std::vector<Mutant>& mutants, uint64_t seed)
      : kernel_(kernel), function_(hip::load_kernel(kernel.code_object, kernel.kernel).function),
        mutants_(mutants), draw_(seed_of(seed, kernel.name())) {
    for (const Mutant& mutant : mutants) {
      left_.insert(mutant.id);
      if (is_of_wait(mutant)) waits_ += (waits_.empty() ? "" : ",") + mutant.id;
    }
  }

  Search run(size_t tries) {
    for (const std::string& problem : kernel_.problems) look(problem);
    if (promising_.empty()) promising_ = kernel_.problems;
    for (; tries > 0 && !left_.empty(); --tries)
      if (const std::string problem = next(); seen_.insert(problem).second) look(problem);
    result_.ways = ways_.size();
    result_.left.assign(left_.begin(), left_.end());
    keep_few();
    return std::move(result_);
  }

 private:
  // Near a problem that showed something new, half of the time the last one.
  std::string next() {
    const size_t known = draw_.below(2) ? promising_.size() - 1 : draw_.below(promising_.size());
    const Implementation& implementation = find_implementation(kernel_.implementation);
    return draw_.near(promising_[known],
                      [&](const Problem& problem) { return bool(implementation.supports(problem)); });
  }

  void look(const std::string& problem) {
    ListedKernel alone = kernel_;
    alone.problems = {problem};
    const auto subject = implementation_subject(alone);
    set_judging_options(isa_budget);
    set_option("schedule", schedule);
    const auto reports = run_without_waits(*subject);
    if (lines_.empty()) return;
    ++result_.launched;
    const bool is_new = follow();
    if (is_new) promising_.push_back(problem);
    std::vector<const Mutant*> suspects;
    for (const Mutant& mutant : mutants_)
      if (is_of_wait(mutant)
              ? std::ranges::any_of(reports, [&](const auto& r) { return convicts(r, mutant); })
              : is_new && left_.contains(mutant.id))
        suspects.push_back(&mutant);
    if (std::ranges::any_of(suspects, [&](const Mutant* mutant) { return left_.contains(mutant->id); }))
      judge(*subject, suspects);
  }

  std::vector<HazardReport> run_without_waits(Subject& subject) {
    take_hazards();
    hip::api().Paths();    // forgets those of runs before
    bool launched = false; // a kernel of the same name may be in another code object, too
    {
      const hip::LaunchWatch watch(
          [&](size_t, const hip::Kernel& kernel) { launched |= kernel.function == function_; });
      const AllWaitsMissing in_force(waits_);
      try {
        subject.run(0);
      } catch (const DeviceError&) { // such as: the other code object has no mutant of that id
        clear_fault();
      } catch (const InvalidInput&) { // of this problem the implementation wants more than it says
      }
    }
    lines_.clear();
    std::istringstream lines(hip::api().Paths());
    for (std::string line; std::getline(lines, line);)
      if (launched && line.substr(0, line.find('\t')) == kernel_.kernel) lines_.push_back(line);
    return take_hazards();
  }

  // Whether the last run showed a way that none before it did.
  bool follow() {
    const size_t before = ways_.size();
    ways_.insert(lines_.begin(), lines_.end());
    return ways_.size() > before;
  }

  void judge(Subject& subject, const std::vector<const Mutant*>& suspects) {
    subject.renew();
    IsaJudge judge(subject, {schedule});
    Find find{subject.problem(0), {}};
    for (const Mutant* mutant : suspects)
      if (judge.judge(*mutant).verdict == MutantVerdict::killed) find.killed.push_back(mutant->id);
    const size_t before = left_.size();
    for (const std::string& id : find.killed) left_.erase(id);
    if (left_.size() < before) result_.finds.push_back(std::move(find));
  }

  // Greedily those that kill most of what the others have not.
  void keep_few() {
    std::vector<Find> kept;
    std::set<std::string> killed;
    const auto gain = [&](const Find& find) {
      return std::ranges::count_if(find.killed, [&](const auto& id) { return !killed.contains(id); });
    };
    while (!result_.finds.empty()) {
      const auto best = std::ranges::max_element(result_.finds, {}, gain);
      if (gain(*best) == 0) break;
      killed.insert(best->killed.begin(), best->killed.end());
      kept.push_back(std::move(*best));
      result_.finds.erase(best);
    }
    result_.finds = std::move(kept);
  }

  const ListedKernel& kernel_;
  const hip::Function function_;
  const std::vector<Mutant>& mutants_;
  CaseDraw draw_;
  std::string waits_; // ids with commas between them
  std::set<std::string> left_;
  std::vector<std::string> promising_;
  std::set<std::string> seen_, ways_;
  std::vector<std::string> lines_; // of the last run: none if it did not come to the kernel
  Search result_;
};

} // namespace

Search search_problems(const ListedKernel& kernel, const std::vector<Mutant>& mutants, uint64_t seed,
                       size_t tries) {
  return ProblemSearch(kernel, mutants, seed).run(tries);
}

} // namespace fmha950::harness
