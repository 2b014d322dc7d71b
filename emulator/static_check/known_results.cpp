#include "emulator/static_check/known_results.hpp"

#include "emulator/static_check/propagate.hpp"
#include "emulator/static_check/register_bits.hpp"

namespace fmha950::static_check {

KnownResults::KnownResults(const Code& code) : results_(code.size()) {
  std::vector<bool> seen(code.size());
  for (uint32_t wave = 0; wave < code.most_waves(); ++wave) {
    std::vector<KnownBits> of_wave(code.size());
    propagate(code, 0, RegisterBits(code, wave), true, [&](RegisterBits& bits, size_t index) {
      if (code.flow().blocks[code.block_of(index)].begin == index) bits.keep_only(code.read_from(index));
      bits.execute(code, index);
      const isa::Uses& uses = code.info(index).uses;
      if (uses.writes().empty()) return;
      const isa::RegisterRange& into = uses.writes().front();
      if (into.file == isa::RegisterRange::File::scalar) {
        of_wave[index] = bits.scalar(into.first);
        return;
      }
      const RegisterBits::Lanes lanes = bits.vector(into.first);
      of_wave[index] = lanes[0];
      for (const KnownBits& lane : lanes) of_wave[index] = common(of_wave[index], lane);
    });
    for (size_t i = 0; i < results_.size(); ++i)
      results_[i] = wave == 0 ? of_wave[i] : common(results_[i], of_wave[i]);
  }
}

} // namespace fmha950::static_check
