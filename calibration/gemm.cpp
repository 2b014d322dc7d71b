#include "calibration/gemm.hpp"

#include "calibration/kernel_named.hpp"
#include "interface/error.hpp"
#include "numerics/target.hpp"
#include "workload/quantise.hpp"
#include "workload/value_source.hpp"

#include <fmt/format.h>
#include <set>

namespace fmha950::calibration {
namespace {

static_assert(chiplets == target.chiplets); // kernels include no header of the host

constexpr GemmKernel gemm_rows[] = {
    {"gemm_bf16_16_ping_pong", ElementType::bf16, 512},   {"gemm_bf16_32_ping_pong", ElementType::bf16, 512},
    {"gemm_bf16_16_interleaved", ElementType::bf16, 256}, {"gemm_fp8_16_ping_pong", ElementType::fp8, 512},
    {"gemm_fp8_32_ping_pong", ElementType::fp8, 512},     {"gemm_fp8_16_interleaved", ElementType::fp8, 256},
};

constexpr uint64_t seed = 950;
constexpr uint32_t largest_edge = 1u << 20; // of C: 32-bit offsets reach a tile's rows of 2 MiB each
constexpr uint32_t largest_window = 64, largest_chunk = 1u << 24; // tiles

void require_multiple(const char* field, uint32_t value, uint32_t unit, uint32_t least, uint32_t most) {
  if (value % unit != 0 || value < least || value > most)
    throw InvalidInput(field, std::to_string(value),
                       fmt::format("must be a multiple of {} from {} to {}", unit, least, most));
}

GemmShape checked(const GemmKernel& kernel, GemmShape shape) {
  const uint32_t bytes = static_cast<uint32_t>(element_bytes(kernel.element)), step = step_bytes / bytes;
  require_multiple("m", shape.m, tile_edge, tile_edge, largest_edge);
  require_multiple("n", shape.n, tile_edge, tile_edge, largest_edge);
  require_multiple("k", shape.k, step, smallest_steps * step, largest_row_bytes / bytes);
  return shape;
}

TileOrder checked(TileOrder order) {
  if (order.window > largest_window)
    throw InvalidInput("window", std::to_string(order.window),
                       fmt::format("must be at most {}", largest_window));
  if (order.window > 0 && (order.chunk == 0 || order.chunk > largest_chunk))
    throw InvalidInput("chunk", std::to_string(order.chunk),
                       fmt::format("must be 1 to {} where there is a window", largest_chunk));
  return order;
}

} // namespace

std::span<const GemmKernel> gemm_kernels() { return gemm_rows; }

Gemm::Gemm(std::string_view kernel, GemmShape shape, TileOrder order)
    : kernel_(kernel_named(gemm_kernels(), "GEMM kernel", kernel)), shape_(checked(kernel_, shape)),
      order_(checked(order)), rows_(shape.m / tile_edge), columns_(shape.n / tile_edge),
      row_bytes_(size_t{shape.k} * static_cast<size_t>(element_bytes(kernel_.element))),
      a_(shape.m * row_bytes_), b_(shape.n * row_bytes_), c_(size_t{shape.m} * shape.n * 2) {
  function_ = hip::load_kernel("calibration_gemm", kernel_.name);
}

Tensor Gemm::row(Matrix matrix, uint32_t index) const {
  std::vector<float> values(shape_.k);
  workload::fill_normal(values, seed,
                        {workload::Stream::key, static_cast<int>(matrix), static_cast<int>(index), 0});
  Tensor row(kernel_.element, {shape_.k});
  for (uint32_t i = 0; i < shape_.k; ++i) workload::store(row, i, values[i]);
  return row;
}

void Gemm::upload_rows(Matrix matrix, uint32_t tile) {
  hip::Buffer& buffer = matrix == matrix_a ? a_ : b_;
  for (uint32_t index = tile * tile_edge; index < (tile + 1) * tile_edge; ++index)
    buffer.upload(row(matrix, index).data(), row_bytes_, index * row_bytes_);
}

void Gemm::prepare(const std::vector<uint32_t>* only) {
  std::set<uint32_t> rows, columns;
  const auto add = [&](uint32_t workgroup) {
    rows.insert(place(workgroup).row);
    columns.insert(place(workgroup).column);
  };
  if (only)
    for (const uint32_t workgroup : *only) add(workgroup);
  else
    for (uint32_t workgroup = 0; workgroup < workgroups(); ++workgroup) add(workgroup);
  for (const uint32_t tile : rows) upload_rows(matrix_a, tile);
  for (const uint32_t tile : columns) upload_rows(matrix_b, tile);
}

void Gemm::launch(hip::Stream stream, const std::vector<uint32_t>* only) const {
  const GemmArguments arguments = {.a = a_.get(),
                                   .b = b_.get(),
                                   .c = c_.get(),
                                   .m = shape_.m,
                                   .n = shape_.n,
                                   .row_bytes = static_cast<uint32_t>(row_bytes_),
                                   .order = order_};
  hip::launch(function_, {workgroups()}, {kernel_.threads}, &arguments, sizeof arguments, stream, only);
}

Tensor Gemm::tile(uint32_t workgroup) const {
  const TilePlace at = place(workgroup);
  Tensor tile(ElementType::bf16, {tile_edge, tile_edge});
  for (size_t row = 0; row < tile_edge; ++row)
    c_.download(tile.data() + row * tile_edge * 2, tile_edge * 2,
                ((at.row * tile_edge + row) * shape_.n + at.column * tile_edge) * 2);
  return tile;
}

} // namespace fmha950::calibration
