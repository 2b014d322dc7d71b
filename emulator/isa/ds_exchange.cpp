// DS instructions that exchange data between lanes: transpose reads (machine_gfx950.md section 3.1) and
// permutations, which touch no LDS at all (section 3, "DS lane exchange").

#include "emulator/isa/families.hpp"
#include "emulator/isa/lane_swizzle.hpp"
#include "emulator/isa/lds.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

// --- transpose reads: at(l) is where the fetch of lane l lies ---

struct TransposeB16 { // element n of lane l = 16-bit element 16n + l of the quarter's concatenated fetches
  static constexpr int bytes = 8;
  template <class At> FMHA950_INLINE static void run(Dword64* to, At at) {
    using U16x32 = uint16_t __attribute__((ext_vector_type(32)));
    for (int first = 0; first < 64; first += 16)
      for (int d = 0; d < 2; ++d) {
        const auto fetched = __builtin_bit_cast(U16x32, load_pairs(at, first + 8 * d));
        const U16x32 out =
            __builtin_shufflevector(fetched, fetched, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23,
                                    8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
        __builtin_memcpy(to[d] + first, &out, sizeof out);
      }
  }
};

struct TransposeB8 { // byte n of lane l = byte 16n + l of the quarter's concatenated fetches
  static constexpr int bytes = 8;
  template <class At> FMHA950_INLINE static void run(Dword64* to, At at) {
    using U8x64 = uint8_t __attribute__((ext_vector_type(64)));
    for (int first = 0; first < 64; first += 16)
      for (int d = 0; d < 2; ++d) {
        const auto rows = __builtin_bit_cast(U32x16, load_pairs(at, first + 8 * d)); // 4 rows of 16 bytes
        const U32x16 columns =
            __builtin_shufflevector(rows, rows, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15);
        const auto b = __builtin_bit_cast(U8x64, columns); // 4x4 bytes per 128 bits
        const U8x64 out = __builtin_shufflevector(
            b, b, 0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 16, 20, 24, 28, 17, 21, 25, 29, 18,
            22, 26, 30, 19, 23, 27, 31, 32, 36, 40, 44, 33, 37, 41, 45, 34, 38, 42, 46, 35, 39, 43, 47, 48,
            52, 56, 60, 49, 53, 57, 61, 50, 54, 58, 62, 51, 55, 59, 63);
        __builtin_memcpy(to[d] + first, &out, sizeof out);
      }
  }
};

// Element n of lane l = element l of the fetch of lane n, Bits wide. No source has checked this against
// hardware (section 3.1 marks it inferred).
template <int Bits> struct TransposeSmall {
  static constexpr int bytes = 16 * Bits / 8;
  using Row = unsigned __int128;
  template <class At> FMHA950_INLINE static void run(Dword64* to, At at) {
    constexpr uint32_t mask = (1u << Bits) - 1;
    for (int first = 0; first < 64; first += 16) {
      Row rows[16] = {};
      for (int n = 0; n < 16; ++n) __builtin_memcpy(&rows[n], at(first + n), bytes);
      for (int l = 0; l < 16; ++l) {
        Row column = 0;
        for (int n = 0; n < 16; ++n)
          column |= static_cast<Row>(static_cast<uint32_t>(rows[n] >> (Bits * l)) & mask) << (Bits * n);
        for (int d = 0; d < bytes / 4; ++d) to[d][first + l] = static_cast<uint32_t>(column >> (32 * d));
      }
    }
  }
};

// ISA guide 11.4: EXEC must be all ones and addresses aligned to the data; what happens otherwise is not
// documented. The 96-bit form is only held to dwords, sources disagree on more.
FMHA950_INLINE void check_transpose(const Wave& wave, const Access& access, const Instruction& in,
                                    int bytes) {
  if (wave.exec() != all_lanes)
    machine::raise_fault("a transposing LDS read needs EXEC = all ones: its result is undefined otherwise");
  const uint32_t low_bits = bytes == 8 ? 7 : 3;
  const auto address = load_lanes<uint32_t>(access.lds_address) + static_cast<uint32_t>(in.offset);
  if (lanes_true((address & low_bits) != 0))
    machine::raise_misaligned(
        "a transposing LDS read needs addresses aligned to its data (b64: 8 bytes, b96: 4)");
}

template <class Transpose> FMHA950_INLINE void transpose_effect(Wave& wave, Access& access) {
  const auto offset = static_cast<uint32_t>(access.instruction->offset);
  const uint8_t* lds = wave.workgroup->lds;
  alignas(64) Dword64 address;
  if (all_in_lds(wave, access, offset, Transpose::bytes, address)) [[likely]] {
    Transpose::run(access.data, [&](int l) __attribute__((always_inline)) { return lds + address[l]; });
    return;
  }
  constexpr int dwords = Transpose::bytes / 4;
  uint32_t fetched[64][dwords];
  lds_load<Dwords<dwords>>(wave, access, offset, access.data);
  for (int l = 0; l < 64; ++l)
    for (int d = 0; d < dwords; ++d) fetched[l][d] = access.data[d][l];
  Transpose::run(access.data, [&](int l) __attribute__((always_inline)) {
    return reinterpret_cast<const uint8_t*>(fetched[l]);
  });
}
template <class Transpose> void read_transposed(Wave& wave, const Instruction& in) {
  start<Queue::ds, transpose_effect<Transpose>, deliver_registers<Transpose::bytes / 4>>(
      wave, in, [&](Access& access) __attribute__((always_inline)) {
        lds_addresses(wave, access, in);
        check_transpose(wave, access, in, Transpose::bytes);
      });
}

// --- permutations ---

FMHA950_INLINE Lanes<uint32_t> selected_lanes(const Access& access) {
  return (load_lanes<uint32_t>(access.lds_address) + static_cast<uint32_t>(access.instruction->offset)) / 4 %
         64;
}
// Data of inactive lanes counts as zero.
FMHA950_INLINE void capture_exchange(Wave& wave, Access& access, const Instruction& in, int data_vgpr) {
  lds_addresses(wave, access, in);
  capture<1>(wave, access, data_vgpr);
  store_lanes(access.data[0], blend(Lanes<uint32_t>{}, load_lanes<uint32_t>(access.data[0]), access.lanes));
}

FMHA950_INLINE void bpermute_effect(Wave&, Access& access) {
  alignas(64) Dword64 from, in;
  store_lanes(from, selected_lanes(access));
  store_lanes(in, load_lanes<uint32_t>(access.data[0]));
  for (int l = 0; l < 64; ++l) access.data[0][l] = in[from[l]];
}
FMHA950_INLINE void permute_effect(Wave&, Access& access) {
  alignas(64) Dword64 to, out = {};
  store_lanes(to, selected_lanes(access));
  for_each_lane(access.lanes, [&](int l) { out[to[l]] = access.data[0][l]; }); // the highest sender wins
  store_lanes(access.data[0], load_lanes<uint32_t>(out));
}

FMHA950_INLINE void swizzle_effect(Wave&, Access& access) {
  alignas(64) Dword64 in;
  store_lanes(in, load_lanes<uint32_t>(access.data[0]));
  const auto offset = static_cast<uint32_t>(access.instruction->offset);
  for (int l = 0; l < 64; ++l) access.data[0][l] = in[swizzle_source(offset, l)];
}

template <auto Effect> void exchange(Wave& wave, const Instruction& in) {
  start<Queue::ds, Effect, deliver_registers<1>>(
      wave, in,
      [&](Access& access) __attribute__((always_inline)) { capture_exchange(wave, access, in, in.vdata); });
}
void swizzle(Wave& wave, const Instruction& in) { // its data is in the address register
  start<Queue::ds, swizzle_effect, deliver_registers<1>>(
      wave, in,
      [&](Access& access) __attribute__((always_inline)) { capture_exchange(wave, access, in, in.vaddr); });
}

template <class Transpose> constexpr Row transposes(const char* mnemonic, int bits) {
  return memory_row(mnemonic, read_transposed<Transpose>,
                    {.kind = MemoryKind::load,
                     .segment = Segment::lds,
                     .bytes = Transpose::bytes,
                     .transposed_bits = static_cast<uint8_t>(bits)});
}
constexpr Row exchanges(const char* mnemonic, Execute execute, LaneExchange which) {
  return memory_row(mnemonic, execute, {.kind = MemoryKind::lane_exchange, .exchange = which, .bytes = 4});
}

constexpr Row table[] = {
    transposes<TransposeB16>("ds_read_b64_tr_b16", 16),
    transposes<TransposeB8>("ds_read_b64_tr_b8", 8),
    transposes<TransposeSmall<4>>("ds_read_b64_tr_b4", 4),
    transposes<TransposeSmall<6>>("ds_read_b96_tr_b6", 6),
    exchanges("ds_bpermute_b32", exchange<bpermute_effect>, LaneExchange::bpermute),
    exchanges("ds_permute_b32", exchange<permute_effect>, LaneExchange::permute),
    exchanges("ds_swizzle_b32", swizzle, LaneExchange::swizzle),
};
} // namespace

const Rows rows_ds_exchange = rows_of<table, all_memory>();

} // namespace fmha950::isa::FMHA950_SIMD
