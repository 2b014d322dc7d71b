#include "emulator/rates/instruction_use.hpp"

#include "emulator/isa/decode/mc.hpp"
#include "emulator/isa/mnemonic.hpp"
#include "emulator/isa/waitcnt.hpp"
#include "emulator/rates/lds_phases.hpp"
#include "emulator/rates/rates.hpp"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

namespace fmha950::timing {
namespace {

using isa::contains;

// Bytes that a token of a memory instruction's name stands for: dwordx4, ubyte, b96, f32, x2. 0: none.
int bytes_of_token(std::string_view token) {
  if (token == "dword") return 4;
  if (token == "ubyte" || token == "sbyte" || token == "byte") return 1;
  if (token == "ushort" || token == "sshort" || token == "short") return 2;
  if (token == "xy") return 8;
  if (token == "xyz") return 12;
  if (token == "xyzw") return 16;
  int number = 0;
  const auto is_number_after = [&](std::string_view prefix) {
    if (!token.starts_with(prefix)) return false;
    const char* end = token.data() + token.size();
    const auto parsed = std::from_chars(token.data() + prefix.size(), end, number);
    return parsed.ec == std::errc() && parsed.ptr == end;
  };
  if (is_number_after("dwordx") || is_number_after("x")) return 4 * number;
  for (std::string_view type : {"bf", "b", "u", "i", "f"})
    if (is_number_after(type)) return number / 8;
  return 0;
}

// Bytes per lane (SMEM: per wave) that a memory instruction moves, from its name.
int access_bytes(std::string_view mnemonic) {
  if (contains(mnemonic, "_pk_add")) return 4;
  const int times =
      contains(mnemonic, "read2") || contains(mnemonic, "write2") || contains(mnemonic, "xchg2") ? 2 : 1;
  for (size_t at = 0; at < mnemonic.size();) {
    const size_t end = std::min(mnemonic.find('_', at), mnemonic.size());
    if (const int bytes = bytes_of_token(mnemonic.substr(at, end - at)))
      return contains(mnemonic, "format_d16") ? bytes / 2 : times * bytes;
    at = end + 1;
  }
  return contains(mnemonic, "atomic") || contains(mnemonic, "format_x") ? 4 : 0;
}

void use_of_lds(std::string_view mnemonic, InstructionUse& use) {
  const int bytes = access_bytes(mnemonic);
  use.lds_bytes = wave_lanes * bytes;
  if (contains(mnemonic, "_tr_")) {
    use.kind = Kind::lds_transpose;
    // b64_tr_b16: 2 phases (data/calibration/lds_phases.csv); the others guessed alike.
    use.lds_read_clocks = lds_clocks(LdsDirection::read, bytes);
  } else if (mnemonic.starts_with("ds_read")) {
    use.kind = Kind::lds_read;
    use.lds_read_clocks = lds_clocks(LdsDirection::read, bytes);
  } else if (mnemonic.starts_with("ds_write")) {
    use.kind = Kind::lds_write;
    use.lds_write_clocks = lds_clocks(LdsDirection::write, bytes);
  } else if (contains(mnemonic, "permute") || contains(mnemonic, "swizzle")) {
    use.kind = Kind::lds_exchange; // in by the port that takes write data: guess
    use.lds_write_clocks = lds_clocks(LdsDirection::write, bytes);
  } else if (bytes > 0) {
    use.kind = Kind::lds_atomic; // data in as a write, old value out as a read: guess
    use.lds_read_clocks = lds_clocks(LdsDirection::read, bytes);
    use.lds_write_clocks = lds_clocks(LdsDirection::write, bytes);
  } else {
    use.kind = Kind::lds_exchange; // ds_nop, ds_append, ds_gws_*: no data of the lanes
    use.lds_write_clocks = 1;
  }
}

void use_of_vmem(std::string_view mnemonic, bool to_lds, InstructionUse& use) {
  const int bytes = access_bytes(mnemonic);
  use.vmem_bytes = wave_lanes * bytes;
  if (to_lds) {
    use.kind = Kind::lds_dma;
    use.lds_bytes = wave_lanes * std::max(bytes, 4); // sub-dword loads fill a dword: machine_gfx950.md 3.2
    use.lds_write_clocks = lds_clocks(LdsDirection::write, bytes);
  } else if (contains(mnemonic, "atomic"))
    use.kind = Kind::vmem_atomic;
  else if (contains(mnemonic, "_load_"))
    use.kind = Kind::vmem_load;
  else if (contains(mnemonic, "_store_"))
    use.kind = Kind::vmem_store;
  else
    use.kind = Kind::cache_control;
}

void use_of_internal(std::string_view mnemonic, const isa::Instruction& in, InstructionUse& use) {
  // 6.2: "waitcnt/nop-like internal instructions aside"; which ones, by GCN's usage: guess.
  use.issues = false;
  if (mnemonic.starts_with("s_waitcnt"))
    use.kind = Kind::wait;
  else if (mnemonic == "s_barrier")
    use.kind = Kind::barrier;
  else if (mnemonic == "s_nop") {
    use.kind = Kind::nop;
    use.wait_states = (in.simm16 & 15) + 1; // 1.2
  } else
    use.kind = Kind::other_internal;
}

} // namespace

std::string assembler_mnemonic_of(const isa::Instruction& in) {
  if (in.row) return in.row->mnemonic;
  return isa::identify({reinterpret_cast<const uint8_t*>(in.words), in.bytes}, in.address).mnemonic;
}

InstructionUse use_of(const isa::Instruction& in) {
  InstructionUse use;
  const std::string mnemonic = assembler_mnemonic_of(in);
  if (mnemonic.empty()) return use;
  switch (in.encoding) {
  case isa::Encoding::sop1:
  case isa::Encoding::sop2:
  case isa::Encoding::sopc:
  case isa::Encoding::sopk:
    use.kind = mnemonic == "s_swappc_b64" || mnemonic == "s_call_b64" ? Kind::call
               : mnemonic == "s_setpc_b64"                            ? Kind::branch
                                                                      : Kind::salu;
    return use;
  case isa::Encoding::sopp:
    if (isa::is_relative_branch(in) || mnemonic.starts_with("s_endpgm"))
      use.kind = Kind::branch;
    else
      use_of_internal(mnemonic, in, use);
    return use;
  case isa::Encoding::smem:
    use.kind = Kind::smem;
    use.smem_bytes = mnemonic.starts_with("s_mem") ? 8 : access_bytes(mnemonic);
    return use;
  case isa::Encoding::ds: use_of_lds(mnemonic, use); return use;
  case isa::Encoding::mubuf:
  case isa::Encoding::mtbuf:
  case isa::Encoding::flat: use_of_vmem(mnemonic, in.lds || contains(mnemonic, "_lds_"), use); return use;
  case isa::Encoding::mai:
    if (isa::matrix_of(in)) {
      use.kind = Kind::mfma;
      use.matrix_clocks = clocks_per_pass * matrix_passes(in);
      return use;
    }
    break;
  default: break;
  }
  use.valu_clocks = valu_clocks(mnemonic);
  use.kind = is_transcendental(mnemonic)     ? Kind::transcendental
             : is_conversion(mnemonic)       ? Kind::conversion
             : mnemonic.starts_with("v_pk_") ? Kind::packed_valu
                                             : Kind::plain_valu;
  return use;
}

std::string mfma_name(const isa::Instruction& in) {
  const std::string mnemonic = assembler_mnemonic_of(in);
  const isa::MatrixFacts* matrix = isa::matrix_of(in);
  if (!matrix || !matrix->is_f8f6f4()) return mnemonic;
  return fmt::format("{} {} x {}", mnemonic, f8f6f4_format(cbsz(in)), f8f6f4_format(blgp(in)));
}

std::string wait_name(const isa::Instruction& in) {
  // A field at its maximum waits for nothing.
  const auto [vmcnt, lgkmcnt] = isa::waitcnt_of(in.simm16);
  const int expcnt = in.simm16 >> 4 & 7;
  std::string text;
  const auto add = [&](const char* name, int value, int most) {
    if (value < most) text += fmt::format("{}{}({})", text.empty() ? "" : " ", name, value);
  };
  add("vmcnt", vmcnt, 63);
  add("expcnt", expcnt, 7);
  add("lgkmcnt", lgkmcnt, 15);
  return text.empty() ? "nothing" : text;
}

} // namespace fmha950::timing
