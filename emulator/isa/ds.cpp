// LDS reads and writes. One row per instruction.

#include "emulator/isa/families.hpp"
#include "emulator/isa/lds.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

uint32_t offset_of(const Instruction& in) { return static_cast<uint32_t>(in.offset); }

// The two 8-bit offsets of read2 and write2 count elements, 64 elements in the st64 forms
// (machine_gfx950.md section 3).
template <int Bytes, int Stride> uint32_t offset2(const Access& access, int which) {
  return (access.instruction->offset >> (8 * which) & 0xFF) * Bytes * Stride;
}

template <class Shape> FMHA950_INLINE void read_effect(Wave& wave, Access& access) {
  lds_load<Shape>(wave, access, offset_of(*access.instruction), access.data);
}
template <class Shape> void read(Wave& wave, const Instruction& in) {
  start<Queue::ds, read_effect<Shape>, deliver_registers<Shape::registers>>(
      wave, in, [&](Access& access) __attribute__((always_inline)) { lds_addresses(wave, access, in); });
}

template <int N, int Stride> FMHA950_INLINE void read2_effect(Wave& wave, Access& access) {
  for (int which = 0; which < 2; ++which)
    lds_load<Dwords<N>>(wave, access, offset2<4 * N, Stride>(access, which), access.data + N * which);
}
template <int N, int Stride> void read2(Wave& wave, const Instruction& in) {
  start<Queue::ds, read2_effect<N, Stride>, deliver_registers<2 * N>>(
      wave, in, [&](Access& access) __attribute__((always_inline)) { lds_addresses(wave, access, in); });
}

template <class Shape> FMHA950_INLINE void write_effect(Wave& wave, Access& access) {
  lds_store<Shape>(wave, access, offset_of(*access.instruction), access.data);
}
template <class Shape> void write(Wave& wave, const Instruction& in) {
  start<Queue::ds, write_effect<Shape>, deliver_nothing>(wave, in,
                                                         [&](Access& access) __attribute__((always_inline)) {
                                                           lds_addresses(wave, access, in);
                                                           capture<Shape::registers>(wave, access, in.vdata);
                                                         });
}

template <int N, int Stride> FMHA950_INLINE void write2_effect(Wave& wave, Access& access) {
  for (int which = 0; which < 2; ++which)
    lds_store<Dwords<N>>(wave, access, offset2<4 * N, Stride>(access, which), access.data + N * which);
}
template <int N, int Stride> void write2(Wave& wave, const Instruction& in) {
  start<Queue::ds, write2_effect<N, Stride>, deliver_nothing>(
      wave, in, [&](Access& access) __attribute__((always_inline)) {
        lds_addresses(wave, access, in);
        capture<N>(wave, access, in.vdata);
        capture<N>(wave, access, in.vdata1, N);
      });
}

// ds_*_addtid_b32: M0[15:0] + offset + lane * 4 (machine_gfx950.md section 1.3, "M0 uses").
FMHA950_INLINE void addtid_addresses(Wave& wave, Access& access) {
  access.lanes = wave.exec();
  store_lanes(access.lds_address, lane_ids() * 4 + (wave.sgpr[machine::code::m0] & 0xFFFF));
}
void read_addtid(Wave& wave, const Instruction& in) {
  start<Queue::ds, read_effect<Dwords<1>>, deliver_registers<1>>(
      wave, in, [&](Access& access) { addtid_addresses(wave, access); });
}
void write_addtid(Wave& wave, const Instruction& in) {
  start<Queue::ds, write_effect<Dwords<1>>, deliver_nothing>(wave, in, [&](Access& access) {
    addtid_addresses(wave, access);
    capture<1>(wave, access, in.vdata);
  });
}

void nop(Wave&, const Instruction&) {}

template <class Shape> constexpr Row reads(const char* mnemonic) {
  return memory_row(mnemonic, read<Shape>, facts_of<Shape>(MemoryKind::load, Segment::lds));
}
template <class Shape> constexpr Row writes(const char* mnemonic) {
  return memory_row(mnemonic, write<Shape>, facts_of<Shape>(MemoryKind::store, Segment::lds));
}
template <int N, int Stride> constexpr MemoryFacts facts2(MemoryKind kind) {
  MemoryFacts facts = facts_of<Dwords<N>>(kind, Segment::lds);
  facts.elements = 2;
  facts.element_stride = 4 * N * Stride;
  return facts;
}
template <int N, int Stride> constexpr Row reads2(const char* mnemonic) {
  return memory_row(mnemonic, read2<N, Stride>, facts2<N, Stride>(MemoryKind::load));
}
template <int N, int Stride> constexpr Row writes2(const char* mnemonic) {
  return memory_row(mnemonic, write2<N, Stride>, facts2<N, Stride>(MemoryKind::store));
}

constexpr Row table[] = {
    memory_row("ds_nop", nop, {.kind = MemoryKind::no_data}),
    reads<Part<uint8_t>>("ds_read_u8"),
    reads<Part<int8_t>>("ds_read_i8"),
    reads<Part<uint16_t>>("ds_read_u16"),
    reads<Part<int16_t>>("ds_read_i16"),
    reads<Part<uint8_t, 0, true>>("ds_read_u8_d16"),
    reads<Part<uint8_t, 16, true>>("ds_read_u8_d16_hi"),
    reads<Part<int8_t, 0, true>>("ds_read_i8_d16"),
    reads<Part<int8_t, 16, true>>("ds_read_i8_d16_hi"),
    reads<Part<uint16_t, 0, true>>("ds_read_u16_d16"),
    reads<Part<uint16_t, 16, true>>("ds_read_u16_d16_hi"),
    reads<Dwords<1>>("ds_read_b32"),
    reads<Dwords<2>>("ds_read_b64"),
    reads<Dwords<3>>("ds_read_b96"),
    reads<Dwords<4>>("ds_read_b128"),
    reads2<1, 1>("ds_read2_b32"),
    reads2<1, 64>("ds_read2st64_b32"),
    reads2<2, 1>("ds_read2_b64"),
    reads2<2, 64>("ds_read2st64_b64"),
    memory_row("ds_read_addtid_b32", read_addtid, facts_of<Dwords<1>>(MemoryKind::load, Segment::lds_by_m0)),
    writes<Part<uint8_t>>("ds_write_b8"),
    writes<Part<uint8_t, 16>>("ds_write_b8_d16_hi"),
    writes<Part<uint16_t>>("ds_write_b16"),
    writes<Part<uint16_t, 16>>("ds_write_b16_d16_hi"),
    writes<Dwords<1>>("ds_write_b32"),
    writes<Dwords<2>>("ds_write_b64"),
    writes<Dwords<3>>("ds_write_b96"),
    writes<Dwords<4>>("ds_write_b128"),
    writes2<1, 1>("ds_write2_b32"),
    writes2<1, 64>("ds_write2st64_b32"),
    writes2<2, 1>("ds_write2_b64"),
    writes2<2, 64>("ds_write2st64_b64"),
    memory_row("ds_write_addtid_b32", write_addtid,
               facts_of<Dwords<1>>(MemoryKind::store, Segment::lds_by_m0)),
};

} // namespace

const Rows rows_ds = rows_of<table, all_memory>();

} // namespace fmha950::isa::FMHA950_SIMD
