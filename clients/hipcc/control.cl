// The constants that ocml.bc and ockl.bc leave open: what the compiler's options say of the program. One file serves all
// control libraries; each is compiled with -D of its own. Names and types are those that the libraries declare.
#define CONTROL(TYPE, NAME, VALUE) \
  __attribute__((visibility("hidden"))) __constant TYPE __oclc_##NAME = VALUE;

#ifdef ISA
CONTROL(int, ISA_version, ISA)
#endif
#ifdef ABI
CONTROL(int, ABI_version, ABI)
#endif
#ifdef WAVE64
CONTROL(char, wavefrontsize64, WAVE64)
CONTROL(int, wavefrontsize_log2, WAVE64 ? 6 : 5)
#endif
#ifdef FINITE_ONLY
CONTROL(char, finite_only_opt, FINITE_ONLY)
#endif
#ifdef UNSAFE_MATH
CONTROL(char, unsafe_math_opt, UNSAFE_MATH)
#endif
#ifdef DAZ
CONTROL(char, daz_opt, DAZ)
#endif
#ifdef ROUNDED_SQRT
CONTROL(char, correctly_rounded_sqrt32, ROUNDED_SQRT)
#endif
