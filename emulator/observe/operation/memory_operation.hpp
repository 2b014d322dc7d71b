#pragma once
// What a memory instruction does to memory (program/memory_facts.hpp), for checks that follow an Access.

#include "emulator/machine/memory_queue.hpp"
#include "emulator/program/instruction.hpp"

#include <algorithm>
#include <array>

namespace fmha950::observe {

struct LdsFootprint;

struct MemoryOperation {
  enum class Kind : uint8_t { none, load, store, atomic, exchange }; // exchange: lanes only (ds_bpermute)
  Kind kind = Kind::none;
  bool lds_dma = false;        // a load whose data goes to LDS: lane l to access.lds_base + l * lds_slot
  uint8_t bytes = 0;           // per lane and element; SMEM: of the whole access
  uint8_t elements = 1;        // 2: ds_read2, ds_write2, ds_wrxchg2
  uint16_t element_stride = 0; // of the two: bytes per unit of the 8-bit offsets
  uint8_t lds_slot = 0;
  bool high_half = false;      // the register of a part of a dword holds it in its upper half
  bool returns = false;        // writes registers
  bool polls = false;          // an LDS flag (order/polling.hpp)
  bool single = false;         // ds_append, ds_consume: one access for the whole wave
  bool ignores_offset = false; // addresses hold it already: ds_*_addtid, FLAT's LDS half
  bool is_memory() const { return kind != Kind::none && kind != Kind::exchange; }
};
MemoryOperation memory_operation_of(const isa::Instruction& instruction);
// Likewise where a buffer's format said how many bytes there are.
MemoryOperation as_accessed(MemoryOperation operation, const machine::Access& access);

// Calls visit(lane, begin, bytes) for every contiguous byte range of device memory or, for Queue::ds, of LDS
// that the access touches; lane is -1 for a scalar access. Lanes out of a buffer's range or outside the
// workgroup's LDS touch nothing.
template <class Visit>
void for_each_range(const MemoryOperation& operation, const machine::Access& access, machine::Queue queue,
                    uint32_t lds_bytes, Visit visit);

// Likewise the LDS bytes that LDS DMA writes.
template <class Visit>
void for_each_lds_dma_range(const MemoryOperation& operation, const machine::Access& access,
                            uint32_t lds_bytes, Visit visit);

// What a lane of a store of vector registers writes, byte by byte; two elements stand one after the other.
std::array<uint8_t, 16> stored_bytes(const MemoryOperation& operation, const machine::Access& access,
                                     int lane);
// What a lane of LDS DMA of whole dwords brings if device memory stays as it is. Lanes out of range bring zeros.
std::array<uint8_t, 16> brought_bytes(const MemoryOperation& operation, const machine::Access& access,
                                      int lane);

// One memory instruction of one wave at its issue, as checks see it.
struct MemoryEvent {
  const machine::Wave& wave;
  const machine::Access& access; // access.instruction is the instruction
  const MemoryOperation& operation;
  machine::Queue queue; // vm, ds or smem: who performs it. FLAT comes as two events
  uint32_t clock = 0;   // the how-manieth operation of this wave in this queue, from 1
  // Where it touches LDS, once a check has looked that up (lds_footprint.hpp): the next one need not.
  mutable const LdsFootprint* lds = nullptr;

