// Scalar ALU with one source: SOP1 (ISA guide 12.2).
#include "emulator/isa/families.hpp"
#include "emulator/isa/salu.hpp"

#include <bit>

namespace fmha950::isa::FMHA950_SIMD {
namespace {

// Position of the first set bit from the bottom or top, -1 when there is none.
template <class T> u32 lowest_set(T value) { return value ? __builtin_ctzll(value) : ~0u; }
template <class T> u32 highest_set(T value) {
  return value ? static_cast<u32>(__builtin_clzll(value)) - (64 - static_cast<int>(sizeof(T)) * 8) : ~0u;
}
// Leading bits equal to the sign bit; -1 for 0 and -1.
template <class T> u32 sign_run(T value) {
  const T flipped = value ^ (static_cast<std::make_signed_t<T>>(value) < 0 ? ~T{0} : T{0});
  return highest_set(flipped);
}
template <class T> T whole_quads(T value) {
  T any = value | value >> 1;
  any = (any | any >> 2) & static_cast<T>(0x1111111111111111ull);
  return any * 15;
}
template <class T> T quad_mask(T value) {
  T mask = 0;
  for (unsigned quad = 0; quad < sizeof(T) * 2; ++quad)
    mask |= static_cast<T>((value >> quad * 4 & 15) != 0) << quad;
  return mask;
}
template <class T> T reversed(T value) {
  T result = 0;
  for (unsigned i = 0; i < sizeof(T) * 8; ++i) result |= (value >> i & 1) << (sizeof(T) * 8 - 1 - i);
  return result;
}
u64 replicate_bits(u32 value) {
  u64 result = 0;
  for (int i = 0; i < 32; ++i) result |= static_cast<u64>(value >> i & 1) * 3 << (2 * i);
  return result;
}

// D = EXEC; EXEC = f(S0, EXEC); SCC = EXEC != 0.
template <class Body> constexpr Row save_exec(const char* mnemonic, Body) {
  const Execute execute = [](Wave& w, const Instruction& in) {
    const u64 source = scalar<u64>(w, in.src[0]), exec = w.exec();
    w.set_sgpr64(in.dst, exec);
    w.set_exec(Body{}(source, exec));
    w.scc = w.exec() != 0;
  };
  return in_role(ScalarRole::saves_exec, {mnemonic, execute, {ConstantType::i64}});
}
// EXEC = f(S0, EXEC), written to D too.
template <class Body> constexpr Row write_exec(const char* mnemonic, Body) {
  const Execute execute = [](Wave& w, const Instruction& in) {
    const u64 exec = Body{}(scalar<u64>(w, in.src[0]), w.exec());
    w.set_exec(exec);
    w.set_sgpr64(in.dst, exec);
    w.scc = exec != 0;
  };
  return in_role(ScalarRole::writes_exec, {mnemonic, execute, {ConstantType::i64}});
}
template <class T, class A, class Body> constexpr Row update(const char* mnemonic, Body) {
  return in_role(ScalarRole::updates, {mnemonic,
                                       [](Wave& w, const Instruction& in) {
                                         T old;
                                         if constexpr (sizeof(T) == 8)
                                           old = w.sgpr64(in.dst);
                                         else
                                           old = w.sgpr[in.dst];
                                         write_scalar<T>(w, in.dst, Body{}(w, old, scalar<A>(w, in.src[0])));
                                       },
                                       {constant_of<A>}});
}
// SGPR indexed by M0.
template <class T> void move_relative_source(Wave& w, const Instruction& in) {
  const u32 index = in.src[0].index + w.sgpr[machine::code::m0];
  if (index + sizeof(T) / 4 > machine::code::vcc)
    machine::raise_fault("s_movrels reads an SGPR past the allocation");
  if constexpr (sizeof(T) == 8)
    w.set_sgpr64(in.dst, w.sgpr64(static_cast<int>(index)));
  else
    w.sgpr[in.dst] = w.sgpr[index];
}
template <class T> void move_relative_destination(Wave& w, const Instruction& in) {
  const u32 index = in.dst + w.sgpr[machine::code::m0];
  if (index + sizeof(T) / 4 > machine::code::vcc)
    machine::raise_fault("s_movreld writes an SGPR past the allocation");
  write_scalar<T>(w, static_cast<int>(index), scalar<T>(w, in.src[0]));
}
template <class T> constexpr Row move_by_m0(const char* mnemonic, ScalarRole role, Execute execute) {
  return computes(Arithmetic::other, in_role(role, {mnemonic, execute, {constant_of<T>}}));
}

constexpr Row rows[] = {
    by_bits(BitFunction::copy, unary<u32, u32>("s_mov_b32", [](Wave&, u32 a) { return a; })),
    by_bits(BitFunction::copy, unary<u64, u64>("s_mov_b64", [](Wave&, u64 a) { return a; })),
    by_bits(BitFunction::copy_if,
            update<u32, u32>("s_cmov_b32", [](Wave& w, u32 old, u32 a) { return w.scc ? a : old; })),
    by_bits(BitFunction::copy_if,
            update<u64, u64>("s_cmov_b64", [](Wave& w, u64 old, u64 a) { return w.scc ? a : old; })),
    by_bits(BitFunction::bit_not, unary<u32, u32, nonzero>("s_not_b32", [](Wave&, u32 a) { return ~a; })),
    by_bits(BitFunction::bit_not, unary<u64, u64, nonzero>("s_not_b64", [](Wave&, u64 a) { return ~a; })),
    unary<u32, u32, nonzero>("s_wqm_b32", [](Wave&, u32 a) { return whole_quads(a); }),
    unary<u64, u64, nonzero>("s_wqm_b64", [](Wave&, u64 a) { return whole_quads(a); }),
    unary<u32, u32, nonzero>("s_quadmask_b32", [](Wave&, u32 a) { return quad_mask(a); }),
    unary<u64, u64, nonzero>("s_quadmask_b64", [](Wave&, u64 a) { return quad_mask(a); }),
    by_bits(BitFunction::reverse, unary<u32, u32>("s_brev_b32", [](Wave&, u32 a) { return reversed(a); })),
    unary<u64, u64>("s_brev_b64", [](Wave&, u64 a) { return reversed(a); }),
    unary<u32, u32, nonzero>("s_bcnt0_i32_b32", [](Wave&, u32 a) { return std::popcount(~a); }),
    unary<u32, u64, nonzero>("s_bcnt0_i32_b64", [](Wave&, u64 a) { return std::popcount(~a); }),
    unary<u32, u32, nonzero>("s_bcnt1_i32_b32", [](Wave&, u32 a) { return std::popcount(a); }),
    unary<u32, u64, nonzero>("s_bcnt1_i32_b64", [](Wave&, u64 a) { return std::popcount(a); }),
    unary<u32, u32>("s_ff0_i32_b32", [](Wave&, u32 a) { return lowest_set(~a); }),
    unary<u32, u64>("s_ff0_i32_b64", [](Wave&, u64 a) { return lowest_set(~a); }),
    unary<u32, u32>("s_ff1_i32_b32", [](Wave&, u32 a) { return lowest_set(a); }),
    unary<u32, u64>("s_ff1_i32_b64", [](Wave&, u64 a) { return lowest_set(a); }),
    unary<u32, u32>("s_flbit_i32_b32", [](Wave&, u32 a) { return highest_set(a); }),
    unary<u32, u64>("s_flbit_i32_b64", [](Wave&, u64 a) { return highest_set(a); }),
    unary<u32, u32>("s_flbit_i32", [](Wave&, u32 a) { return sign_run(a); }),
    unary<u32, u64>("s_flbit_i32_i64", [](Wave&, u64 a) { return sign_run(a); }),
    by_bits(BitFunction::extend_8,
            unary<u32, u32>("s_sext_i32_i8",
                            [](Wave&, u32 a) { return static_cast<i32>(static_cast<int8_t>(a)); })),
    by_bits(BitFunction::extend_16,
            unary<u32, u32>("s_sext_i32_i16",
                            [](Wave&, u32 a) { return static_cast<i32>(static_cast<int16_t>(a)); })),
    unary<u32, u32, nonzero>("s_abs_i32", [](Wave&, u32 a) { return static_cast<i32>(a) < 0 ? 0 - a : a; }),
    by_bits(BitFunction::clear_bit_32,
            update<u32, u32>("s_bitset0_b32", [](Wave&, u32 old, u32 a) { return old & ~(1u << (a & 31)); })),
    by_bits(
        BitFunction::clear_bit_64,
        update<u64, u32>("s_bitset0_b64", [](Wave&, u64 old, u32 a) { return old & ~(u64{1} << (a & 63)); })),
    by_bits(BitFunction::set_bit_32,
            update<u32, u32>("s_bitset1_b32", [](Wave&, u32 old, u32 a) { return old | 1u << (a & 31); })),
    by_bits(
        BitFunction::set_bit_64,
        update<u64, u32>("s_bitset1_b64", [](Wave&, u64 old, u32 a) { return old | u64{1} << (a & 63); })),
    unary<u64, u32>("s_bitreplicate_b64_b32", [](Wave&, u32 a) { return replicate_bits(a); }),
    by_bits(BitFunction::bit_and, save_exec("s_and_saveexec_b64", [](u64 a, u64 exec) { return a & exec; })),
    by_bits(BitFunction::bit_or, save_exec("s_or_saveexec_b64", [](u64 a, u64 exec) { return a | exec; })),
    by_bits(BitFunction::bit_xor, save_exec("s_xor_saveexec_b64", [](u64 a, u64 exec) { return a ^ exec; })),
    by_bits(BitFunction::not_and,
            save_exec("s_andn1_saveexec_b64", [](u64 a, u64 exec) { return ~a & exec; })),
    by_bits(BitFunction::and_not,
            save_exec("s_andn2_saveexec_b64", [](u64 a, u64 exec) { return a & ~exec; })),
    by_bits(BitFunction::not_or, save_exec("s_orn1_saveexec_b64", [](u64 a, u64 exec) { return ~a | exec; })),
    by_bits(BitFunction::or_not, save_exec("s_orn2_saveexec_b64", [](u64 a, u64 exec) { return a | ~exec; })),
    by_bits(BitFunction::bit_nand,
            save_exec("s_nand_saveexec_b64", [](u64 a, u64 exec) { return ~(a & exec); })),
    by_bits(BitFunction::bit_nor,
            save_exec("s_nor_saveexec_b64", [](u64 a, u64 exec) { return ~(a | exec); })),
    by_bits(BitFunction::bit_xnor,
            save_exec("s_xnor_saveexec_b64", [](u64 a, u64 exec) { return ~(a ^ exec); })),
    by_bits(BitFunction::not_and,
            write_exec("s_andn1_wrexec_b64", [](u64 a, u64 exec) { return ~a & exec; })),
    by_bits(BitFunction::and_not,
            write_exec("s_andn2_wrexec_b64", [](u64 a, u64 exec) { return a & ~exec; })),
    move_by_m0<u32>("s_movrels_b32", ScalarRole::moves_from, move_relative_source<u32>),
    move_by_m0<u64>("s_movrels_b64", ScalarRole::moves_from, move_relative_source<u64>),
    move_by_m0<u32>("s_movreld_b32", ScalarRole::moves_to, move_relative_destination<u32>),
    move_by_m0<u64>("s_movreld_b64", ScalarRole::moves_to, move_relative_destination<u64>),
};

} // namespace
const Rows rows_sop1 = rows_of<rows, all_scalar>();
} // namespace fmha950::isa::FMHA950_SIMD
