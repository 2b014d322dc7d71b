#pragma once
// Eight waves in two groups of four; each SIMD holds one wave of each group. A K step is eight phases with a
// barrier after each: four times operands are read from LDS and a half of a later step is asked for, then a
// quadrant is multiplied. The second group runs one phase behind the first: while one group's waves keep the
// matrix units busy, the other's use LDS and memory.
//
//   phase       0          1     2          3     4          5     6            7
//   reads       A0(t)            B1(t)            A1(t)            B0(t + 1)
//   asks for    B0(t + 2)        A0(t + 2)        B1(t + 2)        A1(t + 2)
//   multiplies             0,0              0,1              1,0                1,1
//
// What is read in a phase has been read by both groups one interval later, so that the next phase of reads
// may ask for its place to be filled anew. Each wave waits for its share of what the next phase of reads
// wants, the second group just before the first group reads it; six younger halves stay in flight.

#include "calibration/gemm_stager.hpp"
#include "calibration/gemm_wave.hpp"

namespace fmha950::calibration {

template <class Product> class PingPong {
 public:
  static constexpr int waves = 8;

  FMHA950_INLINE PingPong(const void* a, const void* b, uint32_t row_bytes, LdsBytes lds)
      : stager_(a, b, row_bytes, lds), wave_(lds_address(lds)) {}

  FMHA950_INLINE void run(uint32_t steps) {
    fill();
    const bool second_wave_group = wave_id() >= waves / 2;
    if (second_wave_group) barrier();
    uint32_t step = 0;
    for (; step + 2 < steps; ++step) multiply_step<2>(step);
    multiply_step<1>(step);
    multiply_step<0>(step + 1);
    if (!second_wave_group) barrier(); // all meet as often
  }

  FMHA950_INLINE void store(void* c, uint32_t row_bytes) { wave_.store(c, row_bytes); }

 private:
  static constexpr int halves_in_flight = 6;

  FMHA950_INLINE void fill() {
    for (uint32_t step = 0; step < 2; ++step) {
      stager_.template stage<operand_b, 0>(step);
      stager_.template stage<operand_a, 0>(step);
      stager_.template stage<operand_b, 1>(step);
      stager_.template stage<operand_a, 1>(step);
    }
    stager_.template wait<halves_in_flight>();
    barrier();
    wave_.template read<operand_b, 0>();
    wave_.template wait_for_reads<operand_b, 0>();
    barrier();
  }

  // AHEAD: how many more steps there are, at most 2. Nothing is asked for beyond the last.
  template <int AHEAD> FMHA950_INLINE void multiply_step(uint32_t step) {
    wave_.template read<operand_a, 0>();
    end_reads<AHEAD, 0, operand_a, 0, operand_b, 0>(step);
    multiply<0, 0>();
    wave_.template read<operand_b, 1>();
    end_reads<AHEAD, 1, operand_b, 1, operand_a, 0>(step);
    multiply<0, 1>();
    wave_.template read<operand_a, 1>();
    end_reads<AHEAD, 2, operand_a, 1, operand_b, 1>(step);
    multiply<1, 0>();
    if constexpr (AHEAD > 0) wave_.template read<operand_b, 0>();
    end_reads<AHEAD, 3, operand_b, 0, operand_a, 1>(step);
    multiply<1, 1>();
  }

  // Ends the N-th phase of reads in its step.
  template <int AHEAD, int N, Operand READ, int READ_HALF, Operand ASKED, int ASKED_HALF>
  FMHA950_INLINE void end_reads(uint32_t step) {
    if constexpr (AHEAD == 2) stager_.template stage<ASKED, ASKED_HALF>(step + 2);
    if constexpr (N < 3 || AHEAD > 0) wave_.template wait_for_reads<READ, READ_HALF>();
    constexpr int no_longer_asked_for = AHEAD == 2 ? 0 : 4 * (1 - AHEAD) + N + 1;
    if constexpr (N < 2 || AHEAD > 0) stager_.template wait<halves_in_flight - no_longer_asked_for>();
    barrier();
  }

  template <int I, int J> FMHA950_INLINE void multiply() {
    priority<1>();
    wave_.template multiply<I, J>([](auto) {});
    priority<0>();
    barrier();
  }

  GemmStager<waves> stager_;
  GemmWave<Product, SumsInVariables, waves> wave_;
};

} // namespace fmha950::calibration
