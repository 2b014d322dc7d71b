#pragma once
// Runs assembly text on a bare wave: assembled by LLVM's MC layer, decoded by isa::Program, executed
// instruction by instruction. For tests of single instructions and short sequences; branches give their
// distance in dwords, not a label.
//
//   OneWave w;
//   w.lane(0, 5) = 7;                         // v0, lane 5
//   w.run("v_add_u32_e32 v1, 3, v0");
//   REQUIRE(w.lane(1, 5) == 10);

#include "emulator/isa/decode/opcode_table.hpp"
#include "emulator/machine/launch.hpp"
#include "emulator/machine/workgroup.hpp"
#include "emulator/program/program.hpp"

#include <cstring>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fmha950::test {

// For gfx950; throws std::runtime_error with the assembler's message.
std::vector<uint8_t> assemble(std::string_view text);

// Assembled and decoded text.
class Code {
 public:
  static constexpr uint32_t default_accum_offset = 256;
  explicit Code(std::string_view text, uint32_t accum_offset = default_accum_offset);
  // `keeper`: the program of which it is altered code, as a mutant's, instead of one of its own.
  explicit Code(const std::vector<uint8_t>& bytes, uint32_t accum_offset = default_accum_offset,
                isa::Program* keeper = nullptr);
  ~Code();
  Code(const Code&) = delete;
  std::span<const isa::Instruction> instructions() const { return instructions_; }
  const isa::Program::Block& block() const { return *block_; }
  const isa::Program::Copies& copies() const { return *copies_; } // the block alone: jumps lead into it

 private:
  void* memory_;
  isa::Program program_;
  const isa::Program::Copies* copies_;
  const isa::Program::Block* block_;
  std::span<const isa::Instruction> instructions_;
};

class OneWave {
 public:
  static constexpr uint32_t default_mode = 0xF0; // round to nearest even, denormals kept
  explicit OneWave(machine::Options options = {}, uint32_t vgprs = 512,
                   uint32_t accum_offset = Code::default_accum_offset);
  OneWave(const OneWave&) = delete;

  uint32_t& lane(int vgpr, int lane) { return wave().vgpr[vgpr * 64 + lane]; }
  float& lane_f32(int vgpr, int lane_id) { return reinterpret_cast<float&>(lane(vgpr, lane_id)); }
  uint64_t lane64(int vgpr, int lane_id) {
    return lane(vgpr, lane_id) | uint64_t{lane(vgpr + 1, lane_id)} << 32;
  }
  void set_lane64(int vgpr, int lane_id, uint64_t value) {
    lane(vgpr, lane_id) = static_cast<uint32_t>(value);
    lane(vgpr + 1, lane_id) = static_cast<uint32_t>(value >> 32);
  }
  uint32_t& sgpr(int index) { return wave().sgpr[index]; }
  machine::Wave& wave() { return workgroup_.waves[0]; }
  machine::Workgroup& workgroup() { return workgroup_; }
  machine::Launch& launch() { return launch_; }
  machine::Options& options() { return launch_.options; }
  std::vector<uint8_t>& lds() { return lds_; } // 160 KiB
  void run(std::string_view text);             // throws machine::Fault
  void run(const Code& code);

 private:
  machine::Launch launch_;
  machine::Workgroup workgroup_;
  std::vector<uint32_t> vgprs_;
  std::vector<uint8_t> lds_;
};

// What `text` leaves in v6 of a lane that has a, b and c in v0, v1 and v2, and `before` in v6.
uint32_t run_in_lane(std::string_view text, uint32_t a, uint32_t b = 0, uint32_t c = 0, uint32_t before = 0,
                     uint32_t mode = OneWave::default_mode);

// Mnemonics that OneWave has run in this process; written to the file that FMHA950_EXECUTED_ROWS names when
// the process ends.
std::set<std::string>& executed_rows();

// Every choice of FMHA950_SIMD this host can run, to compare results between them: for (auto simd :
// host_simds()) ...
std::vector<std::string> host_simds();

} // namespace fmha950::test
