// The compute units' clock and a clock of constant rate at one moment, read by one wave.
#define global __attribute__((global))

struct Arguments {
  unsigned long long* stamp; // clocks of the compute unit, of the constant clock, and the chiplet's number
};

constexpr int xcc_id = 20 | 3 << 11; // hwreg(HW_REG_XCC_ID, 0, 4): machine_gfx950.md section 1.3

extern "C" global void perf_clock_stamp(Arguments arguments) {
  if (__builtin_amdgcn_workitem_id_x() != 0) return;
  unsigned long long clocks, ticks;
  // Together: between two builtins the compiler waits for the argument, which may take a microsecond.
  asm volatile("s_memtime %0\n\ts_memrealtime %1\n\ts_waitcnt lgkmcnt(0)" : "=&s"(clocks), "=&s"(ticks));
  arguments.stamp[0] = clocks;
  arguments.stamp[1] = ticks;
  arguments.stamp[2] = __builtin_amdgcn_s_getreg(xcc_id);
}
