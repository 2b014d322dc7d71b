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

// Caches are not modelled: memory is coherent.
void cache_control(Wave&, const Instruction&) {}

constexpr Row table[] = {
    {"buffer_load_ubyte", load_or_dma<Part<uint8_t>>},
    {"buffer_load_sbyte", load_or_dma<Part<int8_t>>},
    {"buffer_load_ushort", load_or_dma<Part<uint16_t>>},
    {"buffer_load_sshort", load_or_dma<Part<int16_t>>},
    {"buffer_load_dword", load_or_dma<Dwords<1>>},
    {"buffer_load_dwordx2", load<Dwords<2>>},
    {"buffer_load_dwordx3", load_or_dma<Dwords<3>>},
    {"buffer_load_dwordx4", load_or_dma<Dwords<4>>},
    {"buffer_load_ubyte_d16", load<Part<uint8_t, 0, true>>},
    {"buffer_load_ubyte_d16_hi", load<Part<uint8_t, 16, true>>},
    {"buffer_load_sbyte_d16", load<Part<int8_t, 0, true>>},
    {"buffer_load_sbyte_d16_hi", load<Part<int8_t, 16, true>>},
    {"buffer_load_short_d16", load<Part<uint16_t, 0, true>>},
    {"buffer_load_short_d16_hi", load<Part<uint16_t, 16, true>>},
    {"buffer_store_byte", store<Part<uint8_t>>},
    {"buffer_store_byte_d16_hi", store<Part<uint8_t, 16>>},
    {"buffer_store_short", store<Part<uint16_t>>},
    {"buffer_store_short_d16_hi", store<Part<uint16_t, 16>>},
    {"buffer_store_dword", store<Dwords<1>>},
    {"buffer_store_dwordx2", store<Dwords<2>>},
    {"buffer_store_dwordx3", store<Dwords<3>>},
    {"buffer_store_dwordx4", store<Dwords<4>>},
    {"buffer_wbl2", cache_control},
    {"buffer_inv", cache_control},
};

} // namespace

const Rows rows_mubuf = rows_of(table);

} // namespace fmha950::isa::FMHA950_SIMD
