#include "impl_reference/audit/chunk.hpp"

#include "impl_reference/audit/edges.hpp"
#include "impl_reference/audit/key_blocks.hpp"
#include "impl_reference/audit/keys.hpp"
#include "impl_reference/audit/ranges.hpp"
#include "interface/operator.hpp"

#include <deque>
#include <map>
#include <optional>

namespace fmha950::reference::FMHA950_SIMD {
namespace {

constexpr int tile_keys = 64;

PartList part_list(PartKind kind, std::vector<int> ends) { return {kind, std::move(ends), 1, {}, {}}; }

// Along o: by how much all of V counts too much.
PartList all_values(const AuditRows& rows, int keys) {
  PartList list = part_list(PartKind::all_values, {keys});
  list.sums.resize(1);
  for (const AuditRow& row : rows.rows) {
    if (row.length == 0) continue;
    const double weight = 1 / row.along_variance, information = weight * row.length * row.length;
    list.sums[0] += {.information = information,
                     .own = 0,
                     .floor = row.exact ? 0 : information * row.noise.common,
                     .plain = weight * row.length * row.plain_along,
                     .got = weight * row.length * row.got_along};
  }
  return list;
}

void add_errors(const AuditRows& rows, AuditOwner& result) {
  Eigen::RowVectorXd sum = Eigen::RowVectorXd::Zero(rows.errors.cols());
  const auto count = static_cast<Eigen::Index>(rows.count());
  for (Eigen::Index r = 0; r < count; ++r) {
    const Eigen::RowVectorXd plain = rows.errors.row(count + r).cast<double>();
    const double length = plain.norm();
    if (length == 0 || rows.rows[static_cast<size_t>(r)].weight == 0) continue;
    sum += plain / length;
    result.erring_rows += 1;
  }
  result.sum_of_errors.assign(sum.data(), sum.data() + sum.size());
}

bool has_key_descales(const Problem& problem) {
  return problem.quantisation == Quantisation::page || problem.quantisation == Quantisation::mx;
}

std::vector<PartList> ranges_but_tiles(const Gather& gather, const QueryHead& row, int keys) {
  std::vector<PartList> lists{part_list(PartKind::all_scores, {keys})};
  const std::vector<int> segments = gather.segments(row);
  if (segments.size() > 1) lists.push_back(part_list(PartKind::segment, segments));
  const int page = gather.page_keys();
  const bool pages = page > 1 && page != tile_keys;
  if (pages) lists.push_back(part_list(PartKind::page, range_ends(keys, page)));
  if (!has_key_descales(gather.problem())) return lists;
  lists.push_back(part_list(PartKind::tile_scores, range_ends(keys, tile_keys)));
  if (pages) lists.push_back(part_list(PartKind::page_scores, range_ends(keys, page)));
  return lists;
}

} // namespace

AuditOwner audit_chunk(OwnerBlocks& blocks, const Chunk& chunk, const AuditInput& input,
                       std::vector<RowNoise>& noise_of_rows) {
  const Gather& gather = blocks.gather();
  const Vector<float>& scale = blocks.scale();
  const QueryHead& owner = chunk.front();
  const Problem& problem = gather.problem();
  AuditValues values(blocks);
  const AuditRows rows = audit_rows(gather, chunk, scale, input, values);
  const ProbabilityNoise noise(input.rounding);
  AuditOwner result;
  result.request = problem.op->owner_of(owner.row);
  result.kv_head = owner.head / problem.heads_per_kv_head();
  result.rows = static_cast<int64_t>(chunk.size());
  result.keys = gather.segments(owner).back();
  result.column_scale.assign(scale.data(), scale.data() + scale.size());
  std::map<int, size_t> buckets;
  for (const AuditRow& row : rows.rows) buckets.try_emplace(row.bucket, buckets.size());
  std::vector<size_t> bucket_of_row, first_list(chunk.size(), 0);
  for (size_t r = 0; r < chunk.size(); ++r) {
    const AuditRow& row = rows.rows[r];
    noise_of_rows[chunk[r].place] = row.noise;
    bucket_of_row.push_back(buckets.at(row.bucket));
    result.lse_offset += lse_sums(row, 1);
  }

  add_errors(rows, result);

  std::deque<AuditRanges> ranges;
  const auto tiles = part_list(PartKind::tile, range_ends(result.keys, tile_keys));
  ranges.emplace_back(rows, noise.normal_bound(), std::vector<PartList>(buckets.size(), tiles),
                      bucket_of_row);
  for (PartList& list : ranges_but_tiles(gather, owner, result.keys))
    ranges.emplace_back(rows, noise.normal_bound(), std::vector{std::move(list)}, first_list);
  for (AuditRanges& list : ranges) {
    const auto finer =
        std::ranges::find_if(ranges, [&](const AuditRanges& other) { return list.consists_of(other); });
    if (finer != ranges.end()) list.take_from(*finer);
  }
  AuditKeys keys(result.keys);
  const bool mx_values =
      problem.quantisation == Quantisation::mx && gather.tensors().v_descale.type() == ElementType::e8m0;
  std::optional<AuditColumns> columns;
  if (mx_values) columns.emplace(result.keys, rows, values.directions());
  std::optional<AuditKeyBlocks> key_blocks;
  if (problem.quantisation == Quantisation::mx)
    key_blocks.emplace(gather, chunk, rows, noise.normal_bound(), result.keys);
  for_each_seen_block(rows.shared, [&](int first, int count) {
    const AuditBlock block = audit_block(rows, noise, first, values.block(first, count));
    for (AuditRanges& list : ranges) list.add(block);
    keys.add(rows, block);
    if (columns) columns->add(block, values.whole(first, count));
    if (key_blocks) key_blocks->add(block);
  });

  std::vector<PartList> of_buckets = ranges.front().finish();
  for (const auto& [exponent, index] : buckets)
    result.buckets.push_back({exponent, std::move(of_buckets[index])});
  result.lists.push_back(all_values(rows, result.keys));
  for (size_t i = 1; i < ranges.size(); ++i) result.lists.push_back(std::move(ranges[i].finish().front()));
  result.lists.push_back(keys.finish());
  if (columns) result.lists.push_back(columns->finish());
  if (key_blocks) result.lists.push_back(key_blocks->finish());
  result.lists.push_back(audit_edges(gather, chunk, rows, values, noise, input, result.keys));
  return result;
}

void add(AuditOwner& owner, AuditOwner&& chunk) {
  const auto add_list = [](PartList& into, const PartList& from) {
    for (size_t i = 0; i < into.sums.size(); ++i) into.sums[i] += from.sums[i];
    for (size_t i = 0; i < into.lse.size(); ++i) into.lse[i] += from.lse[i];
  };
  owner.rows += chunk.rows;
  owner.lse_offset += chunk.lse_offset;
  owner.erring_rows += chunk.erring_rows;
  for (size_t column = 0; column < owner.sum_of_errors.size(); ++column)
    owner.sum_of_errors[column] += chunk.sum_of_errors[column];
  for (size_t i = 0; i < owner.lists.size(); ++i) add_list(owner.lists[i], chunk.lists[i]);
  for (TileBucket& bucket : chunk.buckets) {
    const auto place = std::ranges::lower_bound(owner.buckets, bucket.exponent, {}, &TileBucket::exponent);
    if (place != owner.buckets.end() && place->exponent == bucket.exponent)
      add_list(place->tiles, bucket.tiles);
    else
      owner.buckets.insert(place, std::move(bucket));
  }
}

} // namespace fmha950::reference::FMHA950_SIMD
