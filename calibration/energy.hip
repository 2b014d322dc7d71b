// Long loops of one or two kinds of instructions, on operands that look like a network's: what an instruction costs in
// energy depends on the bits that change. Results are of no interest.

#include "calibration/energy_arguments.hpp"
#include "calibration/stamped.hpp"
#include "gfx950/lds.hpp"
#include "gfx950/mfma.hpp"
#include "gfx950/mfma_fp8.hpp"
#include "gfx950/unroll.hpp"

namespace fmha950::calibration {

using namespace gfx950;

template <class T, int N> FMHA950_INLINE void keep(const T (&values)[N]) {
  for (const T& value : values) asm volatile("" ::"v"(value));
}

// Lane by lane the n-th four words.
FMHA950_INLINE Word4 operand(const EnergyArguments& arguments, int n) {
  return reinterpret_cast<const Word4*>(arguments.operands)[n * wave_lanes + lane_id()];
}

// --- matrix instructions ---

template <EnergyMatrix> struct MatrixUnit { // none
  explicit FMHA950_INLINE MatrixUnit(const EnergyArguments&) {}
  template <int> FMHA950_INLINE void step() {}
  FMHA950_INLINE void end() {}
};

// Four independent sums. A sum begins anew with each body, so that it does not outgrow what is added.
template <class Instruction> struct Streams {
  static constexpr int count = 4;
  typename Instruction::Operand a[count], b[count];
  using Sum = typename Instruction::Sum;
  Sum sums[count] = {};

  explicit FMHA950_INLINE Streams(const EnergyArguments& arguments) {
    for (int i = 0; i < count; ++i) {
      a[i] = Instruction::operand(arguments, i);
      b[i] = Instruction::operand(arguments, count + i);
    }
    pin(a);
    pin(b);
  }
  template <int STEP> FMHA950_INLINE void step() {
    constexpr int stream = STEP % count;
    const Sum sum = STEP < count ? Sum{} : sums[stream];
    sums[stream] = Instruction::multiply_add(a[stream], b[STEP / count % count], sum);
  }
  FMHA950_INLINE void end() { // the next body's operands may be others, for all that the compiler knows
    keep(sums);
    pin(a);
  }
};

template <class Mfma> struct Bf16 {
  using Operand = typename Mfma::Operand;
  using Sum = typename Mfma::Accumulator;
  static FMHA950_INLINE Operand operand(const EnergyArguments& arguments, int n) {
    return bits_as<Operand>(calibration::operand(arguments, n));
  }
  static FMHA950_INLINE Sum multiply_add(Operand a, Operand b, Sum c) { return Mfma::multiply_add(a, b, c); }
};
struct LegacyFp8 {
  using Operand = Word2;
  using Sum = Float4;
  static FMHA950_INLINE Operand operand(const EnergyArguments& arguments, int n) {
    const Word4 words = calibration::operand(arguments, n);
    return {words[0], words[1]};
  }
  static FMHA950_INLINE Float4 multiply_add(Operand a, Operand b, Float4 c) {
    return Mfma16x16x32<fp8>::multiply_add(a, b, c);
  }
};
struct F8f6f4 {
  using Operand = Word8;
  using Sum = Float4;
  static FMHA950_INLINE Operand operand(const EnergyArguments& arguments, int n) {
    return joined(calibration::operand(arguments, n),
                  calibration::operand(arguments, energy_matrix_operands / 2 + n));
  }
  static FMHA950_INLINE Float4 multiply_add(Operand a, Operand b, Float4 c) {
    return Fp8Mfma16x16x128::multiply_add(a, b, c);
  }
};
template <> struct MatrixUnit<EnergyMatrix::bf16> : Streams<Bf16<Mfma16x16x32<bf16>>> {
  using Streams::Streams;
};
template <> struct MatrixUnit<EnergyMatrix::bf16_32> : Streams<Bf16<Mfma32x32x16<bf16>>> {
  using Streams::Streams;
};
template <> struct MatrixUnit<EnergyMatrix::fp8> : Streams<LegacyFp8> {
  using Streams::Streams;
};
template <> struct MatrixUnit<EnergyMatrix::f8f6f4> : Streams<F8f6f4> {
  using Streams::Streams;
};

// --- what stands beside them ---

template <EnergyBeside> struct Beside { // nothing
  explicit FMHA950_INLINE Beside(const EnergyArguments&) {}
  template <int> FMHA950_INLINE void instruction() {}
  FMHA950_INLINE void end() {}
};

template <> struct Beside<EnergyBeside::sleep> : Beside<EnergyBeside::nothing> {
  using Beside<EnergyBeside::nothing>::Beside;
  template <int> FMHA950_INLINE void instruction() { asm volatile("s_sleep 127"); }
};
template <> struct Beside<EnergyBeside::nop> : Beside<EnergyBeside::nothing> {
  using Beside<EnergyBeside::nothing>::Beside;
  template <int> FMHA950_INLINE void instruction() { asm volatile("s_nop 9"); } // 40 clocks
};

// Neighbours in time have different operands and results.
struct ValuOperands {
  static constexpr int count = 8;
  Float2 a[count], results[count] = {};
  explicit FMHA950_INLINE ValuOperands(const EnergyArguments& arguments) {
    for (int i = 0; i < count; ++i) {
      const Word4 words = operand(arguments, energy_matrix_operands + i);
      a[i] = {bits_as<float>(words[0]), bits_as<float>(words[1])};
    }
    pin(a);
  }
  FMHA950_INLINE void end() { keep(results); }
};
FMHA950_INLINE void fma(float& d, float a, float b, float c) {
  asm volatile("v_fma_f32 %0, %1, %2, %3" : "+v"(d) : "v"(a), "v"(b), "v"(c));
}
FMHA950_INLINE void pk_fma(Float2& d, Float2 a, Float2 b, Float2 c) {
  asm volatile("v_pk_fma_f32 %0, %1, %2, %3" : "+v"(d) : "v"(a), "v"(b), "v"(c));
}
FMHA950_INLINE void exp2_of(float& d, float a) { asm volatile("v_exp_f32 %0, %1" : "+v"(d) : "v"(a)); }
FMHA950_INLINE void to_fp8(float& d, float a, float b) {
  asm volatile("v_cvt_pk_fp8_f32 %0, %1, %2" : "+v"(d) : "v"(a), "v"(b));
}
template <EnergyBeside KIND> struct Valu : ValuOperands {
  using ValuOperands::ValuOperands;
  template <int N> FMHA950_INLINE void instruction() {
    constexpr int i = N % count, j = (N + 3) % count, k = (N + 5) % count;
    float result = results[i][0];
    if constexpr (KIND == EnergyBeside::fma) fma(result, a[i][0], a[j][1], a[k][0]);
    if constexpr (KIND == EnergyBeside::exp) exp2_of(result, a[i][0]);
    if constexpr (KIND == EnergyBeside::cvt) to_fp8(result, a[i][0], a[j][1]);
    results[i][0] = result;
    if constexpr (KIND == EnergyBeside::pk_fma) pk_fma(results[i], a[i], a[j], a[k]);
  }
};
template <> struct Beside<EnergyBeside::fma> : Valu<EnergyBeside::fma> {
  using Valu::Valu;
};
template <> struct Beside<EnergyBeside::pk_fma> : Valu<EnergyBeside::pk_fma> {
  using Valu::Valu;
};
template <> struct Beside<EnergyBeside::exp> : Valu<EnergyBeside::exp> {
  using Valu::Valu;
};
template <> struct Beside<EnergyBeside::cvt> : Valu<EnergyBeside::cvt> {
  using Valu::Valu;
};

template <> struct Beside<EnergyBeside::lds_read> {
  static constexpr int row_bytes = 16 * wave_lanes * energy_waves;
  uint32_t address = thread_id() * 16; // the kernel has one array, which begins at 0
  Word4 words[energy_lds_rows] = {};

  explicit FMHA950_INLINE Beside(const EnergyArguments& arguments) {
    pin(address);
    unrolled<energy_lds_rows>(
        [&](auto row) { write_lds<row * row_bytes>(address, operand(arguments, row)); });
    wait_lds<0>();
  }
  template <int N> FMHA950_INLINE void instruction() {
    constexpr int row = N % energy_lds_rows;
    asm volatile("ds_read_b128 %0, %1 offset:%2" : "+v"(words[row]) : "v"(address), "n"(row * row_bytes));
  }
  FMHA950_INLINE void end() {
    pin(words);
  } // until then, what is in flight goes to registers that nobody reads
};

// Four instructions read 4 KiB; waves come one after the other, and a workgroup begins anew behind its region.
template <> struct Beside<EnergyBeside::load> {
  static constexpr int at_once = 4;
  const char* region;
  uint32_t mask, place;
  uint32_t lane_offset = lane_id() * 16;
  Word4 words[at_once] = {};

  explicit FMHA950_INLINE Beside(const EnergyArguments& arguments)
      : region(arguments.memory + uint64_t{workgroup_id_x()} * arguments.region), mask(arguments.region - 1),
        place(wave_id() * at_once * energy_load_bytes) {
    pin(lane_offset);
  }
  template <int N> FMHA950_INLINE void instruction() {
    constexpr int piece = N % at_once;
    asm volatile("global_load_dwordx4 %0, %1, %2 offset:%3"
                 : "+v"(words[piece])
                 : "v"(lane_offset), "s"(region + place), "n"(piece * energy_load_bytes));
    if constexpr (piece == at_once - 1) place = (place + energy_waves * at_once * energy_load_bytes) & mask;
  }
  FMHA950_INLINE void end() { pin(words); }
};

template <EnergyMatrix MATRIX, EnergyBeside BESIDE, int COUNT, int EVERY>
FMHA950_INLINE void run(const EnergyArguments& arguments) {
  __shared__ char lds[energy_lds_bytes] __attribute__((aligned(16)));
  asm volatile("" ::"v"(lds_address((LdsBytes)lds))); // all of it, also where no instruction needs it
  MatrixUnit<MATRIX> matrix(arguments);
  Beside<BESIDE> beside(arguments);
  stamped<energy_waves>(arguments.stamps, [&] {
#pragma nounroll
    for (uint32_t n = 0; n < arguments.iterations; ++n) {
      unrolled<energy_steps>([&](auto step) {
        matrix.template step<step>();
        if constexpr (step % EVERY == 0)
          unrolled<COUNT>([&](auto i) { beside.template instruction<step / EVERY * COUNT + i>(); });
        schedule_fence();
      });
      matrix.end();
    }
    wait_vector_memory<0>();
    wait_lds<0>();
    beside.end();
  });
}

#define FMHA950_ENERGY_KERNEL(NAME, MATRIX, BESIDE, COUNT, EVERY)                                            \
  FMHA950_KERNEL(512, 2) void energy_##NAME(EnergyArguments arguments) {                                     \
    run<EnergyMatrix::MATRIX, EnergyBeside::BESIDE, COUNT, EVERY>(arguments);                                \
  }
FMHA950_ENERGY_KERNELS(FMHA950_ENERGY_KERNEL)

} // namespace fmha950::calibration
