// Data on its way through LDS and registers: LDS DMA, transposes, prefetches, paged and masked copies.
#include "gfx950/buffer_resource.hpp"
#include "gfx950/global.hpp"
#include "gfx950/lds_dma.hpp"
#include "gfx950/waits.hpp"
#include "tests/corpus/corpus_kernel.hpp"

namespace {

using GlobalPointer = __attribute__((address_space(1))) void*;

__device__ uint32_t read_word(uint32_t address) {
  uint32_t value;
  asm volatile("ds_read_b32 %0, %1" : "=v"(value) : "v"(address) : "memory");
  return value;
}
__device__ void write_word(uint32_t address, uint32_t value) {
  asm volatile("ds_write_b32 %0, %1" ::"v"(address), "v"(value) : "memory");
}

} // namespace

// out = 3 * in, tile by tile of 64 words through two LDS buffers that DMA fills one tile ahead. A wave alone:
// its own waits order everything.
CORPUS_KERNEL(ping_pong_buffer_lds, 64) {
  __shared__ uint32_t tiles[2][64];
  const BufferResource in = raw_buffer(arguments.in, arguments.n * 4);
  const uint32_t count = arguments.n / 64, lane = lane_id();
  load_to_lds<4>(in, lane * 4, (LdsPointer)tiles[0]);
  for (uint32_t tile = 0; tile < count; ++tile) {
    // Beyond the end: zeros.
    load_to_lds<4>(in, (tile + 1) * 256 + lane * 4, (LdsPointer)tiles[(tile + 1) % 2]);
    wait_vector_memory<1>(); // this tile and the stores before it are done, the next may be on its way
    uint32_t value = read_word(lds_address((LdsPointer)tiles[tile % 2]) + lane * 4);
    wait_lds<0>();
    pin(value);
    arguments.out[tile * 64 + lane] = 3 * value;
  }
  wait_vector_memory<0>();
}

// The same with global_load_lds and four waves that read each other's words: barriers too.
CORPUS_KERNEL(ping_pong_global_lds, 256) {
  __shared__ uint32_t tiles[2][256];
  const uint32_t count = arguments.n / 256, t = thread_id();
  const auto fetch = [&](uint32_t tile) {
    __builtin_amdgcn_global_load_lds((GlobalPointer)(arguments.in + tile * 256 + t),
                                     (LdsPointer)(tiles[tile % 2] + wave_id() * 64), 4, 0, 0);
  };
  fetch(0);
  for (uint32_t tile = 0; tile < count; ++tile) {
    wait_vector_memory<0>();
    barrier(); // the tile is here, and the one before it has been read
    if (tile + 1 < count) fetch(tile + 1);
    uint32_t value = read_word(lds_address((LdsPointer)tiles[tile % 2]) + (255 - t) * 4);
    wait_lds<0>();
    pin(value);
    arguments.out[tile * 256 + t] = value;
  }
}

// Wave 0 brings in by DMA what waves 1 to 3 add up; two buffers, a barrier per tile.
CORPUS_KERNEL(producer_consumer, 256) {
  __shared__ uint32_t tiles[2][256];
  const BufferResource in = raw_buffer(arguments.in, arguments.n * 4);
  const uint32_t count = arguments.n / 256, lane = lane_id();
  uint32_t sum = 0;
  const auto produce = [&](uint32_t tile) {
    load_to_lds<16>(in, tile * 1024 + lane * 16, (LdsPointer)tiles[tile % 2]);
    wait_vector_memory<0>();
  };
  if (wave_id() == 0) produce(0);
  for (uint32_t tile = 0; tile < count; ++tile) {
    barrier();
    if (wave_id() == 0) {
      if (tile + 1 < count) produce(tile + 1);
    } else {
      const uint32_t base = lds_address((LdsPointer)tiles[tile % 2]);
      for (uint32_t i = wave_id() - 1; i < 4; i += 3) {
        uint32_t value = read_word(base + (i * 64 + lane) * 4);
        wait_lds<0>();
        pin(value);
        sum += value * (i + 1);
      }
    }
  }
  if (wave_id() != 0) arguments.out[(wave_id() - 1) * 64 + lane] = sum;
}

