#include "calibration/micro.hpp"

#include "calibration/kernel_named.hpp"
#include "interface/error.hpp"
#include "numerics/target.hpp"

#include <fmt/format.h>
#include <numeric>

namespace fmha950::calibration {
namespace {

constexpr size_t lanes = target.wave_lanes, lds_words = micro_lds_bytes / 4,
                 code_words = code_waves * (1 + code_line_valus) * lanes;
constexpr int simds = target.simds_per_cu;

constexpr MicroKernel micro_rows[] = {
    {"micro_mfma_chain", MicroTable::none, mfma_steps, 4 * lanes},
    {"micro_mfma_streams", MicroTable::none, mfma_steps, 4 * mfma_streams * lanes},
    {"micro_fma_chain", MicroTable::none, fma_steps, lanes},
    {"micro_exp", MicroTable::none, exp_steps, exp_steps * lanes},
    {"micro_code_4", MicroTable::none, 4, code_words, 0, code_waves},
    {"micro_code_59", MicroTable::none, 59, code_words, 0, code_waves},
    {"micro_code_91", MicroTable::none, 91, code_words, 0, code_waves},
    {"micro_global_chase", MicroTable::chase, global_chase_steps, lanes},
    {"micro_lds_gather", MicroTable::lds_chase, lds_gather_steps, lanes},
    {"micro_lds_read_b64", MicroTable::lds_addresses, lds_access_steps, 2 * lanes, 8},
    {"micro_lds_read_b96", MicroTable::lds_addresses, lds_access_steps, 3 * lanes, 12},
    {"micro_lds_read_b128", MicroTable::lds_addresses, lds_access_steps, 4 * lanes, 16},
    {"micro_lds_write_b64", MicroTable::lds_addresses, lds_access_steps, lds_words, 8},
    {"rate_mfma_32x32x16", MicroTable::none, rate_mfma_steps, 0},
    {"rate_mfma_16x16x128", MicroTable::none, rate_mfma_steps, 0},
    {"rate_mfma_32x32x64", MicroTable::none, rate_mfma_steps, 0},
    {"rate_mfma_and_fma", MicroTable::none, rate_steps, 0, 0, rate_waves, rate_waves / simds},
    {"rate_mfma_and_pk_fma", MicroTable::none, rate_mfma_steps, 0},
    {"rate_cvt_pk_fp8", MicroTable::none, rate_valu_steps, 0},
    {"rate_cvt_pk_u8", MicroTable::none, rate_valu_steps, 0},
    {"rate_pk_fma", MicroTable::none, rate_valu_steps, 0},
    {"rate_lds_read_b128", MicroTable::none, rate_lds_steps, 0, 0, rate_waves, rate_waves},
    {"rate_lds_dma", MicroTable::lds_content, rate_steps, 0, 0, rate_waves, rate_waves},
    {"rate_barrier", MicroTable::none, rate_steps, 0, 0, rate_waves, 1},
};

void require_words(const std::vector<uint32_t>& table, size_t least, size_t most) {
  if (table.size() < least || table.size() > most)
    throw InvalidInput("table", fmt::format("{} words", table.size()),
                       least == most ? fmt::format("must have {} words", least)
                                     : fmt::format("must have {} to {} words", least, most));
}

// The first so many words are offsets of `access` bytes that lie within `bytes`.
void require_offsets(const std::vector<uint32_t>& table, size_t count, uint32_t access, size_t bytes) {
  for (size_t i = 0; i < count; ++i)
    if (table[i] % 4 != 0 || table[i] + size_t{access} > bytes)
      throw InvalidInput(fmt::format("table[{}]", i), std::to_string(table[i]),
                         fmt::format("must be a multiple of 4 up to {}", bytes - access));
}

const MicroKernel& checked(const MicroKernel& kernel, const std::vector<uint32_t>& table) {
  switch (kernel.table) {
  case MicroTable::none: require_words(table, 0, 0); break;
  case MicroTable::chase:
    require_words(table, lanes, size_t{1} << 28);
    require_offsets(table, table.size(), 4, table.size() * 4);
    break;
  case MicroTable::lds_chase:
    require_words(table, lds_words, lds_words);
    require_offsets(table, lds_words, 4, micro_lds_bytes);
    break;
  case MicroTable::lds_content: require_words(table, lds_words, lds_words); break;
  case MicroTable::lds_addresses:
    require_words(table, lanes + lds_words, lanes + lds_words);
    require_offsets(table, lanes, kernel.access_bytes, micro_lds_bytes);
    break;
  }
  return kernel;
}

} // namespace

std::span<const MicroKernel> micro_kernels() { return micro_rows; }

const MicroKernel& micro_kernel(std::string_view name) {
  return kernel_named(micro_kernels(), "micro-kernel", name);
}

Micro::Micro(std::string_view kernel, const std::vector<uint32_t>& table)
    : kernel_(checked(micro_kernel(kernel), table)),
      function_(hip::load_kernel(
          kernel_.name.starts_with("rate_") ? "calibration_rates" : "calibration_micro", kernel_.name)),
      table_(hip::uploaded(table)), output_(kernel_.output_words * 4),
      stamps_(static_cast<size_t>(kernel_.waves) * sizeof(LoopStamp)) {}

void Micro::launch(uint32_t iterations, hip::Stream stream) const {
  if (iterations == 0) throw InvalidInput("iterations", "0", "must be at least 1");
  const MicroArguments arguments = {table_.as<uint32_t>(), output_.as<uint32_t>(), stamps_.as<LoopStamp>(),
                                    iterations};
  hip::launch(function_, {1}, {static_cast<unsigned>(kernel_.waves * target.wave_lanes)}, &arguments,
              sizeof arguments, stream);
}

std::vector<uint32_t> Micro::output() const {
  std::vector<uint32_t> words(kernel_.output_words);
  output_.download(words.data(), output_.bytes());
  return words;
}

std::vector<LoopStamp> Micro::stamps() const {
  std::vector<LoopStamp> stamps(static_cast<size_t>(kernel_.waves));
  stamps_.download(stamps.data(), stamps_.bytes());
  return stamps;
}

std::vector<uint32_t> chase_table(uint32_t words, uint32_t stride) {
  if (std::gcd(words, stride) != 1)
    throw InvalidInput("stride", std::to_string(stride),
                       fmt::format("must have no divisor in common with {}", words));
  std::vector<uint32_t> table(words);
  for (uint32_t i = 0; i < words; ++i) table[i] = static_cast<uint32_t>((uint64_t{i} + stride) % words * 4);
  return table;
}

} // namespace fmha950::calibration
