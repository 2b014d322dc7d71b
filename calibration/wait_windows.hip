// Pairs of instructions of which the second depends on the first, with 0 to 24 wait states between them, where software has to
// keep some (machine_gfx950.md section 2). What the second finds with too few is not public: a result that is wrong, or
// right because the hardware waits after all. A pair is one statement of assembly, as the compiler would put s_nop into
// it. One with a wrong address would fault and is not here (H1).

#include "calibration/wait_window_arguments.hpp"
#include "gfx950/kernel.hpp"
#include "gfx950/unroll.hpp"

namespace fmha950::calibration {

using namespace gfx950;

// %1 and %2 are values of the lane. Registers hold something else than the first instruction will put there.
#define FMHA950_SETTLE "\n\ts_nop 15\n\ts_nop 15\n\t"
#define FMHA950_BEFORE                                                                                       \
  "v_mov_b32 v16, %1\n\tv_mov_b32 v17, %1\n\tv_mov_b32 v18, %2\n\tv_mov_b32 v19, %2\n\t"                     \
  "v_mov_b32 v20, %2\n\tv_mov_b32 v21, %1\n\tv_mov_b32 v22, %1\n\tv_mov_b32 v23, %2\n\t"                     \
  "v_mov_b32 v32, 1.0\n\tv_mov_b32 v33, 1.0\n\tv_mov_b32 v34, 1.0\n\tv_mov_b32 v35, 1.0\n\t"                 \
  "v_mov_b32 v36, 0\n\tv_mov_b32 v37, 0\n\tv_mov_b32 v38, 0\n\tv_mov_b32 v39, 0\n\t"                         \
  "v_mov_b32 v60, 0\n\ts_mov_b32 s20, 0\n\ts_mov_b32 s21, 0\n\ts_mov_b64 vcc, 0"

// `first` and `second` as assembly, and the register that then holds the result.
#define FMHA950_WINDOW(NAME, FIRST, SECOND, RESULT)                                                          \
  struct Window_##NAME {                                                                                     \
    template <int STATES> static FMHA950_INLINE uint32_t run(uint32_t a, uint32_t b) {                       \
      uint32_t result;                                                                                       \
      asm volatile(FMHA950_BEFORE FMHA950_SETTLE FIRST                                                       \
                   "\n\t.rept %3\n\ts_nop 0\n\t.endr\n\t" SECOND FMHA950_SETTLE "v_mov_b32 %0, " RESULT      \
                   : "=&v"(result)                                                                           \
                   : "v"(a), "v"(b), "n"(STATES)                                                             \
                   : "vcc", "s20", "s21", "v16", "v17", "v18", "v19", "v20", "v21", "v22", "v23", "v32",     \
                     "v33", "v34", "v35", "v36", "v37", "v38", "v39", "v40", "v41", "v42", "v43", "v44",     \
                     "v45", "v46", "v47", "v60");                                                            \
      return result;                                                                                         \
    }                                                                                                        \
  };                                                                                                         \
  FMHA950_KERNEL(64, 1) void window_##NAME(WindowArguments arguments) { run<Window_##NAME>(arguments); }

template <class Window> FMHA950_INLINE void run(const WindowArguments& arguments) {
  // bf16, fp8 and fp32 values near 1, each lane's its own.
  const uint32_t a = 0x3f803f80 + lane_id() * 0x00010001, b = 0x3f403f40 + lane_id() * 0x00010001;
  uint32_t result = 0;
  unrolled<window_states + 1>([&](auto states) {
    if (arguments.states == states) result = Window::template run<states>(a, b);
  });
  arguments.output[lane_id()] = result;
}

#define FMHA950_MFMA_16 "v_mfma_f32_16x16x32_bf16 v[32:35], v[16:19], v[20:23], 0"
#define FMHA950_MFMA_32 "v_mfma_f32_32x32x16_bf16 v[32:47], v[16:19], v[20:23], 0"

FMHA950_WINDOW(mfma16_valu, FMHA950_MFMA_16, "v_mov_b32 v60, v32", "v60")
FMHA950_WINDOW(mfma32_valu, FMHA950_MFMA_32, "v_mov_b32 v60, v32", "v60")
FMHA950_WINDOW(f8f6f4_valu, "v_mfma_f32_16x16x128_f8f6f4 v[32:35], v[16:23], v[16:23], 0",
               "v_mov_b32 v60, v32", "v60")
FMHA950_WINDOW(mfma16_a, FMHA950_MFMA_16, "v_mfma_f32_16x16x32_bf16 v[36:39], v[32:35], v[20:23], 0", "v36")
FMHA950_WINDOW(mfma16_c, FMHA950_MFMA_16, "v_mfma_f32_16x16x32_bf16 v[34:37], v[16:19], v[20:23], v[34:37]",
               "v34")
FMHA950_WINDOW(mfma32_overwritten, FMHA950_MFMA_32, "v_mov_b32 v47, 0", "v47")
FMHA950_WINDOW(valu_mfma, "v_mov_b32 v16, %2", FMHA950_MFMA_16, "v32")
FMHA950_WINDOW(exp_valu, "v_exp_f32 v32, %1", "v_mov_b32 v60, v32", "v60")
FMHA950_WINDOW(valu_readlane, "v_mov_b32 v32, %1", "v_readfirstlane_b32 s21, v32", "s21")
FMHA950_WINDOW(sgpr_constant, "v_readfirstlane_b32 s20, v16", "v_add_u32 v60, s20, v17", "v60")
FMHA950_WINDOW(lane_select, "v_readfirstlane_b32 s20, v16", "v_readlane_b32 s21, v17, s20", "s21")
FMHA950_WINDOW(vcc_div_fmas, "v_cmp_eq_u32 vcc, v16, v16", "v_div_fmas_f32 v60, v17, v18, v19", "v60")
FMHA950_WINDOW(dpp, "v_mov_b32 v32, %1",
               "v_mov_b32_dpp v60, v32 quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0xf", "v60")
FMHA950_WINDOW(permlane, "v_mov_b32 v32, %1", "v_permlane32_swap_b32 v32, v33", "v33")

} // namespace fmha950::calibration