// Four loads in flight, each waited for just when it is used.
CORPUS_KERNEL(prefetch_registers, 64) {
  const uint32_t lane = lane_id();
  const uint32_t* in = arguments.in + workgroup_id_x() * 256;
  uint32_t a, b, c, d;
  load_global(a, in, lane * 4);
  load_global(b, in + 64, lane * 4);
  load_global(c, in + 128, lane * 4);
  load_global(d, in + 192, lane * 4);
  wait_vector_memory<3>();
  pin(a);
  uint32_t sum = a;
  wait_vector_memory<2>();
  pin(b);
  sum = sum * 3 + b;
  wait_vector_memory<1>();
  pin(c);
  sum = sum * 3 + c;
  wait_vector_memory<0>();
  pin(d);
  arguments.out[item(64)] = sum * 3 + d;
}

// 32 x 32 words; padded rows.
CORPUS_KERNEL(transpose_lds, 256) {
  __shared__ uint32_t tile[32][33];
  const uint32_t* in = arguments.in + workgroup_id_x() * 1024;
  uint32_t* out = arguments.out + workgroup_id_x() * 1024;
  const uint32_t x = thread_id() % 32, y = thread_id() / 32;
  for (uint32_t row = y; row < 32; row += 8) tile[row][x] = in[row * 32 + x];
  sync();
  for (uint32_t row = y; row < 32; row += 8) out[row * 32 + x] = tile[x][row];
}

// A 16 x 16 tile of 16-bit values: LDS DMA brings the rows, ds_read_b64_tr_b16 takes columns. Lane l gets
// rows 4 * (l / 16) .. + 3 of column l % 16.
CORPUS_KERNEL(transpose_read, 64) {
  __shared__ uint32_t tile[128];
  const BufferResource in = raw_buffer(arguments.in + workgroup_id_x() * 128, 512);
  const uint32_t lane = lane_id();
  load_to_lds<4>(in, lane * 4, (LdsPointer)tile);
  load_to_lds<4>(in, 256 + lane * 4, (LdsPointer)(tile + 64));
  wait_vector_memory<0>();
  Word2 column;
  const uint32_t row = lane / 16 * 4 + lane % 16 / 4;
  read_lds_transposed<0>(column, lds_address((LdsPointer)tile) + row * 32 + lane % 4 * 8);
  wait_lds<0>();
  pin(column);
  uint32_t* out = arguments.out + workgroup_id_x() * 128 + lane * 2;
  out[0] = column[0];
  out[1] = column[1];
}

// 16-byte reads and writes of LDS, every wave's block taken by the next wave.
CORPUS_KERNEL(rotate_blocks, 256) {
  __shared__ Word4 blocks[256];
  const uint32_t t = thread_id();
  Word4 value = reinterpret_cast<const Word4*>(arguments.in)[item(256)];
  const uint32_t base = lds_address((LdsPointer)blocks);
  asm volatile("ds_write_b128 %0, %1\n\ts_waitcnt lgkmcnt(0)" ::"v"(base + t * 16), "v"(value) : "memory");
  barrier();
  read_lds<0>(value, base + (t + 64) % 256 * 16);
  wait_lds<0>();
  pin(value);
  reinterpret_cast<Word4*>(arguments.out)[item(256)] = value;
}

// Rows of 16 words, 8 to a page; the table stands before the pool: in = {table[n / 128 pages], pool}. Slots
// of the last page that hold no row are not read.
CORPUS_KERNEL(paged_gather, 64) {
  const uint32_t rows = arguments.n / 16, pages = (rows + 7) / 8;
  const uint32_t* pool = arguments.in + pages;
  for (uint32_t word = item(64); word < rows * 16; word += __builtin_amdgcn_grid_size_x()) {
    const uint32_t row = word / 16, page = arguments.in[row / 8];
    arguments.out[word] = pool[page * 128 + row % 8 * 16 + word % 16];
  }
}

