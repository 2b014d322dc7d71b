// Hardware registers that the device has (MODE, XCC_ID) and that it has not, for `device --coverage`.
extern "C" __attribute__((global)) void hardware_registers(unsigned* out) {
  unsigned mode, chiplet, pending;
  asm volatile("s_getreg_b32 %0, hwreg(HW_REG_MODE)\n s_getreg_b32 %1, hwreg(HW_REG_XCC_ID, 0, 4)\n"
               "s_getreg_b32 %2, hwreg(HW_REG_IB_STS, 0, 4)\n s_setreg_b32 hwreg(HW_REG_MODE), %0\n"
               "s_setreg_b32 hwreg(HW_REG_STATUS, 0, 1), %2"
               : "=s"(mode), "=s"(chiplet), "=s"(pending));
  *out = mode + chiplet + pending;
}
