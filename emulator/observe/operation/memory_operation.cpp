#include "emulator/observe/operation/memory_operation.hpp"

#include "emulator/program/row.hpp"

#include <bit>
#include <cstring>

namespace fmha950::observe {
namespace {

using OperationKind = MemoryOperation::Kind;

OperationKind kind_of(isa::MemoryKind kind) {
  switch (kind) {
  case isa::MemoryKind::load: return OperationKind::load;
  case isa::MemoryKind::store: return OperationKind::store;
  case isa::MemoryKind::atomic: return OperationKind::atomic;
  case isa::MemoryKind::lane_exchange: return OperationKind::exchange;
  case isa::MemoryKind::none:
  case isa::MemoryKind::clock:
  case isa::MemoryKind::no_data: break;
  }
  return OperationKind::none;
}

} // namespace

MemoryOperation memory_operation_of(const isa::Instruction& in) {
  const isa::MemoryFacts& facts = isa::memory_of(in);
  if (facts.kind == isa::MemoryKind::none) return {};
  MemoryOperation op;
  op.kind = kind_of(facts.kind);
  op.bytes = facts.bytes;
  op.elements = facts.elements;
  op.element_stride = facts.element_stride;
  op.single = facts.once;
  op.high_half = facts.high_half;
  // As for device memory, because of FLAT's LDS half.
  op.ignores_offset = in.encoding == isa::Encoding::ds ? facts.segment == isa::Segment::lds_by_m0
                                                       : in.encoding != isa::Encoding::smem;
  op.lds_dma = isa::is_lds_dma(in);
  if (op.lds_dma) op.lds_slot = op.bytes > 4 ? 16 : 4;
  return op;
}

MemoryOperation as_accessed(MemoryOperation operation, const machine::Access& access) {
  if (access.format_bytes) operation.bytes = access.format_bytes;
  return operation;
}

std::array<uint8_t, 16> stored_bytes(const MemoryOperation& operation, const machine::Access& access,
                                     int lane) {
  std::array<uint32_t, 4> dwords;
  for (size_t d = 0; d < dwords.size(); ++d) dwords[d] = access.data[d][lane];
  if (operation.high_half) dwords[0] >>= 16;
  return std::bit_cast<std::array<uint8_t, 16>>(dwords);
}

std::array<uint8_t, 16> brought_bytes(const MemoryOperation& operation, const machine::Access& access,
                                      int lane) {
  std::array<uint8_t, 16> brought = {};
  const auto bring = [&](int, uint32_t offset, uint64_t begin, uint32_t bytes) {
    std::memcpy(&brought[offset], reinterpret_cast<const uint8_t*>(begin), bytes);
  };
  const bool in_range = access.valid >> lane & 1;
  if (access.irregular || (access.swizzled && in_range))
    for_each_dword_piece(operation, access, lane, bring);
  else if (in_range)
    bring(lane, 0, access.address[lane], operation.bytes);
  return brought;
}

} // namespace fmha950::observe
