// Registers in flight: what a wait guarantees, on streams of assembly without executing them.
#include "emulator/observe/in_flight.hpp"
#include "emulator/observe/instruction_info.hpp"
#include "tests/emulator/one_instruction.hpp"
#include "tests/observe/collected_hazards.hpp"

#include "tests/support/catch.hpp"
#include <fmt/format.h>

using namespace fmha950;

namespace {

// Walks the text as a wave would and returns "what; missing" of everything reported.
std::vector<std::string> walk(const std::string& text, uint64_t exec = ~uint64_t{0}) {
  const test::Code code(text);
  test::OneWave machine;
  machine::Wave& wave = machine.wave();
  wave.set_exec(exec);
  observe::InFlight in_flight;
  in_flight.start();
  test::CollectedHazards found;
  for (const isa::Instruction& in : code.instructions()) {
    const isa::Uses uses = isa::uses_of(in, test::Code::default_accum_offset);
    const observe::InFlightInfo info = observe::in_flight_info_of(in, uses);
    const std::string name = isa::disassemble(in);
    if (name.starts_with("s_waitcnt")) in_flight.wait(isa::waitcnt_of(in.simm16));
    in_flight.instruction(wave, in, uses, info, found);
    const observe::MemoryOperation operation = observe::memory_operation_of(in);
    if (operation.kind == observe::MemoryOperation::Kind::none) continue;
    if (info.flat) in_flight.issue(wave, in, uses, info, machine::Queue::ds, 1);
    const auto queue = in.encoding == isa::Encoding::ds     ? machine::Queue::ds
                       : in.encoding == isa::Encoding::smem ? machine::Queue::smem
                                                            : machine::Queue::vm;
    in_flight.issue(wave, in, uses, info, queue,
                    queue == machine::Queue::smem && operation.bytes > 4 ? 2 : 1);
  }
  std::vector<std::string> result;
  for (const auto& hazard : found.all) result.push_back(hazard.what + "; " + hazard.missing);
  return result;
}

const std::string load_v4 = "global_load_dword v4, v[0:1], off\n";
const std::string load_v5 = "global_load_dword v5, v[0:1], off\n";
const std::string use_v4 = "v_add_u32_e32 v9, v4, v4\n";

std::string repeat(int n, const std::string& text) {
  std::string all;
  for (int i = 0; i < n; ++i) all += text;
  return all;
}

} // namespace

TEST_CASE("in flight: a loaded register is read before, and after, the wait that covers it") {
  CHECK(walk(load_v4 + use_v4).at(0) ==
        "v4 is read while global_load_dword into v4 is in flight; s_waitcnt vmcnt(0)");
  CHECK(walk(load_v4 + "s_waitcnt vmcnt(0)\n" + use_v4).empty());
  CHECK(walk(load_v4 + load_v5 + "s_waitcnt vmcnt(1)\n" + use_v4).empty());
  CHECK(walk(load_v4 + load_v5 + "s_waitcnt vmcnt(2)\n" + use_v4).at(0) ==
        "v4 is read while global_load_dword into v4 is in flight; s_waitcnt vmcnt(1)");
  CHECK(walk(load_v4 + "s_waitcnt lgkmcnt(0)\n" + use_v4).size() == 1);
  CHECK(walk(load_v4 + "v_mov_b32_e32 v8, v7").empty());
}

TEST_CASE("in flight: overwriting a destination, except by a load of the same in-order queue") {
  CHECK(walk(load_v4 + "v_mov_b32_e32 v4, 0").at(0) ==
        "v4 is overwritten while global_load_dword into v4 is in flight; s_waitcnt vmcnt(0)");
  CHECK(walk(load_v4 + load_v4).empty());
  CHECK(walk(load_v4 + "ds_read_b32 v4, v9").size() == 1);
  CHECK(walk("ds_read_b64 v[4:5], v9\nds_read_b32 v4, v9").empty());
  CHECK(walk("s_load_dword s4, s[0:1], 0x0\ns_load_dword s4, s[2:3], 0x0").size() == 1);
}

