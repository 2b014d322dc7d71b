// Soundness of matrix and memory instructions, as initialised_random_test.cpp has it for the others: what
// nobody wrote goes through LDS, device memory and matrix products.

#include "emulator/isa/families.hpp"
#include "tests/observe/twin_states.hpp"

using namespace fmha950;
using namespace fmha950::test;

namespace {

std::string registers(const char* file, int first, int count) {
  return count == 1 ? file + std::to_string(first)
                    : std::string(file) + "[" + std::to_string(first) + ":" +
                          std::to_string(first + count - 1) + "]";
}
std::string v(int first, int count) { return registers("v", first, count); }

// The first of the texts that assembles.
std::string first_form(const std::vector<std::string>& texts) {
  for (const std::string& text : texts) try {
      assemble(text);
      return text;
    } catch (const std::runtime_error&) {
    }
  return "";
}

std::vector<std::string> forms_of_matrix(const std::string& mnemonic) {
  std::vector<std::string> texts;
  const bool sparse = mnemonic.starts_with("v_smfmac");
  for (int d : {4, 16, 32, 2, 8})
    for (int a : {1, 2, 4, 8}) {
      const std::string result = v(32, d), left = v(0, a), right = v(16, sparse ? 2 * a : a);
      texts.push_back(mnemonic + " " + result + ", " + left + ", " + right + ", " +
                      (sparse ? "v108" : result));
      if (mnemonic.find("scale") != mnemonic.npos)
        texts.push_back(texts.back() + ", v100, v101 op_sel:[1,0,0] op_sel_hi:[0,1,0]");
    }
  return texts;
}

const char* const lds_stores[] = {
    "ds_write_b8 v110, v0 offset:1",
    "ds_write_b8_d16_hi v110, v0 offset:2",
    "ds_write_b16 v110, v0 offset:2",
    "ds_write_b16_d16_hi v110, v0",
    "ds_write_b32 v110, v0",
    "ds_write_b64 v110, v[0:1]",
    "ds_write_b96 v110, v[0:2]",
    "ds_write_b128 v110, v[0:3]",
    "ds_write2_b32 v110, v0, v5 offset1:1",
    "ds_write2st64_b32 v110, v0, v5 offset0:1 offset1:2",
    "ds_write2_b64 v110, v[0:1], v[6:7] offset1:1",
    "flat_store_dwordx2 v[108:109], v[0:1]\nds_write_b128 v110, v[2:5]",
    "ds_write_addtid_b32 v0",
    "ds_write_b64 v110, v[0:1]\nds_add_u32 v110, v4",
    "ds_write_b64 v110, v[0:1]\nds_cmpst_b32 v110, v4, v5",
    "ds_write_b64 v110, v[0:1]\nds_wrxchg2_rtn_b32 v[12:13], v110, v4, v5 offset1:1",
    "ds_write_b64 v110, v[0:1]\nds_add_rtn_u64 v[12:13], v110, v[4:5]",
    "ds_write_b64 v110, v[0:1]\nds_append v12",
    "ds_write_b128 v110, v[0:3]\nds_wrxchg_rtn_b32 v12, v110, v4"};
const char* const lds_loads[] = {"ds_read_u8 v8, v110 offset:1",
                                 "ds_read_i8 v8, v110 offset:1",
                                 "ds_read_u16 v8, v110",
                                 "ds_read_i16 v8, v110 offset:2",
                                 "ds_read_u8_d16 v8, v110",
                                 "ds_read_i8_d16_hi v8, v110 offset:2",
                                 "ds_read_u16_d16_hi v8, v110",
                                 "ds_read_b32 v8, v110",
                                 "ds_read_b64 v[8:9], v110",
                                 "ds_read_b96 v[8:10], v110",
                                 "ds_read_b128 v[8:11], v110",
                                 "ds_read2_b32 v[8:9], v110 offset1:1",
                                 "ds_read2st64_b32 v[8:9], v110 offset1:1",
                                 "ds_read2_b64 v[8:11], v110 offset1:1",
                                 "ds_read_addtid_b32 v8",
                                 "ds_read_b64_tr_b16 v[8:9], v110",
                                 "ds_read_b64_tr_b8 v[8:9], v110",
                                 "ds_read_b64_tr_b4 v[8:9], v110",
                                 "ds_read_b96_tr_b6 v[8:10], v110"};
const char* const exchanges[] = {"ds_bpermute_b32 v8, v110, v0 offset:12",
                                 "ds_permute_b32 v8, v110, v0 offset:20",
                                 "ds_bpermute_b32 v8, v4, v0",
                                 "ds_permute_b32 v8, v4, v0",
                                 "ds_swizzle_b32 v8, v0 offset:swizzle(QUAD_PERM, 1,3,2,0)",
                                 "ds_swizzle_b32 v8, v0 offset:swizzle(BROADCAST,8,3)",
                                 "ds_swizzle_b32 v8, v0 offset:0xc041"};
const char* const memory_stores[] = {
    "global_store_byte v[108:109], v0, off offset:1",
    "global_store_byte_d16_hi v[108:109], v0, off",
    "global_store_short v[108:109], v0, off offset:2",
    "global_store_short_d16_hi v[108:109], v0, off",
    "global_store_dword v[108:109], v0, off",
    "global_store_dwordx2 v[108:109], v[0:1], off",
    "global_store_dwordx3 v[108:109], v[0:2], off",
    "global_store_dwordx4 v[108:109], v[0:3], off",
    "global_store_dword v111, v0, s[12:13]",
    "buffer_store_dwordx4 v[0:3], v111, s[12:15], 0 offen",
    "buffer_store_dword v0, v111, s[12:15], 0 offen offset:4095",
    "flat_store_dwordx4 v[108:109], v[0:3]",
    "global_store_dwordx4 v[108:109], v[0:3], off\nglobal_atomic_add v[108:109], v4, off",
    "global_store_dwordx4 v[108:109], v[0:3], off\nglobal_atomic_swap v12, v[108:109], v4, off sc0",
    "global_store_dwordx4 v[108:109], v[0:3], off\nglobal_atomic_cmpswap v12, v[108:109], v[4:5], off sc0",
    "global_store_dwordx2 v[108:109], v[0:1], off\nglobal_atomic_add_x2 v[108:109], v[4:5], off",
    "buffer_store_dwordx2 v[0:1], v111, s[12:15], 0 offen\nbuffer_atomic_or v4, v111, s[12:15], 0 offen sc0",
    "global_store_dwordx4 v[108:109], v[0:3], off\ns_store_dwordx2 s[4:5], s[12:13], 0x8",
    "s_store_dwordx4 s[4:7], s[12:13], 0x0",
    "global_store_dword v[108:109], v0, off\ns_atomic_add s4, s[12:13], 0x0 glc",
};
const char* const memory_loads[] = {"global_load_ubyte v8, v[108:109], off offset:1",
                                    "global_load_sbyte v8, v[108:109], off offset:1",
                                    "global_load_sshort v8, v[108:109], off offset:2",
                                    "global_load_ubyte_d16_hi v8, v[108:109], off",
                                    "global_load_short_d16 v8, v[108:109], off",
                                    "global_load_dword v8, v[108:109], off",
                                    "global_load_dwordx2 v[8:9], v[108:109], off",
                                    "global_load_dwordx3 v[8:10], v[108:109], off",
                                    "global_load_dwordx4 v[8:11], v[108:109], off",
                                    "buffer_load_dwordx4 v[8:11], v111, s[12:15], 0 offen",
                                    "buffer_load_sbyte v8, v111, s[12:15], 0 offen offset:3",
                                    "flat_load_dwordx4 v[8:11], v[108:109]",
                                    "s_load_dwordx4 s[8:11], s[12:13], 0x0",
                                    "s_load_dword s8, s[12:13], 0x4",
                                    "s_buffer_load_dwordx2 s[8:9], s[12:15], 0x0",
                                    "global_load_lds_dword v[108:109], off\nds_read_b32 v8, v110",
                                    "global_load_lds_dwordx4 v[108:109], off\nds_read_b128 v[8:11], v110",
                                    "global_load_lds_sbyte v[108:109], off\nds_read_b128 v[8:11], v110"};

} // namespace

