#include "emulator/observe/operation/memory_operation.hpp"

#include "emulator/isa/mnemonic.hpp"

#include <string_view>
#include <utility>

namespace fmha950::observe {
namespace {

using isa::contains;
using isa::starts_with_any;
using Kind = MemoryOperation::Kind;

// Bytes of the data types that mnemonics name; the longest name that matches counts.
uint8_t bytes_named(std::string_view mnemonic) {
  static constexpr std::pair<std::string_view, uint8_t> types[] = {
      {"dwordx16", 64}, {"dwordx8", 32}, {"dwordx4", 16}, {"dwordx3", 12}, {"dwordx2", 8}, {"dword", 4},
      {"ubyte", 1},     {"sbyte", 1},    {"byte", 1},     {"ushort", 2},   {"sshort", 2},  {"short", 2},
      {"b128", 16},     {"b96", 12},     {"b64", 8},      {"b32", 4},      {"b16", 2},     {"b8", 1},
      {"u16", 2},       {"i16", 2},      {"u8", 1},       {"i8", 1}};
  for (const auto& [name, bytes] : types)
    if (contains(mnemonic, name)) return bytes;
  return 4;
}

MemoryOperation lds_operation(std::string_view m) {
  MemoryOperation op;
  op.bytes = bytes_named(m);
  if (starts_with_any(m, {"ds_bpermute", "ds_permute", "ds_swizzle"})) {
    op.kind = Kind::exchange;
  } else if (starts_with_any(m, {"ds_read", "ds_write"})) {
    op.kind = m.starts_with("ds_read") ? Kind::load : Kind::store;
    op.ignores_offset = contains(m, "addtid");
  } else if (starts_with_any(m, {"ds_append", "ds_consume"})) {
    op.kind = Kind::atomic;
    op.single = true;
  } else if (!starts_with_any(m, {"ds_nop", "ds_gws"})) {
    op.kind = Kind::atomic;
    op.bytes = m.ends_with("64") ? 8 : 4;
  }
  if (starts_with_any(m, {"ds_read2", "ds_write2", "ds_wrxchg2"})) {
    op.elements = 2;
    op.element_stride = static_cast<uint16_t>(op.bytes * (contains(m, "st64") ? 64 : 1));
  }
  return op;
}

MemoryOperation device_memory_operation(std::string_view m) {
  MemoryOperation op;
  op.bytes = bytes_named(m);
  if (contains(m, "_load")) op.kind = Kind::load;
  if (contains(m, "_store")) op.kind = Kind::store;
  if (contains(m, "_atomic")) {
    op.kind = Kind::atomic;
    op.bytes = m.ends_with("_x2") || m.ends_with("f64") ? 8 : 4;
  }
  return op;
}

} // namespace

MemoryOperation memory_operation_of(const isa::Instruction& in) {
  const std::string_view mnemonic = isa::mnemonic_of(in);
  switch (in.encoding) {
  case isa::Encoding::ds: return lds_operation(mnemonic);
  case isa::Encoding::smem: return device_memory_operation(mnemonic);
  case isa::Encoding::mubuf:
  case isa::Encoding::mtbuf:
  case isa::Encoding::flat: {
    MemoryOperation op = device_memory_operation(mnemonic);
    op.ignores_offset = true; // FLAT's LDS half
    op.lds_dma = isa::is_lds_dma(in, mnemonic);
    if (op.lds_dma) op.lds_slot = op.bytes > 4 ? 16 : 4;
    return op;
  }
  default: return {};
  }
}

} // namespace fmha950::observe
