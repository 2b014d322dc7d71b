#pragma once
// Code that no compiler makes.

#include <cstdint>
#include <random>
#include <vector>

namespace fmha950::test {

// Short branches, waits, s_nops, loads, VALU, MFMA and LDS reads on few registers; of more than seven kinds also any word.
inline std::vector<uint32_t> random_words(std::mt19937& random, size_t count, unsigned kinds) {
  std::vector<uint32_t> words;
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  const auto add = [&](std::initializer_list<uint32_t> code) { words.insert(words.end(), code); };
  while (words.size() < count) switch (below(kinds)) {
    case 0: add({0xBF840000 | ((below(64) - 32) & 0xFFFF)}); break;       // s_cbranch_scc0
    case 1: add({0xBF8C0070 | below(8) | below(4) << 8}); break;          // s_waitcnt
    case 2: add({0xBF800000 | below(16)}); break;                         // s_nop
    case 3: add({0xDC508000, 0x007F0000 | (16 + below(8)) << 24}); break; // global_load_dword
    case 4: add({0x02122910 + below(8)}); break;                          // v_add_f32 v9, v16 to v23, v20
    case 5: add({0xD3CD0000 | (16 + 4 * below(2)), 0x04523518}); break;   // v_mfma_f32_16x16x16_f16
    case 6: add({0xD86C0000, 0x00000009 | (16 + below(8)) << 24}); break; // ds_read_b32
    default: add({static_cast<uint32_t>(random())});
    }
  return words;
}

} // namespace fmha950::test
