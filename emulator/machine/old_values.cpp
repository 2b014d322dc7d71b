#include "emulator/machine/old_values.hpp"

#include "emulator/machine/workgroup.hpp"
#include "emulator/program/row.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace fmha950::machine {
namespace {

using isa::MemoryKind;

bool is_scalar(const Access& access) { return access.instruction->encoding == isa::Encoding::smem; }

// A scalar access takes `lanes` for its dwords; a vector access is partly in range only where it is irregular.
template <class Visit> void for_each_piece(const Access& access, Visit visit) {
  const isa::MemoryFacts& facts = isa::memory_of(*access.instruction);
  if (is_scalar(access)) {
    const auto dwords = static_cast<uint32_t>(std::popcount(access.lanes));
    if (dwords > 0) visit(0, access.address[0], facts.kind == MemoryKind::atomic ? facts.bytes : 4 * dwords);
    return;
  }
  if (access.irregular) return;
  for (uint64_t lanes = access.valid & ~access.swizzled; lanes; lanes &= lanes - 1) {
    const int lane = std::countr_zero(lanes);
    visit(lane, access.address[lane], uint32_t{access.format_bytes ? access.format_bytes : facts.bytes});
  }
}

// Calls visit(block, first byte within it, bytes) for each block that the range touches.
template <class Visit>
void for_each_block(uint64_t begin, uint32_t bytes, uint64_t block_bytes, Visit visit) {
  for (const uint64_t end = begin + bytes; begin < end;) {
    const uint64_t in_block = begin % block_bytes, count = std::min(end - begin, block_bytes - in_block);
    visit(begin / block_bytes, in_block, count);
    begin += count;
  }
}

uint64_t bits(uint64_t first, uint64_t count) {
  return (count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1) << first;
}

template <class Word> void copy_word(const uint8_t* from, uint8_t* to) {
  const Word word = __atomic_load_n(reinterpret_cast<const Word*>(from), __ATOMIC_RELAXED);
  std::memcpy(to, &word, sizeof word);
}

// Atomics of other workgroups may change the memory meanwhile: what one of them may write is read as a whole.
void copy_words(uint64_t begin, uint8_t* to, uint64_t bytes) {
  for (uint64_t done = 0; done < bytes;) {
    const uint64_t at = begin + done;
    const uint64_t word = std::min(uint64_t{1} << std::countr_zero(at | 8), std::bit_floor(bytes - done));
    const auto* const from = reinterpret_cast<const uint8_t*>(at);
    switch (word) {
    case 8: copy_word<uint64_t>(from, to + done); break;
    case 4: copy_word<uint32_t>(from, to + done); break;
    case 2: copy_word<uint16_t>(from, to + done); break;
    default: copy_word<uint8_t>(from, to + done); break;
    }
    done += word;
  }
}

} // namespace

void OldValues::take_effect(Wave& wave, Access& access, Random& random) {
  const isa::Instruction& in = *access.instruction;
  switch (isa::memory_of(in).kind) {
  case MemoryKind::load: return load(wave, access, random);
  case MemoryKind::store:
  case MemoryKind::atomic: {
    const bool in_memory = in.sc1 || isa::memory_of(in).kind == MemoryKind::atomic;
    for_each_piece(access, [&](int lane, uint64_t begin, uint32_t bytes) {
      if (!AddressSpace::device().is_coherent(begin))
        remember(*wave.workgroup, {lane, begin, bytes}, in_memory);
    });
    break;
  }
  case MemoryKind::no_data: // buffer_wbl2: stores before it in the queue have taken effect
    if (isa::memory_of(in).cache == isa::CacheControl::write_back) {
      const std::lock_guard lock(written_back_mutex_);
      written_back_[wave.workgroup->linear_id].push_back(++clock_);
    }
    break;
  default: break;
  }
  if (access.effect) access.effect(wave, access);
}

void OldValues::invalidate(Workgroup& workgroup) { workgroup.caches.invalidated = ++clock_; }
void OldValues::invalidate_scalar(Workgroup& workgroup) { workgroup.caches.scalar_invalidated = ++clock_; }

std::atomic<uint64_t>& OldValues::filter_of(uint64_t block, uint64_t& bit) {
  constexpr uint64_t blocks_of_page = 4096 / block_bytes;
  const uint64_t page = block / blocks_of_page;
  bit = uint64_t{1} << page % 64;
  return filter_[page / 64 % filter_.size()];
}

