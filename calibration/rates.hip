// Micro-kernels for what no source settles (docs/silicon_check.md): each is bound by the one unit whose rate is asked for.
// Rows of micro.cpp say how many waves share it. They leave their stamps alone, no output.

#include "calibration/micro_arguments.hpp"
#include "calibration/stamped.hpp"
#include "gfx950/lds_dma.hpp"
#include "gfx950/mfma.hpp"
#include "gfx950/mfma_fp8.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"

namespace fmha950::calibration {

using namespace gfx950;

constexpr int streams = 4; // independent results, so that none waits for the one before

template <int WAVES, int STEPS, class Step>
FMHA950_INLINE void repeat(const MicroArguments& arguments, Step step) {
  stamped<WAVES>(arguments.stamps, [&] {
#pragma nounroll
    for (uint32_t n = 0; n < arguments.iterations; ++n) unrolled<STEPS>(step);
  });
}

// What is computed is of no interest, but must be.
template <class T> FMHA950_INLINE void keep(const T& value) { asm volatile("" ::"v"(value)); }
template <class T, int N> FMHA950_INLINE void keep(const T (&values)[N]) {
  for (const T& value : values) keep(value);
}

FMHA950_INLINE float lane_value() { return static_cast<float>(lane_id()) / 64; }

template <class Mfma, class Operand, class Sum> FMHA950_INLINE void matrix(const MicroArguments& arguments) {
  Operand a, b;
  for (int t = 0; t < static_cast<int>(__builtin_vectorelements(Operand)); ++t) a[t] = b[t] = {};
  pin(a);
  pin(b);
  Sum sums[streams] = {};
  repeat<1, rate_mfma_steps>(arguments, [&](auto step) {
    sums[step % streams] = Mfma::multiply_add(a, b, sums[step % streams]);
    schedule_fence();
  });
  keep(sums);
}
FMHA950_KERNEL(64, 1) void rate_mfma_32x32x16(MicroArguments arguments) {
  using Mfma = Mfma32x32x16<bf16>;
  matrix<Mfma, Mfma::Operand, Mfma::Accumulator>(arguments);
}
FMHA950_KERNEL(64, 1) void rate_mfma_16x16x128(MicroArguments arguments) {
  matrix<Fp8Mfma16x16x128, Word8, Float4>(arguments);
}
FMHA950_KERNEL(64, 1) void rate_mfma_32x32x64(MicroArguments arguments) {
  matrix<Fp8Mfma32x32x64, Word8, Float16>(arguments);
}

// A step's VALU instructions take as long as its matrix instruction. Two waves share the SIMD, as one alone cannot issue
// that much.
FMHA950_KERNEL(512, 2) void rate_mfma_and_fma(MicroArguments arguments) {
  using Mfma = Mfma16x16x32<bf16>;
  Mfma::Operand a, b;
  for (int t = 0; t < 8; ++t) a[t] = b[t] = static_cast<bf16>(lane_value());
  Float4 sums[streams] = {};
  float x[2][fma_beside_mfma];
  for (auto& set : x)
    for (float& value : set) value = lane_value();
  repeat<rate_waves, rate_steps>(arguments, [&](auto step) {
    sums[step % streams] = Mfma::multiply_add(a, b, sums[step % streams]);
    auto& y = x[step % 2];
    static_assert(fma_beside_mfma == 4);
    asm volatile("v_fma_f32 %0, %0, 0.5, 1.0\n\tv_fma_f32 %1, %1, 0.5, 1.0\n\t"
                 "v_fma_f32 %2, %2, 0.5, 1.0\n\tv_fma_f32 %3, %3, 0.5, 1.0"
                 : "+v"(y[0]), "+v"(y[1]), "+v"(y[2]), "+v"(y[3]));
    schedule_fence();
  });
  keep(sums);
  keep(x);
}

// A packed FMA behind each matrix instruction, of other registers.
FMHA950_INLINE void square_and_add(Float2& x) { asm volatile("v_pk_fma_f32 %0, %0, %0, %0" : "+v"(x)); }
FMHA950_KERNEL(64, 1) void rate_mfma_and_pk_fma(MicroArguments arguments) {
  using Mfma = Mfma32x32x16<bf16>;
  Mfma::Operand a, b;
  for (int t = 0; t < 8; ++t) a[t] = b[t] = static_cast<bf16>(lane_value());
  Mfma::Accumulator sums[streams] = {};
  Float2 x[streams];
  for (Float2& pair : x) pair = {lane_value(), lane_value()};
  repeat<1, rate_mfma_steps>(arguments, [&](auto step) {
    sums[step % streams] = Mfma::multiply_add(a, b, sums[step % streams]);
    square_and_add(x[step % streams]);
    schedule_fence();
  });
  keep(sums);
  keep(x);
}

// Each step writes another register; the instruction reads it too, as it leaves other bytes alone.
template <class Step> FMHA950_INLINE void convert(const MicroArguments& arguments, Step step) {
  constexpr int registers = 16;
  uint32_t words[registers] = {};
  float value = lane_value();
  pin(value);
  pin(words);
  repeat<1, rate_valu_steps>(arguments, [&](auto n) { step(words[n % registers], value); });
  keep(words);
}
FMHA950_KERNEL(64, 1) void rate_cvt_pk_fp8(MicroArguments arguments) {
  convert(arguments, [](uint32_t& word, float value) {
    asm volatile("v_cvt_pk_fp8_f32 %0, %1, %1" : "+v"(word) : "v"(value));
  });
}
FMHA950_KERNEL(64, 1) void rate_cvt_pk_u8(MicroArguments arguments) {
  convert(arguments, [](uint32_t& word, float value) {
    asm volatile("v_cvt_pk_u8_f32 %0, %1, 0, %0" : "+v"(word) : "v"(value));
  });
}

FMHA950_KERNEL(64, 1) void rate_pk_fma(MicroArguments arguments) {
  constexpr int registers = 16;
  Float2 x[registers];
  for (Float2& pair : x) pair = {lane_value(), lane_value()};
  pin(x);
  repeat<1, rate_valu_steps>(arguments, [&](auto n) { square_and_add(x[n % registers]); });
  keep(x);
}

// Every lane reads 16 bytes beside those of its neighbours: no bank is asked twice.
FMHA950_KERNEL(512, 2) void rate_lds_read_b128(MicroArguments arguments) {
  __shared__ char lds[16 * wave_lanes * rate_waves] __attribute__((aligned(16)));
  uint32_t address = lds_address((LdsBytes)lds) + thread_id() * 16;
  pin(address);
  constexpr int at_once = 8;
  Word4 words[at_once] = {};
  write_lds<0>(address, words[0]);
  wait_lds<0>();
  repeat<rate_waves, rate_lds_steps>(arguments, [&](auto n) {
    read_lds<0>(words[n % at_once], address);
    if constexpr (n % at_once == at_once - 1) {
      wait_lds<0>();
      pin(words);
    }
  });
  keep(words);
}

// LDS DMA of lines that L1 has, and writes of a rate that was measured (data/calibration/lds_phases.csv): the LDS is busy
// for longer than addresses are. The table is what the DMA copies.
FMHA950_KERNEL(512, 2) void rate_lds_dma(MicroArguments arguments) {
  constexpr uint32_t piece = 16 * wave_lanes;
  __shared__ char copied[piece * rate_waves] __attribute__((aligned(16)));
  __shared__ char written[8 * wave_lanes * rate_waves] __attribute__((aligned(16)));
  const BufferResource source = raw_buffer(arguments.table, micro_lds_bytes);
  const LdsBytes destination = (LdsBytes)copied + wave_id() * piece;
  uint32_t address = lds_address((LdsBytes)written) + thread_id() * 8;
  pin(address);
  repeat<rate_waves, rate_steps>(arguments, [&](auto n) {
    load_to_lds<16>(source, lane_id() * 16, destination, wave_id() * piece);
    unrolled<writes_beside_dma>([&](auto) { write_lds<0>(address, Word2{lane_id(), lane_id()}); });
    if constexpr (n % 8 == 7) wait_vector_memory<4>();
  });
  wait_vector_memory<0>();
  wait_lds<0>();
}

FMHA950_KERNEL(512, 2) void rate_barrier(MicroArguments arguments) {
  stamped<rate_waves>(arguments.stamps, [&] {
#pragma nounroll
    for (uint32_t n = 0; n < arguments.iterations; ++n)
      asm volatile(".rept %0\n\ts_barrier\n\t.endr" ::"n"(rate_steps) : "memory");
  });
}

} // namespace fmha950::calibration