TEST_CASE("in flight: stores owe the counter but no register") {
  CHECK(walk("global_store_dword v[0:1], v4, off\nv_mov_b32_e32 v4, 0").empty());
  CHECK(walk(load_v4 + "global_store_dword v[0:1], v5, off\ns_waitcnt vmcnt(1)\n" + use_v4).empty());
  CHECK(walk("global_store_dword v[0:1], v5, off\n" + load_v4 + "s_waitcnt vmcnt(1)\n" + use_v4).size() == 1);
}

TEST_CASE("in flight: SMEM returns out of order, so only lgkmcnt(0) covers it") {
  const std::string two = "s_load_dword s4, s[0:1], 0x0\ns_load_dword s5, s[0:1], 0x4\n";
  CHECK(walk(two + "s_waitcnt lgkmcnt(1)\ns_add_u32 s6, s4, s4").at(0) ==
        "s4 is read while s_load_dword into s4 is in flight; s_waitcnt lgkmcnt(0)");
  CHECK(walk(two + "s_waitcnt lgkmcnt(0)\ns_add_u32 s6, s4, s5").empty());
  // DS among SMEM is still in order: of lgkmcnt(1) at most one of the two reads remains.
  CHECK(walk("ds_read_b32 v4, v9\nds_read_b32 v5, v9\ns_load_dword s4, s[0:1], 0x0\ns_waitcnt lgkmcnt(1)\n" +
             use_v4)
            .empty());
}

TEST_CASE("in flight: FLAT owes both counters and is complete only at zero") {
  const std::string flat = "flat_load_dword v4, v[0:1]\n";
  CHECK(walk(flat + "s_waitcnt vmcnt(0)\n" + use_v4).size() == 1);
  CHECK(walk(flat + "s_waitcnt lgkmcnt(0)\n" + use_v4).size() == 1);
  CHECK(walk(flat + "s_waitcnt vmcnt(0) lgkmcnt(0)\n" + use_v4).empty());
  CHECK(walk(flat + load_v5 + "s_waitcnt vmcnt(1) lgkmcnt(0)\n" + use_v4).size() == 1);
}

TEST_CASE("in flight: a full counter stalls issue, which waits") {
  // The 64th load cannot issue before the first has returned; the second is still in flight.
  const std::string others = repeat(62, load_v5);
  CHECK(walk(load_v4 + others + use_v4).size() == 1);
  CHECK(walk(load_v4 + others + load_v5 + use_v4).empty());
  const std::string reads = repeat(14, "ds_read_b32 v5, v9\n");
  CHECK(walk("ds_read_b32 v4, v9\n" + reads + use_v4).size() == 1);
  CHECK(walk("ds_read_b32 v4, v9\n" + reads + "ds_read_b32 v6, v9\n" + use_v4).empty());
}

TEST_CASE("in flight: lanes that the load does not write are free, unless the instruction crosses lanes") {
  const test::Code code(load_v4 + "v_mov_b32_e32 v4, 0\nv_readlane_b32 s0, v4, 3");
  test::OneWave machine;
  machine::Wave& wave = machine.wave();
  observe::InFlight in_flight;
  in_flight.start();
  test::CollectedHazards found;
  const auto step = [&](size_t index) {
    const isa::Instruction& in = code.instructions()[index];
    const isa::Uses uses = isa::uses_of(in, test::Code::default_accum_offset);
    const auto info = observe::in_flight_info_of(in, uses);
    in_flight.instruction(wave, in, uses, info, found);
    if (index == 0) in_flight.issue(wave, in, uses, info, machine::Queue::vm, 1);
  };
  wave.set_exec(0xFF);
  step(0);
  wave.set_exec(0xFF00);
  step(1);
  CHECK(found.all.empty());
  step(2);
  CHECK(found.all.size() == 1);
}
