// Likewise of what orders waves: barriers, and the waits before them.
#include "tests/observe/planted_code.hpp"

namespace {

template <unsigned missing> FMHA950_INLINE void tile(uint32_t* out) {
  __shared__ uint32_t words[512];
  const uint32_t at = lds_address(words);
  for (uint32_t i = 0; i < 4; ++i) store_lds(at + 4 * (thread_id() + 128 * i), i);
  wait_lgkm<true>();
  barrier<has<missing>(1)>();
  uint32_t a = load_lds(at + 4 * (127 - thread_id())), b = load_lds(at + 4 * (255 - thread_id())),
           c = load_lds(at + 4 * (383 - thread_id())), d = load_lds(at + 4 * (511 - thread_id()));
  wait_lgkm<true>(a, b, c, d);
  out[global_id()] = a + b + c + d;
}

// A tile written and read in each turn: the barrier between is `first`, the one before the next turn `second`.
template <bool first, bool second, int copies> FMHA950_INLINE void tiles(uint32_t* out) {
  __shared__ uint32_t words[256];
  const uint32_t at = lds_address(words);
  uint32_t sum = 0;
  repeat<copies>(8, [&](uint32_t i) {
    store_lds(at + 4 * thread_id(), i);
    store_lds(at + 4 * (thread_id() + 128), 2 * i);
    wait_lgkm<true>();
    barrier<first>();
    uint32_t a = load_lds(at + 4 * (127 - thread_id())), b = load_lds(at + 4 * (255 - thread_id()));
    wait_lgkm<true>(a, b);
    sum += plus_one(a) ^ times_three(b);
    barrier<second>();
  });
  out[global_id()] = sum;
}
template <unsigned missing> FMHA950_INLINE void read_too_early(uint32_t* out) {
  tiles<has<missing>(1), true, 1>(out);
}
template <unsigned missing> FMHA950_INLINE void refilled_too_early(uint32_t* out) {
  tiles<true, has<missing>(1), 1>(out);
}
template <unsigned missing> FMHA950_INLINE void read_too_early_by_4(uint32_t* out) {
  tiles<has<missing>(1), true, 4>(out);
}
template <unsigned missing> FMHA950_INLINE void refilled_too_early_by_8(uint32_t* out) {
  tiles<true, has<missing>(1), 8>(out);
}

// LDS DMA that nobody waits for before the barrier.
template <unsigned missing, int copies> FMHA950_INLINE void loaded_tiles(uint32_t* out) {
  __shared__ uint32_t words[256];
  const uint32_t at = lds_address(words);
  uint32_t sum = 0;
  repeat<copies>(8, [&](uint32_t i) {
    load_to_lds(at + 256 * wave_id(), out + thread_id() + 256 * i);
    load_to_lds(at + 512 + 256 * wave_id(), out + 128 + thread_id() + 256 * i);
    wait_vm<has<missing>(1)>();
    barrier<true>();
    uint32_t a = load_lds(at + 4 * (127 - thread_id())), b = load_lds(at + 4 * (255 - thread_id()));
    wait_lgkm<true>(a, b);
    sum += plus_one(a) ^ times_three(b);
    barrier<true>();
  });
  wait_vm<true>();
  out[8192 + global_id()] = sum;
}
template <unsigned missing> FMHA950_INLINE void loaded_tile(uint32_t* out) { loaded_tiles<missing, 1>(out); }
template <unsigned missing> FMHA950_INLINE void loaded_tile_by_4(uint32_t* out) {
  loaded_tiles<missing, 4>(out);
}
template <unsigned missing> FMHA950_INLINE void loaded_tile_by_8(uint32_t* out) {
  loaded_tiles<missing, 8>(out);
}

// Two buffers: the next tile is on its way while this one is read. The value read is an address, which nobody wrote if
// the tile is late.
template <unsigned missing, int copies> FMHA950_INLINE void two_buffers(uint32_t* out) {
  __shared__ uint32_t words[256];
  const uint32_t at = lds_address(words);
  load_to_lds(at + 256 * wave_id(), out + thread_id());
  uint32_t sum = 0;
  repeat<copies>(8, [&](uint32_t i) {
    wait_vm<has<missing>(1)>();
    barrier<true>();
    load_to_lds(at + 512 * ((i + 1) % 2) + 256 * wave_id(), out + thread_id() + 128 * i);
    uint32_t a = load_lds(at + 512 * (i % 2) + 4 * (127 - thread_id()));
    wait_lgkm<true>(a);
    sum += plus_one(a);
    uint32_t b = load_lds(at + 512 * (i % 2) + 4 * (thread_id() ^ 64));
    wait_lgkm<true>(b);
    sum += times_three(b);
  });
  wait_vm<true>();
  out[8192 + global_id()] = sum;
}
template <unsigned missing> FMHA950_INLINE void buffers(uint32_t* out) { two_buffers<missing, 1>(out); }
template <unsigned missing> FMHA950_INLINE void buffers_by_4(uint32_t* out) { two_buffers<missing, 4>(out); }

// Two buffers and one barrier: without it the ways from a write to a read and back both go around the loop.
template <unsigned missing, int copies> FMHA950_INLINE void written_buffers(uint32_t* out) {
  __shared__ uint32_t words[256];
  const uint32_t at = lds_address(words);
  store_lds(at + 4 * thread_id(), 1);
  uint32_t sum = 0;
  repeat<copies>(8, [&](uint32_t i) {
    wait_lgkm<true>();
    barrier<has<missing>(1)>();
    store_lds(at + 512 * ((i + 1) % 2) + 4 * thread_id(), i);
    uint32_t a = load_lds(at + 512 * (i % 2) + 4 * (127 - thread_id()));
    wait_lgkm<true>(a);
    sum += plus_one(a);
  });
  out[8192 + global_id()] = sum;
}
template <unsigned missing> FMHA950_INLINE void one_barrier(uint32_t* out) {
  written_buffers<missing, 1>(out);
}
template <unsigned missing> FMHA950_INLINE void one_barrier_by_4(uint32_t* out) {
  written_buffers<missing, 4>(out);
}

// Reads that are not waited for before the barrier behind which the other wave overwrites what they read.
template <unsigned missing> FMHA950_INLINE void read_and_refilled(uint32_t* out) {
  __shared__ uint32_t words[128];
  const uint32_t at = lds_address(words);
  store_lds(at + 4 * thread_id(), 1);
  synchronise<true>();
  uint32_t sum = 0;
  repeat<1>(4, [&](uint32_t i) {
    uint32_t a = load_lds(at + 4 * (127 - thread_id())), b = load_lds(at + 4 * (thread_id() ^ 64));
    wait_lgkm<has<missing>(1)>();
    barrier<true>();
    load_to_lds(at + 256 * wave_id(), out + thread_id() + 128 * i);
    wait_lgkm<true>(a, b);
    sum += plus_one(a) ^ times_three(b);
    wait_vm<true>();
    barrier<true>();
  });
  out[8192 + global_id()] = sum;
}

// A wait and a barrier, as one.
template <unsigned missing> FMHA950_INLINE void no_synchronisation(uint32_t* out) {
  __shared__ uint32_t words[256];
  const uint32_t at = lds_address(words);
  load_to_lds(at + 256 * wave_id(), out + thread_id());
  store_lds(at + 512 + 4 * thread_id(), 5);
  synchronise<has<missing>(1)>();
  uint32_t a = load_lds(at + 4 * (127 - thread_id())), b = load_lds(at + 4 * (255 - thread_id()));
  wait_lgkm<true>(a, b);
  wait_vm<true>();
  out[8192 + global_id()] = plus_one(a) ^ times_three(b);
}

// The first wave fills tiles, the second reads them: two loops of their own that meet at barriers.
template <unsigned missing> FMHA950_INLINE void two_groups(uint32_t* out) {
  __shared__ uint32_t words[128];
  const uint32_t at = lds_address(words);
  if (wave_id() == 0) {
    repeat<1>(8, [&](uint32_t i) {
      load_to_lds(at, out + lane() + 128 * i);
      load_to_lds(at + 256, out + 64 + lane() + 128 * i);
      wait_vm<has<missing>(1)>();
      barrier<true>();
      barrier<true>();
    });
    wait_vm<true>();
  } else {
    uint32_t sum = 0;
    repeat<1>(8, [&](uint32_t) {
      barrier<true>();
      uint32_t a = load_lds(at + 4 * lane()), b = load_lds(at + 256 + 4 * lane());
      wait_lgkm<true>(a, b);
      sum += plus_one(a) ^ times_three(b);
      barrier<true>();
    });
    out[8192 + global_id()] = sum;
  }
}

// Likewise with tiles that are written, in unrolled loops; the reader does not wait before it gives a tile back.
template <unsigned missing> FMHA950_INLINE void two_groups_by_4(uint32_t* out) {
  __shared__ uint32_t words[64];
  const uint32_t at = lds_address(words);
  if (wave_id() == 0) {
    repeat<4>(8, [&](uint32_t i) {
      store_lds(at + 4 * lane(), i);
      wait_lgkm<true>();
      barrier<true>();
      barrier<true>();
    });
  } else {
    uint32_t sum = 0;
    repeat<4>(8, [&](uint32_t) {
      barrier<true>();
      uint32_t a = load_lds(at + 4 * lane());
      wait_lgkm<has<missing>(1)>();
      barrier<true>();
      wait_lgkm<true>(a);
      sum += plus_one(a);
    });
    out[8192 + global_id()] = sum;
  }
}

// Waves that share memory of the device.
template <unsigned missing> FMHA950_INLINE void device_tile(uint32_t* out) {
  uint32_t* const mine = out + 256 * workgroup_id_x();
  mine[thread_id()] = 3;
  mine[128 + thread_id()] = 4;
  wait_vm<true>();
  barrier<has<missing>(1)>();
  uint32_t a = load(mine + 127 - thread_id()), b = load(mine + 255 - thread_id());
  wait_vm<true>(a, b);
  out[8192 + global_id()] = a + b;
}

} // namespace

FMHA950_PLANTED(tile)
FMHA950_PLANTED(read_too_early)
FMHA950_PLANTED(refilled_too_early)
FMHA950_PLANTED(read_too_early_by_4)
FMHA950_PLANTED(refilled_too_early_by_8)
FMHA950_PLANTED(loaded_tile)
FMHA950_PLANTED(loaded_tile_by_4)
FMHA950_PLANTED(loaded_tile_by_8)
FMHA950_PLANTED(buffers)
FMHA950_PLANTED(buffers_by_4)
FMHA950_PLANTED(read_and_refilled)
FMHA950_PLANTED(no_synchronisation)
FMHA950_PLANTED(one_barrier)
FMHA950_PLANTED(one_barrier_by_4)
FMHA950_PLANTED(two_groups)
FMHA950_PLANTED(two_groups_by_4)
FMHA950_PLANTED(device_tile)
