// v_cmp_* and v_cmpx_*: family valu_compare.

#include "tests/emulator/semantics/float_math.hpp"

namespace fmha950::semantics {
namespace {

template <class T> bool unordered(T a, T b) { return a != a || b != b; }

// Bits of v_cmp_class's mask: signaling NaN, quiet NaN, -inf, -normal, -denormal, -0, +0, ... +inf.
template <class T> bool in_class(T x, u32 mask) {
  if (is_nan(x)) return mask >> (is_signaling(x) ? 0 : 1) & 1;
  constexpr f64 smallest_normal = is_half<T> ? 0x1p-14 : sizeof(T) == 4 ? 0x1p-126 : 0x1p-1022;
  const f64 magnitude = std::fabs(static_cast<f64>(x));
  const int kind = std::isinf(magnitude) ? 0 : magnitude >= smallest_normal ? 1 : magnitude > 0 ? 2 : 3;
  return mask >> (is_negative(x) ? 2 + kind : 9 - kind) & 1;
}

} // namespace

#define BOTH(type, name, ...)                                                                                \
  reference<bool(type, type)>(                                                                               \
      "v_cmp_" name "_" #type,                                                                               \
      []([[maybe_unused]] type a, [[maybe_unused]] type b) -> bool { return __VA_ARGS__; }),                 \
      reference<bool(type, type)>(                                                                           \
          "v_cmpx_" name "_" #type,                                                                          \
          []([[maybe_unused]] type a, [[maybe_unused]] type b) -> bool { return __VA_ARGS__; })
#define ORDERED(type)                                                                                        \
  BOTH(type, "f", false), BOTH(type, "lt", a < b), BOTH(type, "eq", a == b), BOTH(type, "le", a <= b),       \
      BOTH(type, "gt", a > b), BOTH(type, "ge", a >= b)
#define INTEGERS(type) ORDERED(type), BOTH(type, "ne", a != b), BOTH(type, "t", true)
#define FLOATS(type)                                                                                         \
  ORDERED(type), BOTH(type, "lg", a<b || a> b), BOTH(type, "o", !unordered(a, b)),                           \
      BOTH(type, "u", unordered(a, b)), BOTH(type, "nge", !(a >= b)), BOTH(type, "nlg", !(a < b || a > b)),  \
      BOTH(type, "ngt", !(a > b)), BOTH(type, "nle", !(a <= b)), BOTH(type, "neq", !(a == b)),               \
      BOTH(type, "nlt", !(a < b)), BOTH(type, "tru", true)
#define CLASS(type)                                                                                          \
  mode_free(reference<bool(type, u32)>("v_cmp_class_" #type, [](type a, u32 b) { return in_class(a, b); })), \
      mode_free(                                                                                             \
          reference<bool(type, u32)>("v_cmpx_class_" #type, [](type a, u32 b) { return in_class(a, b); }))

References compare_references() {
  return {
      FLOATS(f16),   FLOATS(f32),   FLOATS(f64),   INTEGERS(i16), INTEGERS(u16), INTEGERS(i32),
      INTEGERS(u32), INTEGERS(i64), INTEGERS(u64), CLASS(f16),    CLASS(f32),    CLASS(f64),
  };
}

} // namespace fmha950::semantics
