// FLAT, GLOBAL and SCRATCH loads and stores, and their LDS DMA forms. One row per instruction of a segment.

#include "emulator/isa/flat.hpp"

#include "emulator/isa/families.hpp"
#include "emulator/isa/lds.hpp"
#include "emulator/isa/lds_dma.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

using Addresses = void (*)(Wave&, Access&, const Instruction&);

template <Addresses addresses, class Shape> void load(Wave& wave, const Instruction& in) {
  start<Queue::vm, memory_load<Shape>, deliver_registers<Shape::registers>>(
      wave, in, [&](Access& access) __attribute__((always_inline)) {
        addresses(wave, access, in);
        check_addresses(wave, access, Shape::bytes, false);
      });
}
template <Addresses addresses, class Shape> void store(Wave& wave, const Instruction& in) {
  start<Queue::vm, memory_store<Shape>, deliver_nothing>(wave, in,
                                                         [&](Access& access) __attribute__((always_inline)) {
                                                           addresses(wave, access, in);
                                                           check_addresses(wave, access, Shape::bytes, true);
                                                           capture<Shape::registers>(wave, access, in.vdata);
                                                         });
}
template <Addresses addresses, class Shape> void dma(Wave& wave, const Instruction& in) {
  load_to_lds<Shape>(wave, in,
                     [&](Access& access) __attribute__((always_inline)) { addresses(wave, access, in); });
}

template <class Shape> FMHA950_SHARED void shared_load(Wave& wave, Access& access) {
  lds_load<Shape>(wave, access, 0, access.data);
}
template <class Shape> FMHA950_SHARED void shared_store(Wave& wave, Access& access) {
  lds_store<Shape>(wave, access, 0, access.data);
}
template <class Shape> void flat_load(Wave& wave, const Instruction& in) {
  const uint64_t in_lds = lanes_in_lds(wave, in);
  if (in_lds || owes_both(wave))
    start<Queue::ds, shared_load<Shape>, deliver_registers<Shape::registers>>(
        wave, in,
        [&](Access& access) __attribute__((always_inline)) { flat_lds_addresses(wave, access, in, in_lds); });
  start<Queue::vm, memory_load<Shape>, deliver_registers<Shape::registers>>(
      wave, in, [&](Access& access) __attribute__((always_inline)) {
        flat_addresses(wave, access, in, in_lds);
        check_addresses(wave, access, Shape::bytes, false);
      });
}
template <class Shape> void flat_store(Wave& wave, const Instruction& in) {
  const uint64_t in_lds = lanes_in_lds(wave, in);
  if (in_lds || owes_both(wave))
    start<Queue::ds, shared_store<Shape>, deliver_nothing>(
        wave, in, [&](Access& access) __attribute__((always_inline)) {
          flat_lds_addresses(wave, access, in, in_lds);
          capture<Shape::registers>(wave, access, in.vdata);
        });
  start<Queue::vm, memory_store<Shape>, deliver_nothing>(wave, in,
                                                         [&](Access& access) __attribute__((always_inline)) {
                                                           flat_addresses(wave, access, in, in_lds);
                                                           check_addresses(wave, access, Shape::bytes, true);
                                                           capture<Shape::registers>(wave, access, in.vdata);
                                                         });
}

template <class Shape> constexpr Row loads(const char* mnemonic, Segment segment) {
  const Execute execute = segment == Segment::global    ? load<global_addresses, Shape>
                          : segment == Segment::scratch ? load<scratch_addresses, Shape>
                                                        : flat_load<Shape>;
  return memory_row(mnemonic, execute, facts_of<Shape>(MemoryKind::load, segment));
}
template <class Shape> constexpr Row stores(const char* mnemonic, Segment segment) {
  const Execute execute = segment == Segment::global    ? store<global_addresses, Shape>
                          : segment == Segment::scratch ? store<scratch_addresses, Shape>
                                                        : flat_store<Shape>;
  return memory_row(mnemonic, execute, facts_of<Shape>(MemoryKind::store, segment));
}
template <class Shape> constexpr Row dmas(const char* mnemonic, Segment segment) {
  MemoryFacts facts = facts_of<Shape>(MemoryKind::load, segment);
  facts.to_lds = true;
  return memory_row(mnemonic,
                    segment == Segment::global ? dma<global_addresses, Shape> : dma<scratch_addresses, Shape>,
                    facts);
}

