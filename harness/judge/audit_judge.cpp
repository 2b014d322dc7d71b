#include "harness/judge/audit_judge.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace fmha950::harness {

namespace {

constexpr double audit_sigmas = 6;
constexpr size_t most_candidates = 256, most_findings = 12;
constexpr int64_t fewest_parts = 8; // whose scatter says something

// A share and its sigma from sums; nothing where they say nothing.
struct Estimate {
  double got = 0, plain = 0, sigma = 0, floor = 0;
  double information = 0; // 1 / variance, but for what the part's own rounding adds
};

// If there are few stored values, or rows are alike, the output's rounding is no noise either: `coherent`.
std::optional<Estimate> estimate(const Part& part, double coherent) {
  const PartSums& sums = part.sums;
  if (!(sums.information > 0)) return std::nullopt;
  return Estimate{sums.got / sums.information, sums.plain / sums.information,
                  std::sqrt(part.rows_alike * (sums.information + sums.own)) / sums.information,
                  sums.floor / sums.information + coherent, sums.information};
}

// The slope of a line: an offset of all rows' LSE is not a part's.
std::optional<Estimate> estimate(const LseSums& sums, const LseSums& offset) {
  if (!(offset.square > 0)) return std::nullopt;
  const double mean = sums.first / offset.square, left = sums.square - mean * sums.first;
  if (!(left > 1e-9 * sums.square)) return std::nullopt;
  return Estimate{(sums.got - mean * offset.got) / left, (sums.plain - mean * offset.plain) / left,
                  1 / std::sqrt(left), sums.floor / left, left};
}

enum class Class : uint8_t { key, range };
Class class_of(PartKind kind) {
  return kind == PartKind::key || kind == PartKind::edge ? Class::key : Class::range;
}

// Root mean square of what the floors leave of the plain implementation's shares, over sigma.
struct Scatter {
  double squares = 0;
  int64_t parts = 0;
  void add(const Estimate& estimate) {
    const double left = std::max(0.0, std::fabs(estimate.plain) - estimate.floor) / estimate.sigma;
    squares += left * left;
    ++parts;
  }
  double factor() const {
    return parts < fewest_parts ? 1 : std::max(1.0, std::sqrt(squares / static_cast<double>(parts)));
  }
};

class Scatters {
 public:
  explicit Scatters(const Evidence& evidence) {
    const double coherent = coherent_share(evidence.problem.output_type);
    for_each_part(evidence, [&](const Part& part) {
      if (part.place.request < 0) return;
      if (const auto of_output = estimate(part, coherent)) add(part.place, false, *of_output);
      if (const auto of_lse = estimate(part.lse, part.lse_offset)) add(part.place, true, *of_lse);
    });
  }
  double factor(const PartPlace& place, bool of_lse) const {
    double largest = 1;
    for (const Class one : {Class::key, Class::range}) {
      if (one != class_of(place.kind) && place.kind != PartKind::all_values &&
          place.kind != PartKind::all_scores)
        continue;
      largest = std::max(largest, of(-1, -1, one, of_lse));
      if (place.request >= 0) largest = std::max(largest, of(place.request, place.kv_head, one, of_lse));
    }
    return largest;
  }
  double largest() const {
    double factor = 1;
    for (const auto& [key, scatter] : scatters_) factor = std::max(factor, scatter.factor());
    return factor;
  }

