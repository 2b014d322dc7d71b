// Buffer loads and stores with a data format: of the descriptor (MUBUF, buffer_*_format_*) or of the instruction (MTBUF).
// Their range check is all or nothing (machine_gfx950.md section 4.2).

#include "emulator/isa/buffer_address.hpp"
#include "emulator/isa/buffer_format.hpp"
#include "emulator/isa/families.hpp"

namespace fmha950::isa::FMHA950_SIMD {
namespace {

// How components lie in registers: one each, two in each, one in the upper half.
enum class Packing : uint8_t { words, halves, high_half };

template <int channels, Packing packing>
constexpr int registers_of = packing == Packing::halves ? (channels + 1) / 2 : channels;

uint32_t format_word(const Wave& wave, const Instruction& in) {
  const uint32_t descriptor = wave.sgpr[in.saddr + 3] & BufferFormat::fields;
  if (in.encoding == Encoding::mubuf) return descriptor;
  const bool bound = descriptor >> 15 != 0; // a format of the descriptor, too, or no buffer is bound (9.1.4)
  const uint32_t data = in.words[0] >> 19 & 15, number = in.words[0] >> 23 & 7;
  return bound ? BufferFormat::identity | number << 12 | data << 15 : 0;
}

// Calls `with` with the shape of so many bytes.
template <class With> FMHA950_INLINE void with_shape(uint32_t bytes, With with) {
  switch (bytes) {
  case 1: return with(Part<uint8_t>{});
  case 2: return with(Part<uint16_t>{});
  case 4: return with(Dwords<1>{});
  case 8: return with(Dwords<2>{});
  case 12: return with(Dwords<3>{});
  default: return with(Dwords<4>{});
  }
}

void find_elements(Wave& wave, Access& access, const Instruction& in, bool write) {
  access.format = format_word(wave, in);
  access.format_bytes = BufferFormat::of(access.format).bytes;
  if (access.format_bytes == 0) { // no buffer: every lane is out of its range
    access.format_bytes = 1;
    access.lanes = wave.exec();
    access.dropped[0] = all_lanes;
    store_lanes(access.address, Lanes<uint64_t>{});
  } else {
    with_shape(access.format_bytes, [&]<class Shape>(Shape) {
      buffer_addresses<Shape::bytes, Clamp::whole, true>(wave, access, in);
    });
  }
  check_addresses(wave, access, access.format_bytes, write);
}

template <int channels, Packing packing> void convert_loaded(Access& access) {
  const BufferFormat format = BufferFormat::of(access.format);
  const int dwords = (access.format_bytes + 3) / 4;
  for_each_lane(access.lanes, [&](int l) {
    uint32_t memory[4] = {}, registers[4] = {};
    for (int d = 0; d < dwords; ++d) memory[d] = access.data[d][l];
    for (int c = 0; c < channels; ++c) {
      const uint32_t value = loaded_channel(format, memory, c);
      if constexpr (packing == Packing::words)
        registers[c] = value;
      else
        registers[c / 2] |= to_half(format, value) << (packing == Packing::high_half || c % 2 ? 16 : 0);
    }
    for (int r = 0; r < registers_of<channels, packing>; ++r) access.data[r][l] = registers[r];
  });
}

template <int channels, Packing packing> void formatted_load(Wave& wave, Access& access) {
  with_shape(access.format_bytes, [&]<class Shape>(Shape) { memory_load<Shape>(wave, access); });
  convert_loaded<channels, packing>(access);
}
template <int channels, Packing packing> void load(Wave& wave, const Instruction& in) {
  start<Queue::vm, formatted_load<channels, packing>, deliver_registers<registers_of<channels, packing>>>(
      wave, in, [&](Access& access) { find_elements(wave, access, in, false); });
}

void formatted_store(Wave& wave, Access& access) {
  with_shape(access.format_bytes, [&]<class Shape>(Shape) { memory_store<Shape>(wave, access); });
}
// Converted at issue: what is in flight are the bytes that go to memory.
template <int channels, Packing packing> void store(Wave& wave, const Instruction& in) {
  start<Queue::vm, formatted_store, deliver_nothing>(wave, in, [&](Access& access) {
    find_elements(wave, access, in, true);
    const BufferFormat format = BufferFormat::of(access.format);
    for_each_lane(access.lanes, [&](int l) {
      uint32_t registers[4] = {}, memory[4];
      for (int c = 0; c < channels; ++c) {
        const int vgpr = in.vdata + (packing == Packing::halves ? c / 2 : c);
        const uint32_t value = wave.lanes(vgpr)[l];
        const bool high = packing == Packing::high_half || (packing == Packing::halves && c % 2);
        registers[c] =
            packing == Packing::words ? value : from_half(format, high ? value >> 16 : value & 0xFFFF);
      }
      store_element(format, registers, channels, memory);
      for (int d = 0; d < 4; ++d) access.data[d][l] = memory[d];
    });
  });
}

constexpr MemoryFacts facts(MemoryKind kind, int channels, Packing packing) {
  return {.kind = kind,
          .segment = Segment::buffer,
          .bytes = static_cast<uint8_t>(channels * (packing == Packing::words ? 4 : 2)),
          .formatted = true};
}
constexpr Row by_rules(Row row) {
  return approximately("formats are converted by Direct3D's rules, a guess", row);
}
template <int channels, Packing packing = Packing::words> constexpr Row loads(const char* mnemonic) {
  return by_rules(memory_row(mnemonic, load<channels, packing>, facts(MemoryKind::load, channels, packing)));
}
template <int channels, Packing packing = Packing::words> constexpr Row stores(const char* mnemonic) {
  return by_rules(
      memory_row(mnemonic, store<channels, packing>, facts(MemoryKind::store, channels, packing)));
}

constexpr Packing halves = Packing::halves, high_half = Packing::high_half;

constexpr Row table[] = {
    loads<1>("buffer_load_format_x"),
    loads<2>("buffer_load_format_xy"),
    loads<3>("buffer_load_format_xyz"),
    loads<4>("buffer_load_format_xyzw"),
    loads<1, halves>("buffer_load_format_d16_x"),
    loads<2, halves>("buffer_load_format_d16_xy"),
    loads<3, halves>("buffer_load_format_d16_xyz"),
    loads<4, halves>("buffer_load_format_d16_xyzw"),
    loads<1, high_half>("buffer_load_format_d16_hi_x"),
    loads<1>("tbuffer_load_format_x"),
    loads<2>("tbuffer_load_format_xy"),
    loads<3>("tbuffer_load_format_xyz"),
    loads<4>("tbuffer_load_format_xyzw"),
    loads<1, halves>("tbuffer_load_format_d16_x"),
    loads<2, halves>("tbuffer_load_format_d16_xy"),
    loads<3, halves>("tbuffer_load_format_d16_xyz"),
    loads<4, halves>("tbuffer_load_format_d16_xyzw"),
    stores<1>("buffer_store_format_x"),
    stores<2>("buffer_store_format_xy"),
    stores<3>("buffer_store_format_xyz"),
    stores<4>("buffer_store_format_xyzw"),
    stores<1, halves>("buffer_store_format_d16_x"),
    stores<2, halves>("buffer_store_format_d16_xy"),
    stores<3, halves>("buffer_store_format_d16_xyz"),
    stores<4, halves>("buffer_store_format_d16_xyzw"),
    stores<1, high_half>("buffer_store_format_d16_hi_x"),
    stores<1>("tbuffer_store_format_x"),
    stores<2>("tbuffer_store_format_xy"),
    stores<3>("tbuffer_store_format_xyz"),
    stores<4>("tbuffer_store_format_xyzw"),
    stores<1, halves>("tbuffer_store_format_d16_x"),
    stores<2, halves>("tbuffer_store_format_d16_xy"),
    stores<3, halves>("tbuffer_store_format_d16_xyz"),
    stores<4, halves>("tbuffer_store_format_d16_xyzw"),
};

} // namespace

const Rows rows_buffer_formatted = rows_of<table, all_memory>();

} // namespace fmha950::isa::FMHA950_SIMD
