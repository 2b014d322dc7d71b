#include "emulator/static_check/common_values.hpp"

#include "emulator/static_check/propagate.hpp"

#include <algorithm>

namespace fmha950::static_check {
namespace {

using Scalars = CommonValues::Scalars;
using Lanes = KnownValues::Lanes;
using File = isa::RegisterRange::File;

void keep_equal_scalars(Scalars& values, const Scalars& other) {
  std::erase_if(values, [&](const auto& each) {
    const auto found = other.find(each.first);
    return found == other.end() || found->second != each.second;
  });
}

} // namespace

void CommonValues::Written::keep_equal(const Written& other) {
  const size_t before = scalars.size();
  keep_equal_scalars(scalars, other.scalars);
  const bool same_vectors = std::ranges::equal(vectors, other.vectors, [](const auto& a, const auto& b) {
    return a == b || (a->known == b->known && a->value == b->value);
  });
  all = all && other.all && scalars.size() == before && same_vectors;
  all_lanes = all_lanes && other.all_lanes;
}

CommonValues::OfWave CommonValues::values_of(const Code& code, uint32_t wave) {
  OfWave result{std::vector<Scalars>(code.flow().blocks.size()), std::vector<Written>(code.size())};
  propagate(code, 0, KnownValues::at_entry(code, wave), true, [&](KnownValues& values, size_t index) {
    const size_t block = code.block_of(index);
    if (code.flow().blocks[block].begin == index) result.at_entry[block] = values.scalars();
    Written written{{}, {}, !code.info(index).uses.writes().empty(), values.exec() == ~uint64_t{0}};
    values.execute(code, index);
    for (const isa::RegisterRange& range : code.info(index).uses.writes())
      for (int r = range.first; r < range.first + range.count; ++r)
        if (const auto scalar = range.file == File::scalar ? values.scalar(r) : std::nullopt)
          written.scalars[r] = *scalar;
        else if (const auto lanes = range.file == File::vector ? values.shared_vector(r) : nullptr;
                 lanes && lanes->known == ~uint64_t{0})
          written.vectors.push_back(lanes);
        else
          written.all = false;
    result.written[index] = std::move(written);
  });
  return result;
}

CommonValues::CommonValues(const Code& code) : at_entry_(code.flow().blocks.size()), written_(code.size()) {
  for (uint32_t wave = 0; wave < code.most_waves(); ++wave) {
    OfWave own = values_of(code, wave);
    if (wave == 0) {
      at_entry_ = std::move(own.at_entry);
      written_ = std::move(own.written);
      continue;
    }
    for (size_t block = 0; block < at_entry_.size(); ++block)
      keep_equal_scalars(at_entry_[block], own.at_entry[block]);
    for (size_t i = 0; i < written_.size(); ++i) written_[i].keep_equal(own.written[i]);
  }
}

Scalars CommonValues::before(const Code& code, size_t index) const {
  const size_t block = code.block_of(index);
  Scalars values = at_entry_[block];
  for (size_t i = code.flow().blocks[block].begin; i < index; ++i) {
    for (const isa::RegisterRange& range : code.info(i).uses.writes())
      for (int r = range.first; range.file == File::scalar && r < range.first + range.count; ++r)
        values.erase(r);
    for (const auto& [r, value] : written_[i].scalars) values[r] = value;
  }
  return values;
}

} // namespace fmha950::static_check