// As many words as there are: num_records masks the rest of the workgroup, which loads zeros and stores nothing.
CORPUS_KERNEL(masked_tail, 64) {
  const BufferResource in = raw_buffer(arguments.in, arguments.n * 4),
                       out = raw_buffer(arguments.out, arguments.n * 4);
  const uint32_t offset = item(64) * 4;
  const uint32_t value = __builtin_amdgcn_raw_buffer_load_b32(in, offset, 0, 0);
  __builtin_amdgcn_raw_buffer_store_b32(value + 1, out, offset, 0, 0);
}

// An array that no register file indexes: scratch.
CORPUS_KERNEL(scratch_array, 64) {
  uint32_t values[16];
  for (uint32_t i = 0; i < 16; ++i) values[i] = arguments.in[i * 64 + lane_id()];
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 16; ++i) {
    const uint32_t at = (sum + i) % 16;
    sum += values[at];
    values[at] = sum;
  }
  arguments.out[lane_id()] = sum;
}

// One pointer to both memories: even lanes write LDS, odd ones device memory, and back.
CORPUS_KERNEL(flat_both, 64) {
  __shared__ uint32_t shared[64];
  const uint32_t lane = lane_id();
  uint32_t* const own = lane % 2 ? arguments.out + 64 + lane : shared + lane;
  *static_cast<volatile uint32_t*>(own) = arguments.in[lane] + 7;
  const uint32_t value = *static_cast<volatile uint32_t*>(own);
  arguments.out[lane] = value * 2;
}

// Two scalar loads at once: they return in any order, so only lgkmcnt(0) will do.
CORPUS_KERNEL(scalar_pair, 64) {
  const uint32_t* in = arguments.in + workgroup_id_x() * 4;
  uint64_t first, second;
  asm volatile("s_load_dwordx2 %0, %2, 0x0\n\ts_load_dwordx2 %1, %2, 0x8\n\ts_waitcnt lgkmcnt(0)"
               : "=&s"(first), "=&s"(second)
               : "s"(in));
  arguments.out[item(64)] = static_cast<uint32_t>(first) + static_cast<uint32_t>(second >> 32) * lane_id();
}

// A wave sees its own LDS writes without a wait between: DS operations take effect in order.
CORPUS_KERNEL(own_lds_in_order, 64) {
  __shared__ uint32_t words[64];
  const uint32_t address = lds_address((LdsPointer)words) + lane_id() * 4;
  write_word(address, arguments.in[item(64)]);
  uint32_t value = read_word(address ^ 4);
  wait_lds<0>();
  pin(value);
  arguments.out[item(64)] = value;
}

// 80 loads in flight: the counter holds 63, so issue stalls, and nothing is lost.
CORPUS_KERNEL(many_loads, 64) {
  __shared__ uint32_t words[80 * 64];
  const BufferResource in = raw_buffer(arguments.in, arguments.n * 4);
#pragma clang loop unroll(full)
  for (uint32_t i = 0; i < 80; ++i) load_to_lds<4>(in, i * 256 + lane_id() * 4, (LdsPointer)(words + i * 64));
  wait_vector_memory<0>();
  uint32_t sum = 0;
  for (uint32_t i = 0; i < 80; ++i) {
    uint32_t value = read_word(lds_address((LdsPointer)(words + i * 64)) + lane_id() * 4);
    wait_lds<0>();
    pin(value);
    sum = sum * 5 + value;
  }
  arguments.out[lane_id()] = sum;
}

// A page of 64 slots is copied whole, its 40 used slots are used: the host never wrote the others.
CORPUS_KERNEL(unused_slots, 64) {
  __shared__ uint32_t page[64];
  const BufferResource in = raw_buffer(arguments.in, 256);
  load_to_lds<4>(in, lane_id() * 4, (LdsPointer)page);
  wait_vector_memory<0>();
  uint32_t value = read_word(lds_address((LdsPointer)page) + lane_id() * 4);
  wait_lds<0>();
  pin(value);
  if (lane_id() < arguments.n) arguments.out[lane_id()] = value + 1;
}