 private:
  using Key = std::tuple<int, int, Class, bool>;
  void add(const PartPlace& place, bool of_lse, const Estimate& estimate) {
    scatters_[Key{place.request, place.kv_head, class_of(place.kind), of_lse}].add(estimate);
    scatters_[Key{-1, -1, class_of(place.kind), of_lse}].add(estimate);
  }
  double of(int request, int kv_head, Class one, bool of_lse) const {
    const auto place = scatters_.find(Key{request, kv_head, one, of_lse});
    return place == scatters_.end() ? 1 : place->second.factor();
  }
  std::map<Key, Scatter> scatters_;
};

bool overlap(const PartPlace& a, const PartPlace& b) {
  const auto everywhere = [](const PartPlace& place) {
    return place.kind == PartKind::all_values || place.kind == PartKind::all_scores || place.request < 0;
  };
  if (everywhere(a) || everywhere(b)) return false;
  return a.request == b.request && a.kv_head == b.kv_head && a.first_key < b.last_key &&
         b.first_key < a.last_key;
}

// As if it were of V.
PartPlace without_scores(PartPlace place) {
  if (place.kind == PartKind::page_scores) place.kind = PartKind::page;
  if (place.kind == PartKind::tile_scores || place.kind == PartKind::block_scores) {
    place.kind = PartKind::tile;
    place.column = -1;
  }
  return place;
}

// Whether both speak of one tile or page, be it of V or of scores.
bool same_keys(const Finding& a, const Finding& b) {
  return a.of_lse == b.of_lse && without_scores(a.place) == without_scores(b.place);
}

// The strongest of what stands out, at most `most_candidates`.
class Candidates {
 public:
  void add(const Finding& finding) {
    if (kept_.size() >= most_candidates && finding.z() <= kept_.back().z()) return;
    kept_.insert(std::ranges::upper_bound(kept_, finding.z(), std::greater{}, &Finding::z), finding);
    if (kept_.size() > most_candidates) kept_.pop_back();
  }
  // A wrong K moves the weight of V, too, and the other way round.
  // Among the findings with the same keys, this one explains the errors best.
  const Finding& best_explanation(const Finding& of) const {
    const Finding* best = &of;
    for (const Finding& other : kept_) {
      if (!(other.z() > audit_sigmas)) break; // nor does any that follows
      if (other.explained > best->explained && same_keys(other, of)) best = &other;
    }
    return *best;
  }
  // Without those whose keys a stronger one has.
  std::vector<Finding> distinct() const {
    std::vector<Finding> findings;
    for (const Finding& strongest : kept_) {
      const Finding& one = best_explanation(strongest);
      const auto covers = [&](const Finding& stronger) {
        return overlap(one.place, stronger.place) || same_keys(one, stronger);
      };
      if (std::ranges::none_of(findings, covers)) findings.push_back(one);
      if (findings.size() == most_findings) break;
    }
    return findings;
  }

 private:
  std::vector<Finding> kept_; // by z, the largest first
};

} // namespace

double Finding::z() const {
  const double rest = std::fabs(share) - floor - std::fabs(plain);
  if (std::isnan(rest) || std::isnan(sigma)) return INFINITY;
  return sigma > 0 ? rest / sigma : rest > 0 ? INFINITY : 0;
}

AuditVerdict judge_audit(const Evidence& evidence, bool got) {
  const Scatters scatters(evidence);
  AuditVerdict verdict;
  verdict.inflation = scatters.largest();
  const double coherent = coherent_share(evidence.problem.output_type);
  int64_t audited = 0;
  Candidates candidates;
  const auto look_at = [&](const Part& part, const std::optional<Estimate>& estimate, bool of_lse) {
    if (!estimate) return;
    // What weighs so little that it could be missing unseen is only heard when it has grown: there are many
    // such parts, and errors of other parts' P are no Gaussian noise to them.
    const double sigma = estimate->sigma * (1 + std::min(1.0, estimate->sigma));
    Finding finding{part.place,
                    of_lse,
                    got ? estimate->got : estimate->plain,
                    sigma * scatters.factor(part.place, of_lse),
                    estimate->floor,
                    got ? estimate->plain : 0,
                    0,
                    ""};
    finding.explained = finding.share * finding.share * estimate->information;
    ++verdict.parts;
    const auto taken = [](const Finding& one) {
      const double share = std::fabs(one.share) / one.allowed();
      return std::isnan(share) ? INFINITY : share;
    };
    if (!verdict.worst || taken(finding) > taken(*verdict.worst)) verdict.worst = finding;
    verdict.failed += !(finding.z() <= audit_sigmas);
    candidates.add(finding);
  };
  for_each_part(evidence, [&](const Part& part) {
    look_at(part, estimate(part, coherent), false);
    look_at(part, estimate(part.lse, part.lse_offset), true);
    if (part.place.kind != PartKind::key || part.place.request < 0) return;
    audited += part.sums.information > 0;
  });
  verdict.keys = keys_to_audit(evidence.problem, evidence.tensors);
  verdict.not_audited = verdict.keys - audited;
  verdict.findings = candidates.distinct();
  if (verdict.worst) verdict.worst = candidates.best_explanation(*verdict.worst);
  for (Finding& finding : verdict.findings) finding.text = describe(evidence.problem, finding);
  if (verdict.worst) verdict.worst->text = describe(evidence.problem, *verdict.worst);
  return verdict;
}

Limit AuditVerdict::limit() const {
  if (!worst) return {"audit", 0, 0, ""};
  return {"audit", std::fabs(worst->share), worst->allowed(), worst->text};
}

} // namespace fmha950::harness
