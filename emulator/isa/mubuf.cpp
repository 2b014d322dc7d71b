// Buffer loads and stores. One row per instruction; with the lds bit set a load becomes LDS DMA.

#include "emulator/isa/buffer_address.hpp"
#include "emulator/isa/families.hpp"
#include "emulator/isa/lds_dma.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

template <class Shape> void load(Wave& wave, const Instruction& in) {
  start<Queue::vm, memory_load<Shape>, deliver_registers<Shape::registers>>(
      wave, in, [&](Access& access) __attribute__((always_inline)) {
        buffer_addresses<Shape::bytes, Clamp::per_dword>(wave, access, in);
        check_addresses(wave, access, Shape::bytes, false);
      });
}
template <class Shape> void load_or_dma(Wave& wave, const Instruction& in) {
  if (!in.lds) return load<Shape>(wave, in);
  load_to_lds<Shape>(wave, in, [&](Access& access) __attribute__((always_inline)) {
    buffer_addresses<Shape::bytes, Clamp::per_dword>(wave, access, in);
  });
}
template <class Shape> void store(Wave& wave, const Instruction& in) {
  start<Queue::vm, memory_store<Shape>, deliver_nothing>(
      wave, in, [&](Access& access) __attribute__((always_inline)) {
        buffer_addresses<Shape::bytes, Clamp::per_dword>(wave, access, in);
        check_addresses(wave, access, Shape::bytes, true);
        capture<Shape::registers>(wave, access, in.vdata);
      });
}

// Memory is coherent under `eager`. Else loads may find what caches still hold (machine/old_values.hpp): a write-back comes
// behind the wave's stores and counts in vmcnt.
void write_back(Wave& wave, const Instruction& in) {
  if (wave.memory.eager() || !in.sc1) return;
  Access& access = wave.memory.allocate();
  access.instruction = &in;
  wave.memory.issue(wave, access, Queue::vm);
}
void invalidate(Wave& wave, const Instruction& in) {
  if (OldValues* const old_values = wave.workgroup->old_values; old_values && in.sc1)
    old_values->invalidate(*wave.workgroup);
}

template <void (*execute)(Wave&, const Instruction&)>
constexpr Row cache_row(const char* mnemonic, CacheControl cache) {
  return memory_row(mnemonic, execute,
                    {.kind = MemoryKind::no_data, .segment = Segment::buffer, .cache = cache});
}
template <class Shape> constexpr Row loads(const char* mnemonic) {
  return memory_row(mnemonic, load<Shape>, facts_of<Shape>(MemoryKind::load, Segment::buffer));
}
template <class Shape> constexpr Row loads_or_dma(const char* mnemonic) {
  return memory_row(mnemonic, load_or_dma<Shape>, facts_of<Shape>(MemoryKind::load, Segment::buffer));
}
template <class Shape> constexpr Row stores(const char* mnemonic) {
  return memory_row(mnemonic, store<Shape>, facts_of<Shape>(MemoryKind::store, Segment::buffer));
}

constexpr Row table[] = {
    loads_or_dma<Part<uint8_t>>("buffer_load_ubyte"),
    loads_or_dma<Part<int8_t>>("buffer_load_sbyte"),
    loads_or_dma<Part<uint16_t>>("buffer_load_ushort"),
    loads_or_dma<Part<int16_t>>("buffer_load_sshort"),
    loads_or_dma<Dwords<1>>("buffer_load_dword"),
    loads<Dwords<2>>("buffer_load_dwordx2"),
    loads_or_dma<Dwords<3>>("buffer_load_dwordx3"),
    loads_or_dma<Dwords<4>>("buffer_load_dwordx4"),
    loads<Part<uint8_t, 0, true>>("buffer_load_ubyte_d16"),
    loads<Part<uint8_t, 16, true>>("buffer_load_ubyte_d16_hi"),
    loads<Part<int8_t, 0, true>>("buffer_load_sbyte_d16"),
    loads<Part<int8_t, 16, true>>("buffer_load_sbyte_d16_hi"),
    loads<Part<uint16_t, 0, true>>("buffer_load_short_d16"),
    loads<Part<uint16_t, 16, true>>("buffer_load_short_d16_hi"),
    stores<Part<uint8_t>>("buffer_store_byte"),
    stores<Part<uint8_t, 16>>("buffer_store_byte_d16_hi"),
    stores<Part<uint16_t>>("buffer_store_short"),
    stores<Part<uint16_t, 16>>("buffer_store_short_d16_hi"),
    stores<Dwords<1>>("buffer_store_dword"),
    stores<Dwords<2>>("buffer_store_dwordx2"),
    stores<Dwords<3>>("buffer_store_dwordx3"),
    stores<Dwords<4>>("buffer_store_dwordx4"),
    cache_row<write_back>("buffer_wbl2", CacheControl::write_back),
    cache_row<invalidate>("buffer_inv", CacheControl::invalidate),
};

} // namespace

const Rows rows_mubuf = rows_of<table, all_memory>();

} // namespace fmha950::isa::FMHA950_SIMD
