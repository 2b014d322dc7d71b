// v_cmp_* and v_cmpx_* (ISA guide 12, VOPC).

#include "emulator/isa/families.hpp"
#include "emulator/isa/valu.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

// Bits of v_cmp_class's mask (ISA guide, V_CMP_CLASS_F32): 0 signaling NaN, 1 quiet NaN, 2 -infinity, 3
// -normal, 4 -denormal, 5 -0, 6 +0, 7 +denormal, 8 +normal, 9 +infinity.
template <class T> FMHA950_INLINE uint64_t in_class(Lanes<T> value, Lanes<u32> mask) {
  using Format = Ieee<T>;
  const auto bits = to_bits<T>(value), magnitude = bits & Format::magnitude;
  const uint64_t negative = lanes_true((bits & Format::sign) != 0),
                 nan = lanes_true(magnitude > Format::infinity);
  const uint64_t infinite = lanes_true(magnitude == Format::infinity), zero = lanes_true(magnitude == 0);
  const uint64_t denormal = lanes_true(magnitude <= Format::fraction) & ~zero;
  const uint64_t normal = ~(nan | infinite | zero | denormal),
                 quiet = lanes_true((bits & Format::quiet) != 0);
  const auto asked = [mask](int bit)
                         __attribute__((always_inline)) { return lanes_true((mask >> bit & 1u) != 0u); };
  const auto either_sign = [&](uint64_t kind, int minus, int plus) __attribute__((always_inline)) {
    return kind & ((negative & asked(minus)) | (~negative & asked(plus)));
  };
  return (nan & ((~quiet & asked(0)) | (quiet & asked(1)))) | either_sign(infinite, 2, 9) |
         either_sign(normal, 3, 8) | either_sign(denormal, 4, 7) | either_sign(zero, 5, 6);
}

// The result does not depend on the sources.
constexpr Row blind(Row row) {
  for (uint8_t& bytes : row.valu.reads) bytes = 0;
  return row;
}

#define BOTH(type, name, relation, ...)                                                                      \
  compare<type, type>("v_cmp_" name "_" #type, Relation::relation,                                           \
                      [](auto a, auto b) { return __VA_ARGS__; }),                                           \
      compare_exec<type, type>("v_cmpx_" name "_" #type, Relation::relation,                                 \
                               [](auto a, auto b) { return __VA_ARGS__; })
#define CONSTANT(type, name, value)                                                                          \
  blind(compare<type, type>("v_cmp_" name "_" #type, Relation::other, [](auto, auto) { return value; })),    \
      blind(compare_exec<type, type>("v_cmpx_" name "_" #type, Relation::other,                              \
                                     [](auto, auto) { return value; }))
#define NEVER(type, name) CONSTANT(type, name, uint64_t{0})
#define ALWAYS(type, name) CONSTANT(type, name, ~uint64_t{0})
#define INTEGERS(type)                                                                                       \
  NEVER(type, "f"), BOTH(type, "lt", less, lanes_true(a < b)), BOTH(type, "eq", equal, lanes_true(a == b)),  \
      BOTH(type, "le", at_most, lanes_true(a <= b)), BOTH(type, "gt", greater, lanes_true(a > b)),           \
      BOTH(type, "ne", different, lanes_true(a != b)), BOTH(type, "ge", at_least, lanes_true(a >= b)),       \
      ALWAYS(type, "t")
#define UNORDERED(a, b) lanes_true((a != a) | (b != b))
#define FLOATS(type)                                                                                         \
  NEVER(type, "f"), BOTH(type, "lt", less, lanes_true(a < b)), BOTH(type, "eq", equal, lanes_true(a == b)),  \
      BOTH(type, "le", at_most, lanes_true(a <= b)), BOTH(type, "gt", greater, lanes_true(a > b)),           \
      BOTH(type, "lg", other, lanes_true((a < b) | (a > b))),                                                \
      BOTH(type, "ge", at_least, lanes_true(a >= b)), BOTH(type, "o", other, ~UNORDERED(a, b)),              \
      BOTH(type, "u", other, UNORDERED(a, b)), BOTH(type, "nge", other, ~lanes_true(a >= b)),                \
      BOTH(type, "nlg", other, ~lanes_true((a < b) | (a > b))),                                              \
      BOTH(type, "ngt", other, ~lanes_true(a > b)), BOTH(type, "nle", other, ~lanes_true(a <= b)),           \
      BOTH(type, "neq", different, ~lanes_true(a == b)), BOTH(type, "nlt", other, ~lanes_true(a < b)),       \
      ALWAYS(type, "tru")
// A denormal is found to be one in every MODE (LLVM relies on it to lower llvm.is.fpclass).
#define CLASS(type)                                                                                          \
  mode_free(compare<type, u32>("v_cmp_class_" #type, Relation::other,                                        \
                               [](Lanes<type> a, Lanes<u32> b) { return in_class<type>(a, b); })),           \
      mode_free(compare_exec<type, u32>("v_cmpx_class_" #type, Relation::other,                              \
                                        [](Lanes<type> a, Lanes<u32> b) { return in_class<type>(a, b); }))

constexpr Row table[] = {
    FLOATS(f16),   FLOATS(f32),   FLOATS(f64),   INTEGERS(i16), INTEGERS(u16), INTEGERS(i32),
    INTEGERS(u32), INTEGERS(i64), INTEGERS(u64), CLASS(f16),    CLASS(f32),    CLASS(f64),
};

} // namespace

const Rows rows_valu_compare = rows_of<table, all_valu>();

} // namespace fmha950::isa::FMHA950_SIMD
