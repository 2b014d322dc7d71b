#pragma once
// Four waves, one for each SIMD. A wave hides its own reads and requests among its matrix instructions: while
// a quadrant is multiplied, what the next quadrant wants is read from LDS and a half of a later step is asked
// for; a barrier ends the quadrant.
//
//   multiplies  0,0        0,1        1,0          1,1
//   reads       B1(t)      A1(t)      A0(t + 1)    B0(t + 1)
//   asks for    A0(t + 2)  B0(t + 2)  B1(t + 2)    A1(t + 2)
//
// The place of what is asked for was read two quadrants before, which all waves have waited for. Each wave
// waits for its share of what the next quadrant reads; five younger halves stay in flight.

#include "calibration/gemm_stager.hpp"
#include "calibration/gemm_wave.hpp"

namespace fmha950::calibration {

template <class Product> class Interleaved {
 public:
  static constexpr int waves = 4;

  FMHA950_INLINE Interleaved(const void* a, const void* b, uint32_t row_bytes, LdsBytes lds)
      : stager_(a, b, row_bytes, lds), wave_(lds_address(lds)) {}

  FMHA950_INLINE void run(uint32_t steps) {
    fill();
    uint32_t step = 0;
    for (; step + 2 < steps; ++step) multiply_step<2>(step);
    multiply_step<1>(step);
    multiply_step<0>(step + 1);
  }

  FMHA950_INLINE void store(void* c, uint32_t row_bytes) { wave_.store(c, row_bytes); }

 private:
  using Wave = GemmWave<Product, SumsInAgprs, waves>;
  using Stager = GemmStager<waves>;
  static constexpr int halves_in_flight = 5;

  FMHA950_INLINE void fill() {
    for (uint32_t step = 0; step < 2; ++step) {
      stager_.template stage<operand_a, 0>(step);
      stager_.template stage<operand_b, 0>(step);
      stager_.template stage<operand_b, 1>(step);
      stager_.template stage<operand_a, 1>(step);
    }
    stager_.template wait<halves_in_flight>();
    barrier();
    wave_.template read<operand_a, 0>();
    wave_.template read<operand_b, 0>();
    wave_.template wait_for_reads<operand_a, 0>();
    wave_.template wait_for_reads<operand_b, 0>();
    barrier();
  }

  // AHEAD: how many more steps there are, at most 2. Nothing is asked for beyond the last.
  template <int AHEAD> FMHA950_INLINE void multiply_step(uint32_t step) {
    multiply<AHEAD, 0, operand_b, 1, operand_a, 0>(step);
    multiply<AHEAD, 1, operand_a, 1, operand_b, 0>(step);
    multiply<AHEAD, 2, operand_a, 0, operand_b, 1>(step);
    multiply<AHEAD, 3, operand_b, 0, operand_a, 1>(step);
  }

  // Quadrants have 16 slots, each behind one or more matrix instructions: reads come first, so that they are
  // there at the quadrant's end, then the requests.
  template <int AHEAD, int N, Operand READ, int READ_HALF, Operand ASKED, int ASKED_HALF>
  FMHA950_INLINE void multiply(uint32_t step) {
    constexpr int slots = 16, per_slot = Wave::quadrant_instructions / slots;
    static_assert(per_slot * slots == Wave::quadrant_instructions);
    constexpr int reads = Wave::template half_reads<READ>,
                  between_requests = (slots - reads) / Stager::pieces;
    static_assert(between_requests > 0);
    constexpr bool read_here = N < 2 || AHEAD > 0;
    wave_.template multiply<N / 2, N % 2>([&](auto n) {
      constexpr int slot = n / per_slot, request = slot - reads;
      if constexpr (n % per_slot == 0) {
        if constexpr (read_here && slot < reads) wave_.template read_piece<READ, READ_HALF, slot>();
        if constexpr (AHEAD == 2 && request >= 0 && request % between_requests == 0)
          stager_.template stage_piece<ASKED, ASKED_HALF, request / between_requests>(step + 2);
      }
      schedule_fence();
    });
    if constexpr (read_here) wave_.template wait_for_reads<READ, READ_HALF>();
    if constexpr (N < 1 || AHEAD > 0) { // the next quadrant reads
      constexpr int no_longer_asked_for = AHEAD == 2 ? 0 : 4 * (1 - AHEAD) + N + 1;
      stager_.template wait<halves_in_flight - no_longer_asked_for>();
      barrier();
    }
  }

  Stager stager_;
  Wave wave_;
};

} // namespace fmha950::calibration