// The three segments have the same loads and stores.
#define FMHA950_EVERY_SEGMENT(name, Shape, rows)                                                             \
  rows<Shape>("global_" name, Segment::global), rows<Shape>("scratch_" name, Segment::scratch),              \
      rows<Shape>("flat_" name, Segment::flat)
#define FMHA950_LOAD(name, ...) FMHA950_EVERY_SEGMENT("load_" name, __VA_ARGS__, loads)
#define FMHA950_STORE(name, ...) FMHA950_EVERY_SEGMENT("store_" name, __VA_ARGS__, stores)

using LowByte = Part<uint8_t, 0, true>;
using HighByte = Part<uint8_t, 16, true>;
using LowSignedByte = Part<int8_t, 0, true>;
using HighSignedByte = Part<int8_t, 16, true>;
using LowShort = Part<uint16_t, 0, true>;
using HighShort = Part<uint16_t, 16, true>;

constexpr Row table[] = {
    FMHA950_LOAD("ubyte", Part<uint8_t>),
    FMHA950_LOAD("sbyte", Part<int8_t>),
    FMHA950_LOAD("ushort", Part<uint16_t>),
    FMHA950_LOAD("sshort", Part<int16_t>),
    FMHA950_LOAD("dword", Dwords<1>),
    FMHA950_LOAD("dwordx2", Dwords<2>),
    FMHA950_LOAD("dwordx3", Dwords<3>),
    FMHA950_LOAD("dwordx4", Dwords<4>),
    FMHA950_LOAD("ubyte_d16", LowByte),
    FMHA950_LOAD("ubyte_d16_hi", HighByte),
    FMHA950_LOAD("sbyte_d16", LowSignedByte),
    FMHA950_LOAD("sbyte_d16_hi", HighSignedByte),
    FMHA950_LOAD("short_d16", LowShort),
    FMHA950_LOAD("short_d16_hi", HighShort),
    FMHA950_STORE("byte", Part<uint8_t>),
    FMHA950_STORE("byte_d16_hi", HighByte),
    FMHA950_STORE("short", Part<uint16_t>),
    FMHA950_STORE("short_d16_hi", HighShort),
    FMHA950_STORE("dword", Dwords<1>),
    FMHA950_STORE("dwordx2", Dwords<2>),
    FMHA950_STORE("dwordx3", Dwords<3>),
    FMHA950_STORE("dwordx4", Dwords<4>),
    dmas<Part<uint8_t>>("global_load_lds_ubyte", Segment::global),
    dmas<Part<int8_t>>("global_load_lds_sbyte", Segment::global),
    dmas<Part<uint16_t>>("global_load_lds_ushort", Segment::global),
    dmas<Part<int16_t>>("global_load_lds_sshort", Segment::global),
    dmas<Dwords<1>>("global_load_lds_dword", Segment::global),
    dmas<Dwords<3>>("global_load_lds_dwordx3", Segment::global),
    dmas<Dwords<4>>("global_load_lds_dwordx4", Segment::global),
    dmas<Part<uint8_t>>("scratch_load_lds_ubyte", Segment::scratch),
    dmas<Part<int8_t>>("scratch_load_lds_sbyte", Segment::scratch),
    dmas<Part<uint16_t>>("scratch_load_lds_ushort", Segment::scratch),
    dmas<Part<int16_t>>("scratch_load_lds_sshort", Segment::scratch),
    dmas<Dwords<1>>("scratch_load_lds_dword", Segment::scratch),
};
} // namespace

const Rows rows_flat = rows_of<table, all_memory>();

} // namespace fmha950::isa::FMHA950_SIMD