void OldValues::remember(const Workgroup& workgroup, const Piece& piece, bool in_memory) {
  for_each_block(piece.begin, piece.bytes, block_bytes, [&](uint64_t block, uint64_t first, uint64_t count) {
    Shard& shard = shard_of(block);
    const std::lock_guard lock(shard.mutex);
    Versions& versions = shard.blocks[block];
    const uint64_t now = ++clock_, id = workgroup.linear_id;
    Version* version = versions.empty() ? nullptr : &versions.back();
    const bool same = version && version->workgroup == id && !version->in_memory && !in_memory &&
                      version->time > workgroup.caches.scalar_invalidated &&
                      written_back_since(id, version->time) == 0;
    if (!same) {
      if (versions_.fetch_add(1, std::memory_order_relaxed) >= most_versions) return;
      version = &versions.emplace_back(
          Version{.workgroup = id, .time = now, .before = {}, .in_memory = in_memory, .seen = {}});
    }
    version->time = now;
    std::array<uint8_t, block_bytes> found;
    copy_words(block * block_bytes + first, found.data(), count);
    for (uint64_t b = first; b < first + count; ++b)
      if (!(version->bytes >> b & 1)) version->before[b] = found[b - first];
    version->bytes |= bits(first, count);
    uint64_t bit = 0;
    filter_of(block, bit).fetch_or(bit);
  });
}

uint64_t OldValues::written_back_since(uint64_t workgroup, uint64_t time) {
  const std::lock_guard lock(written_back_mutex_);
  const auto moments = written_back_.find(workgroup);
  if (moments == written_back_.end()) return 0;
  const auto after = std::ranges::upper_bound(moments->second, time);
  return after == moments->second.end() ? 0 : *after;
}

uint64_t OldValues::in_memory_since(const Version& version) {
  return version.in_memory ? version.time : written_back_since(version.workgroup, version.time);
}

// Whether the load must see what this version's workgroup stored; if it need not, the schedule decides.
bool OldValues::sees(Load& load, Version& version) {
  const Workgroup& workgroup = load.workgroup;
  if (version.workgroup == workgroup.linear_id) {
    if (!load.scalar || workgroup.caches.scalar_invalidated > version.time) return true;
  } else {
    const uint64_t since = in_memory_since(version);
    const bool past_vector = load.past_caches || workgroup.caches.invalidated > since,
               past_scalar = !load.scalar || workgroup.caches.scalar_invalidated > since;
    if (since != 0 && past_vector && past_scalar) return true;
  }
  if (std::ranges::find(version.seen, workgroup.linear_id) != version.seen.end()) return true;
  if (load.finds_old < 0) load.finds_old = order_ == MemoryOrder::lazy || load.random.below(2) == 0 ? 1 : 0;
  if (load.finds_old == 1 && ++version.refusals < most_refusals) return false;
  version.seen.push_back(workgroup.linear_id);
  return true;
}

// The newest version that the load sees decides each byte: what the next one that it does not see found there.
bool OldValues::view(Load& load, const Piece& piece, uint8_t* bytes) {
  bool any = false;
  uint64_t done = 0;
  for_each_block(piece.begin, piece.bytes, block_bytes, [&](uint64_t block, uint64_t first, uint64_t count) {
    const uint64_t offset = done;
    done += count;
    uint64_t bit = 0;
    if (!(filter_of(block, bit).load(std::memory_order_relaxed) & bit)) [[likely]]
      return;
    Shard& shard = shard_of(block);
    const std::lock_guard lock(shard.mutex);
    const auto versions = shard.blocks.find(block);
    if (versions == shard.blocks.end()) return;
    uint64_t open = bits(first, count);
    for (auto version = versions->second.rbegin(); version != versions->second.rend() && open; ++version) {
      const uint64_t common = version->bytes & open;
      if (!common) continue;
      if (sees(load, *version)) {
        open &= ~common;
        continue;
      }
      for (uint64_t b = first; b < first + count; ++b)
        if (common >> b & 1) bytes[offset + b - first] = version->before[b];
      any = true;
    }
  });
  return any;
}

void OldValues::load(Wave& wave, Access& access, Random& random) {
  const isa::Instruction& in = *access.instruction;
  constexpr uint32_t most_bytes = 64; // s_load_dwordx16
  std::array<std::array<uint8_t, most_bytes>, 64> seen;
  std::array<uint64_t, 64> address;
  uint64_t changed = 0;
  Load load{*wave.workgroup, is_scalar(access), in.sc1, random};
  for_each_piece(access, [&](int lane, uint64_t begin, uint32_t bytes) {
    uint8_t* const copy = seen[static_cast<size_t>(lane)].data();
    copy_words(begin, copy, bytes);
    if (!view(load, {lane, begin, bytes}, copy)) return;
    changed |= uint64_t{1} << lane;
    address[static_cast<size_t>(lane)] = begin;
    access.address[lane] = reinterpret_cast<uint64_t>(copy); // only while the effect reads
  });
  access.effect(wave, access);
  for (; changed; changed &= changed - 1) {
    const int lane = std::countr_zero(changed);
    access.address[lane] = address[static_cast<size_t>(lane)];
  }
}

} // namespace fmha950::machine