TEST_CASE("initialised: what memory passes on is marked: LDS", "[initialised][slow]") {
  TwinMemory memory;
  uint64_t seed = 1;
  for (const char* store : lds_stores)
    for (const char* load : lds_loads) check_soundness(std::string(store) + "\n" + load, 8, ++seed, &memory);
  for (const char* exchange : exchanges) check_soundness(exchange, 60, ++seed, &memory);
  SUCCEED();
}

TEST_CASE("initialised: what memory passes on is marked: device memory", "[initialised][slow]") {
  TwinMemory memory;
  uint64_t seed = 1000;
  for (const char* store : memory_stores)
    for (const char* load : memory_loads)
      check_soundness(std::string(store) + "\n" + load, 8, ++seed, &memory);
  SUCCEED();
}

TEST_CASE("initialised: what matrix instructions pass on is marked", "[initialised][slow]") {
  size_t count = 0;
  for (const isa::Rows& rows : {isa::simd_baseline::rows_mfma, isa::simd_baseline::rows_mfma_f64,
                                isa::simd_baseline::rows_mfma_f8f6f4, isa::simd_baseline::rows_mfma_sparse})
    for (size_t i = 0; i < rows.count; ++i) {
      const std::string text = first_form(forms_of_matrix(rows.first[i].mnemonic));
      INFO(rows.first[i].mnemonic);
      REQUIRE(text != "");
      check_soundness(text, 12, ++count);
    }
  CHECK(count == 68);
}
