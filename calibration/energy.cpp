#include "calibration/energy.hpp"

#include "calibration/kernel_named.hpp"
#include "interface/error.hpp"
#include "numerics/bf16.hpp"
#include "numerics/fp8.hpp"
#include "numerics/target.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <random>

namespace fmha950::calibration {
namespace {

constexpr uint32_t words_of_lane = 4;
constexpr uint32_t words_of_operand = target.wave_lanes * words_of_lane;

#define FMHA950_ENERGY_ROW(NAME, MATRIX, BESIDE, COUNT, EVERY)                                               \
  EnergyKernel{#NAME, {EnergyMatrix::MATRIX, EnergyBeside::BESIDE, COUNT, EVERY}},
constexpr EnergyKernel energy_rows[] = {FMHA950_ENERGY_KERNELS(FMHA950_ENERGY_ROW)};

// N(0, 1), as inputs of benchmarks are: energy depends on the bits that change.
class Values {
 public:
  uint32_t word(EnergyMatrix format) {
    uint32_t word = 0;
    if (format == EnergyMatrix::none) return std::bit_cast<uint32_t>(value());
    if (format == EnergyMatrix::bf16) {
      for (int i = 0; i < 2; ++i) word = word << 16 | numerics::bf16_from_f32(value());
      return word;
    }
    for (int i = 0; i < 4; ++i) word = word << 8 | numerics::fp8_from_f32(value(), true);
    return word;
  }

 private:
  float value() { return normal_(random_); }
  std::mt19937 random_{1};
  std::normal_distribution<float> normal_;
};

std::vector<uint32_t> operands_of(const EnergyWork& work) {
  const bool fp8 = work.matrix == EnergyMatrix::fp8 || work.matrix == EnergyMatrix::f8f6f4;
  Values values;
  std::vector<uint32_t> words;
  for (size_t i = 0; i < energy_matrix_operands * words_of_operand; ++i)
    words.push_back(values.word(fp8 ? work.matrix : EnergyMatrix::bf16));
  for (size_t i = 0; i < energy_valu_operands * words_of_operand; ++i)
    words.push_back(values.word(EnergyMatrix::none));
  return words;
}

// Random words all over, in pieces: there may be gigabytes.
hip::Buffer random_memory(size_t bytes) {
  hip::Buffer buffer(bytes);
  std::vector<uint32_t> piece(std::min<size_t>(bytes, 1 << 26) / sizeof(uint32_t));
  Values values;
  for (uint32_t& word : piece) word = values.word(EnergyMatrix::bf16);
  for (size_t begin = 0; begin < bytes; begin += piece.size() * sizeof(uint32_t))
    buffer.upload(piece.data(), std::min(bytes - begin, piece.size() * sizeof(uint32_t)), begin);
  return buffer;
}

uint32_t checked_region(uint32_t region) {
  constexpr uint32_t least = energy_waves * words_of_lane * energy_load_bytes;
  if (region < least || !std::has_single_bit(region))
    throw InvalidInput("region", fmt::format("{} bytes", region),
                       fmt::format("must be a power of two from {} on", least));
  return region;
}

} // namespace

std::span<const EnergyKernel> energy_kernels() { return energy_rows; }

const EnergyKernel& energy_kernel(std::string_view name) {
  return kernel_named(energy_kernels(), "energy kernel", name);
}

EnergyCounts counts_of(const EnergyWork& work) {
  return {work.matrix == EnergyMatrix::none ? 0 : energy_steps, energy_steps / work.every * work.count};
}

Energy::Energy(std::string_view kernel, uint32_t workgroups, uint32_t region)
    : kernel_(energy_kernel(kernel)), workgroups_(workgroups), region_(checked_region(region)),
      function_(hip::load_kernel("calibration_energy", fmt::format("energy_{}", kernel_.name))),
      operands_(hip::uploaded(operands_of(kernel_.work))),
      stamps_(size_t{workgroups} * energy_waves * sizeof(LoopStamp)) {
  if (kernel_.work.beside == EnergyBeside::load) memory_ = random_memory(size_t{workgroups} * region);
}

void Energy::launch(uint32_t iterations, const std::vector<uint32_t>* only) const {
  if (iterations == 0) throw InvalidInput("iterations", "0", "must be at least 1");
  const EnergyArguments arguments = {operands_.as<uint32_t>(), memory_.as<char>(), stamps_.as<LoopStamp>(),
                                     region_, iterations};
  hip::launch(function_, {workgroups_}, {target.wave_lanes * energy_waves}, &arguments, sizeof arguments,
              nullptr, only);
}

std::vector<LoopStamp> Energy::stamps() const {
  std::vector<LoopStamp> stamps(size_t{workgroups_} * energy_waves);
  stamps_.download(stamps.data(), stamps_.bytes());
  return stamps;
}

} // namespace fmha950::calibration