  bool touches_lds() const {
    return queue == machine::Queue::ds ? operation.is_memory()
                                       : queue == machine::Queue::vm && operation.lds_dma;
  }
};

// --- implementation ---

template <class Visit> void for_each_lane_of(uint64_t lanes, Visit visit) {
  for (; lanes; lanes &= lanes - 1) visit(__builtin_ctzll(lanes));
}

template <class Visit>
void for_each_lds_range(const MemoryOperation& operation, const machine::Access& access, uint32_t lds_bytes,
                        Visit visit) {
  const auto offset = static_cast<uint32_t>(access.instruction->offset);
  const auto touch = [&](int lane, uint32_t begin) {
    if (begin < lds_bytes) visit(lane, begin, std::min<uint32_t>(operation.bytes, lds_bytes - begin));
  };
  if (operation.single)
    return touch(__builtin_ctzll(access.lanes | uint64_t{1} << 63), access.lds_address[0]);
  const auto add = [&](uint32_t offset_bytes) {
    for_each_lane_of(access.lanes, [&](int lane) { touch(lane, access.lds_address[lane] + offset_bytes); });
  };
  if (operation.elements == 1) return add(operation.ignores_offset ? 0 : offset);
  add((offset & 0xFF) * operation.element_stride);
  add((offset >> 8 & 0xFF) * operation.element_stride);
}

// Dword by dword: swizzled ones lie apart, also from one another where the address is no multiple of 4, and those out of
// range are dropped.
template <class Visit>
void for_each_dword_piece(const MemoryOperation& operation, const machine::Access& access, int lane,
                          Visit visit) {
  const bool swizzled = access.swizzled >> lane & 1;
  const auto in_dword = static_cast<uint32_t>(swizzled ? access.address[lane] & 3 : 0);
  const uint64_t first = access.address[lane] - in_dword;
  for (uint32_t b = 0, bytes = 0; b < operation.bytes; b += bytes) {
    const uint32_t in_dwords = in_dword + b;
    bytes = std::min({4 - b % 4, 4 - in_dwords % 4, operation.bytes - b});
    if (access.irregular && access.dropped[b / 4] >> lane & 1) continue;
    const uint64_t dword = swizzled ? in_dwords / 4 * uint64_t{access.dword_stride} : in_dwords / 4 * 4;
    visit(lane, b, first + dword + in_dwords % 4, bytes);
  }
}

// visit(lane, offset of the bytes within the access, begin, bytes)
template <class Visit>
void for_each_memory_piece(const MemoryOperation& operation, const machine::Access& access, Visit visit) {
  if (!access.irregular && !access.swizzled) {
    for_each_lane_of(access.valid, [&](int lane) { visit(lane, 0u, access.address[lane], operation.bytes); });
    return;
  }
  for_each_lane_of(access.lanes & (access.irregular ? ~uint64_t{0} : access.valid),
                   [&](int lane) { for_each_dword_piece(operation, access, lane, visit); });
}
template <class Visit>
void for_each_memory_range(const MemoryOperation& operation, const machine::Access& access, Visit visit) {
  for_each_memory_piece(operation, access, [&](int lane, uint32_t, uint64_t begin, uint32_t bytes) {
    visit(lane, begin, bytes);
  });
}

template <class Visit>
void for_each_range(const MemoryOperation& operation, const machine::Access& access, machine::Queue queue,
                    uint32_t lds_bytes, Visit visit) {
  if (!operation.is_memory()) return;
  if (queue == machine::Queue::ds) return for_each_lds_range(operation, access, lds_bytes, visit);
  if (queue == machine::Queue::vm) return for_each_memory_range(operation, access, visit);
  const auto bytes = static_cast<uint32_t>(operation.kind == MemoryOperation::Kind::atomic
                                               ? operation.bytes * (access.valid ? 1 : 0)
                                               : 4 * __builtin_popcountll(access.lanes));
  if (bytes) visit(-1, access.address[0], bytes);
}

template <class Visit>
void for_each_lds_dma_range(const MemoryOperation& operation, const machine::Access& access,
                            uint32_t lds_bytes, Visit visit) {
  if (!operation.lds_dma) return;
  const uint32_t written = operation.lds_slot == 4 ? 4 : operation.bytes;
  for_each_lane_of(access.lanes, [&](int lane) {
    const uint32_t begin = access.lds_base + static_cast<uint32_t>(lane) * operation.lds_slot;
    if (uint64_t{begin} + written <= lds_bytes) visit(lane, begin, written);
  });
}

} // namespace fmha950::observe
