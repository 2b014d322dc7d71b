#pragma once
// What a memory instruction does, as its row says it (row.hpp): addresses, bytes, and what becomes of the data. Checks
// and rates read it.

#include <cstdint>

namespace fmha950::isa {

enum class MemoryKind : uint8_t {
  none, // no memory instruction
  load,
  store,
  atomic,
  lane_exchange, // through the LDS' crossbar, without its memory
  clock,         // s_memtime
  no_data        // caches, ds_nop
};

// What an address is made of.
enum class Segment : uint8_t {
  none,
  lds,
  lds_by_m0, // for the wave, not by a VGPR: ds_*_addtid, ds_append (machine_gfx950.md section 1.3, "M0 uses")
  buffer,    // a resource descriptor
  global,
  scratch,
  flat // LDS, scratch or global by the address, so that it owes both counters (machine_gfx950.md section 1.1)
};

// What an instruction does to caches (machine_gfx950.md section 4.2, "Cache bits"); those of vector memory only with sc1.
enum class CacheControl : uint8_t {
  none,
  write_back,       // the L2's modified lines, to memory
  invalidate,       // the vector L1's lines, and those of the L2 that are not kept alike
  invalidate_scalar // the scalar cache's
};

enum class LaneExchange : uint8_t { none, bpermute, permute, swizzle };

struct MemoryFacts {
  MemoryKind kind = MemoryKind::none;
  Segment segment = Segment::none;
  LaneExchange exchange = LaneExchange::none;
  CacheControl cache = CacheControl::none;
  uint8_t bytes = 0;           // per lane and element; SMEM: of the whole access
  uint8_t elements = 1;        // 2: ds_read2, ds_write2, ds_wrxchg2
  uint16_t element_stride = 0; // of the two: bytes per unit of the 8-bit offsets
  uint8_t transposed_bits = 0; // of an element that lanes trade among them: ds_read_*_tr_*
  bool to_lds = false;         // LDS DMA by its name; buffer loads are by their lds bit
  bool once = false;           // one access for the whole wave: ds_append, ds_consume
  bool sign_extended = false;
  // A load or store of less than 32 bits uses half of its register (d16), or its upper half (high_half).
  bool d16 = false, high_half = false;
  bool formatted = false;    // a buffer's format says how many (machine::Access); `bytes`: of its registers
  bool two_operands = false; // an atomic's: compare and swap
  bool swaps = false;        // an atomic whose new value is its operand

  constexpr bool has_data() const {
    return kind == MemoryKind::load || kind == MemoryKind::store || kind == MemoryKind::atomic;
  }
  constexpr bool is_complete() const {
    switch (kind) {
    case MemoryKind::none: return false;
    case MemoryKind::load:
    case MemoryKind::store:
    case MemoryKind::atomic: return bytes != 0 && segment != Segment::none;
    case MemoryKind::lane_exchange: return bytes != 0 && exchange != LaneExchange::none;
    case MemoryKind::clock: return bytes != 0;
    case MemoryKind::no_data: return true;
    }
    return false;
  }
  constexpr int bytes_of_lane() const { return once ? 0 : bytes * elements; }
};

// `Shape`: of the data (isa/access.hpp).
template <class Shape> constexpr MemoryFacts facts_of(MemoryKind kind, Segment segment) {
  return {.kind = kind,
          .segment = segment,
          .bytes = Shape::bytes,
          .sign_extended = kind == MemoryKind::load && Shape::is_signed,
          .d16 = Shape::half,
          .high_half = Shape::high_half};
}
template <class T> constexpr MemoryFacts facts_of_atomic(Segment segment, int operands, bool swaps) {
  return {.kind = MemoryKind::atomic,
          .segment = segment,
          .bytes = sizeof(T),
          .two_operands = operands == 2,
          .swaps = swaps};
}

} // namespace fmha950::isa
