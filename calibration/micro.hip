// Micro-kernels after published micro-benchmarks (machine_gfx950.md section 6.3 and 3.3,
// data/calibration/lds_conflict_counters.csv), to calibrate the cycle model. One wave, but for micro_code_*; output and
// table are words, lane l's of the n-th output at 64 n + l.

#include "calibration/micro_arguments.hpp"
#include "calibration/stamped.hpp"
#include "gfx950/lds_dma.hpp"
#include "gfx950/mfma.hpp"
#include "gfx950/unroll.hpp"
#include "gfx950/waits.hpp"

namespace fmha950::calibration {

using namespace gfx950;
using Word3 = Vector<uint32_t, 3>;

template <class Body> FMHA950_INLINE void repeat(const MicroArguments& arguments, Body body) {
  stamped<1>(arguments.stamps, [&] {
#pragma nounroll
    for (uint32_t n = 0; n < arguments.iterations; ++n) body();
  });
}
template <int STEPS, class Step> FMHA950_INLINE void repeat(const MicroArguments& arguments, Step step) {
  repeat(arguments, [&] { unrolled<STEPS>(step); });
}

// Dependent instructions are repeated by the assembler, because clang 22 puts an s_nop between two statements
// of inline assembly if one reads what the other writes.
FMHA950_INLINE void fma_chain(float& x) {
  asm volatile(".rept %1\n\tv_fma_f32 %0, %0, 0.5, 1.0\n\t.endr" : "+v"(x) : "n"(fma_steps));
}
FMHA950_INLINE void follow_in_memory(uint32_t& offset, const uint32_t* table) {
  asm volatile(".rept %2\n\tglobal_load_dword %0, %0, %1\n\ts_waitcnt vmcnt(0)\n\t.endr"
               : "+v"(offset)
               : "s"(table), "n"(global_chase_steps)
               : "memory");
}
FMHA950_INLINE void follow_in_lds(uint32_t& address) {
  asm volatile(".rept %1\n\tds_read_b32 %0, %0\n\ts_waitcnt lgkmcnt(0)\n\t.endr"
               : "+v"(address)
               : "n"(lds_gather_steps)
               : "memory");
}

FMHA950_INLINE void exp2_of(float& power, float exponent) {
  asm volatile("v_exp_f32 %0, %1" : "=v"(power) : "v"(exponent));
}
FMHA950_INLINE void read_words(Word2& words, uint32_t address) {
  asm volatile("ds_read_b64 %0, %1" : "=v"(words) : "v"(address) : "memory");
}
FMHA950_INLINE void read_words(Word3& words, uint32_t address) {
  asm volatile("ds_read_b96 %0, %1" : "=v"(words) : "v"(address) : "memory");
}
FMHA950_INLINE void read_words(Word4& words, uint32_t address) {
  asm volatile("ds_read_b128 %0, %1" : "=v"(words) : "v"(address) : "memory");
}

FMHA950_INLINE void output(const MicroArguments& arguments, uint32_t n, uint32_t word) {
  arguments.output[n * wave_lanes + lane_id()] = word;
}

// Every step adds (i + 1) (j + 1) to row i, column j of its stream's sums. Steps follow one another as
// written. Outputs 4 s to 4 s + 3 are stream s's sums in fp32.
template <int STREAMS> FMHA950_INLINE void mfma(const MicroArguments& arguments) {
  using Mfma = Mfma16x16x32<bf16>;
  Mfma::Operand a, b;
  for (int t = 0; t < 8; ++t) {
    a[t] = static_cast<bf16>(static_cast<float>(lane_id() % 16 + 1));
    b[t] = static_cast<bf16>(static_cast<float>(lane_id() % 16 + 1) / 32);
  }
  Float4 sums[STREAMS] = {};
  repeat<mfma_steps>(arguments, [&](auto step) {
    sums[step % STREAMS] = Mfma::multiply_add(a, b, sums[step % STREAMS]);
    schedule_fence();
  });
  for (int s = 0; s < STREAMS; ++s)
    for (int r = 0; r < 4; ++r) output(arguments, 4 * s + r, bits_as<uint32_t>(sums[s][r]));
}
FMHA950_KERNEL(64, 1) void micro_mfma_chain(MicroArguments arguments) { mfma<1>(arguments); }
FMHA950_KERNEL(64, 1) void micro_mfma_streams(MicroArguments arguments) { mfma<mfma_streams>(arguments); }

// x = x / 2 + 1 from the lane's number on.
FMHA950_KERNEL(64, 1) void micro_fma_chain(MicroArguments arguments) {
  float x = static_cast<float>(lane_id());
  repeat(arguments, [&] { fma_chain(x); });
  output(arguments, 0, bits_as<uint32_t>(x));
}

// Output n is 2^((lane - n) / 8).
FMHA950_KERNEL(64, 1) void micro_exp(MicroArguments arguments) {
  float exponents[exp_steps], powers[exp_steps] = {};
  for (int n = 0; n < exp_steps; ++n)
    exponents[n] = (static_cast<float>(lane_id()) - static_cast<float>(n)) / 8;
  pin(exponents);
  repeat<exp_steps>(arguments, [&](auto n) { exp2_of(powers[int(n)], exponents[int(n)]); });
  for (int n = 0; n < exp_steps; ++n) output(arguments, n, bits_as<uint32_t>(powers[n]));
}

// A step adds 16 code_lines to the sums of a wave and code_lines to each of its counts. Word 4 i of the wave's sums, then
// its counts, are outputs of the wave's own; code that is repeated by the assembler is as long as it says.
template <int STEPS> FMHA950_INLINE void code(const MicroArguments& arguments) {
  using Mfma = Mfma32x32x16<bf16>;
  Mfma::Operand ones;
  for (int t = 0; t < 8; ++t) ones[t] = static_cast<bf16>(1.f);
  pin(ones);
  Float16 sums = {};
  float counts[code_line_valus] = {};
  static_assert(code_line_valus == 7);
  repeat(arguments, [&] {
    asm volatile(".rept %9\n\t"
                 "v_mfma_f32_32x32x16_bf16 %0, %8, %8, %0\n\t"
                 "v_fma_f32 %1, %1, 1.0, 1.0\n\tv_fma_f32 %2, %2, 1.0, 1.0\n\t"
                 "v_fma_f32 %3, %3, 1.0, 1.0\n\tv_fma_f32 %4, %4, 1.0, 1.0\n\t"
                 "v_fma_f32 %5, %5, 1.0, 1.0\n\tv_fma_f32 %6, %6, 1.0, 1.0\n\t"
                 "v_fma_f32 %7, %7, 1.0, 1.0\n\t.endr"
                 : "+v"(sums), "+v"(counts[0]), "+v"(counts[1]), "+v"(counts[2]), "+v"(counts[3]),
                   "+v"(counts[4]), "+v"(counts[5]), "+v"(counts[6])
                 : "v"(ones), "n"(STEPS * code_lines));
  });
  asm volatile("s_nop 15\n\ts_nop 3" : "+v"(sums)); // the compiler does not see that an MFMA has written them
  const uint32_t wave = thread_id() / wave_lanes, first = wave * (1 + code_line_valus);
  output(arguments, first, bits_as<uint32_t>(sums[0]));
  for (int n = 0; n < code_line_valus; ++n) output(arguments, first + 1 + n, bits_as<uint32_t>(counts[n]));
}
FMHA950_KERNEL(64 * code_waves, 1) void micro_code_4(MicroArguments arguments) { code<4>(arguments); }
FMHA950_KERNEL(64 * code_waves, 1) void micro_code_59(MicroArguments arguments) { code<59>(arguments); }
FMHA950_KERNEL(64 * code_waves, 1) void micro_code_91(MicroArguments arguments) { code<91>(arguments); }

// From lane l's offset 4 l on, the table, in memory, names the next offset.
FMHA950_KERNEL(64, 1) void micro_global_chase(MicroArguments arguments) {
  uint32_t offset = lane_id() * 4;
  repeat(arguments, [&] { follow_in_memory(offset, arguments.table); });
  output(arguments, 0, offset);
}

// LDS filled from memory without a single LDS instruction, so that there are none
// but those that are measured.
FMHA950_INLINE void fill_lds(const uint32_t* content, LdsBytes lds) {
  const BufferResource source = raw_buffer(content, micro_lds_bytes);
  constexpr uint32_t piece = 16 * wave_lanes;
  for (uint32_t begin = 0; begin < micro_lds_bytes; begin += piece)
    load_to_lds<16>(source, lane_id() * 16, lds + begin, begin);
  wait_vector_memory<0>();
}

// The same in LDS, whose content the table is.
FMHA950_KERNEL(64, 1) void micro_lds_gather(MicroArguments arguments) {
  __shared__ char lds[micro_lds_bytes] __attribute__((aligned(16)));
  fill_lds(arguments.table, (LdsBytes)lds);
  uint32_t address = lds_address((LdsBytes)lds) + lane_id() * 4;
  repeat(arguments, [&] { follow_in_lds(address); });
  output(arguments, 0, address);
}

// The table is each lane's address in LDS, then LDS' content. Outputs 0, ... are the words read.
template <class Words> FMHA950_INLINE void lds_read(const MicroArguments& arguments) {
  __shared__ char lds[micro_lds_bytes] __attribute__((aligned(16)));
  fill_lds(arguments.table + wave_lanes, (LdsBytes)lds);
  uint32_t address = lds_address((LdsBytes)lds) + arguments.table[lane_id()];
  pin(address);
  Words words[lds_access_steps] = {};
  repeat<lds_access_steps>(arguments, [&](auto n) {
    read_words(words[int(n)], address);
    if constexpr (n == lds_access_steps - 1) {
      wait_lds<0>();
      pin(words);
    }
  });
  for (int w = 0; w < static_cast<int>(__builtin_vectorelements(Words)); ++w)
    output(arguments, w, words[lds_access_steps - 1][w]);
}
FMHA950_KERNEL(64, 1) void micro_lds_read_b64(MicroArguments arguments) { lds_read<Word2>(arguments); }
FMHA950_KERNEL(64, 1) void micro_lds_read_b96(MicroArguments arguments) { lds_read<Word3>(arguments); }
FMHA950_KERNEL(64, 1) void micro_lds_read_b128(MicroArguments arguments) { lds_read<Word4>(arguments); }

// The table as above. Every lane writes its number and that plus 64; the output is all of LDS, word by word.
FMHA950_KERNEL(64, 1) void micro_lds_write_b64(MicroArguments arguments) {
  __shared__ char lds[micro_lds_bytes] __attribute__((aligned(16)));
  fill_lds(arguments.table + wave_lanes, (LdsBytes)lds);
  const uint32_t begin = lds_address((LdsBytes)lds);
  uint32_t address = begin + arguments.table[lane_id()];
  pin(address);
  repeat<lds_access_steps>(arguments, [&](auto n) {
    write_lds<0>(address, Word2{lane_id(), lane_id() + wave_lanes});
    if constexpr (n == lds_access_steps - 1) wait_lds<0>();
  });
  for (uint32_t n = 0; n < micro_lds_bytes / 4 / wave_lanes; ++n) {
    uint32_t word;
    read_lds_word(word, begin + (n * wave_lanes + lane_id()) * 4);
    wait_lds<0>();
    pin(word);
    output(arguments, n, word);
  }
}

} // namespace fmha950::calibration
