#include "operators/sparse_prefill/row_writer.hpp"

#include "numerics/formats.hpp"
#include "numerics/threads.hpp"
#include "operators/sparse_prefill/sparse_lists.hpp"
#include "operators/sparse_prefill/sparse_tensors.hpp"
#include "workload/philox.hpp"
#include "workload/poison.hpp"
#include "workload/quantise.hpp"

#include <algorithm>

namespace fmha950::operators {
namespace {

using namespace workload;

using namespace sparse;

constexpr int packed_padding_begin = packed_scales_begin + packed_scales;

class RowWriter {
 public:
  RowWriter(const Problem& problem, int64_t count, SparseRows& rows)
      : seed_(problem.seed), quantised_(problem.kv_type == ElementType::fp8),
        packed_(quantised_ && row_format(problem) == RowFormat::packed), rows_(rows) {
    const int64_t nope = quantised_ && !packed_ ? nope_columns : head_dim;
    rows_.nope = Tensor(problem.kv_type, {count, nope});
    if (!quantised_) return;
    rows_.rope = Tensor(ElementType::bf16, {count, rope_columns});
    if (!packed_) rows_.scale = Tensor(ElementType::fp32, {count, nope_columns / split_block});
    rows_.original = Tensor(ElementType::fp32, {count, head_dim});
  }

  void write(int64_t row, std::span<const float> values) {
    if (!quantised_) return write_values(rows_.nope, row, values);
    std::ranges::copy(values, rows_.original.as<float>().subspan(row * head_dim).begin());
    write_values(rows_.rope, row, values.subspan(nope_columns));
    const int block = packed_ ? packed_block : split_block;
    const int64_t first = row * rows_.nope.shape()[1];
    for (int column = 0; column < nope_columns; column += block) {
      const auto columns = values.subspan(column, block);
      const float scale = write_scale(row, column / block, largest_magnitude(columns));
      for (int i = 0; i < block; ++i) store(rows_.nope, first + column + i, columns[i] / scale);
    }
    if (packed_) write_padding(row);
  }

  void poison_row(int64_t row) {
    const auto fill = [&](Tensor& tensor) {
      if (tensor.empty()) return;
      const size_t bytes = tensor.bytes() / static_cast<size_t>(tensor.shape()[0]);
      std::fill_n(tensor.data() + static_cast<size_t>(row) * bytes, bytes, poison);
    };
    fill(rows_.nope);
    fill(rows_.rope);
    fill(rows_.scale);
    if (!quantised_) return;
    for (int column = 0; column < nope_columns; ++column) byte(row, column) = fp8_poison(row + column);
    if (packed_) poison_padding(row);
  }

 private:
  std::byte& byte(int64_t row, int column) { return rows_.nope.data()[row * rows_.nope.shape()[1] + column]; }

  static void write_values(Tensor& tensor, int64_t row, std::span<const float> values) {
    for (int64_t i = 0; i < std::ssize(values); ++i) store(tensor, row * std::ssize(values) + i, values[i]);
  }

  float write_scale(int64_t row, int block, float amax) {
    if (packed_) {
      const uint8_t code = mx_scale(ElementType::fp8, amax);
      byte(row, packed_scales_begin + block) = std::byte{code};
      return numerics::f32_from_e8m0(code);
    }
    return rows_.scale.as<float>()[row * (nope_columns / split_block) + block] = fp8_descale(amax, true);
  }

  void write_padding(int64_t row) {
    if (row % 4 != 3) return poison_padding(row);
    for (int column = packed_padding_begin; column < head_dim; ++column) {
      const PhiloxCounter counter{static_cast<uint32_t>(column), static_cast<uint32_t>(row), 0,
                                  static_cast<uint32_t>(Stream::padding)};
      byte(row, column) = static_cast<std::byte>(philox(counter, seed_)[0]);
    }
  }

  void poison_padding(int64_t row) {
    for (int column = packed_padding_begin; column < head_dim; ++column)
      byte(row, column) = fp8_poison(row + column);
  }

  uint64_t seed_;
  bool quantised_, packed_;
  SparseRows& rows_;
};

int64_t row_bytes(const SparseRows& rows) {
  return static_cast<int64_t>(rows.nope.bytes() + rows.rope.bytes() + rows.scale.bytes()) /
         std::max<int64_t>(rows.rows(), 1);
}

} // namespace

SparseRows make_sparse_rows(const Problem& problem, int64_t count, std::span<const int32_t> used,
                            const RowValues& values) {
  SparseRows rows;
  RowWriter writer(problem, count, rows);
  numerics::parallel_for(std::ssize(used), [&](int64_t i) {
    std::array<float, head_dim> row;
    values(used[i], row);
    for (float& x : row) x = round_to(ElementType::bf16, x);
    writer.write(used[i], row);
  });
  const std::vector<int32_t> poisoned = unused_to_poison(used, count, row_bytes(rows));
  for (const int32_t row : poisoned) writer.poison_row(row);
  std::ranges::merge(used, poisoned, std::back_inserter(rows.written));
  return rows;
}

} // namespace fmha950::operators
