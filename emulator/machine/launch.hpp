#pragma once
// One kernel launch on the embedded device.

#include "emulator/machine/schedule.hpp"
#include "emulator/program/program.hpp"

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

namespace fmha950::loader {
struct Kernel;
}

namespace fmha950::machine {

enum class MfmaArithmetic : uint8_t { fma, fdpa }; // DESIGN.md section 4

struct Options { // of the device; set by FMHA950_* variables and fmha950SetOption (docs/device.md)
  Schedule schedule;
  std::string
      assumed; // by the cycle model of the schedule `timed`: words (emulator/timing/assumed.hpp); "" nothing
  int threads = 0; // 0: all cores
  MfmaArithmetic mfma = MfmaArithmetic::fma;
  uint32_t checks = 0;      // hazard classes to look for, one bit each (observe/report/hazard.hpp)
  bool drops_carry = false; // of a buffer's base[31:0] + offset (errata.md)
  bool bytes_to_nearest =
      false; // v_cvt_pk_u8_f32 rounds to nearest even, not toward zero: the ISA guide does not say
  std::string
      mutant; // changes to a kernel that its launches execute (observe/mutation/change_list.hpp); "" none
  // Of these, from 1: the checks count on nothing that this change and those behind it insert or tighten. 0: on all.
  uint32_t first_doubted = 0;
  // Nor on meetings at other barriers that inserted ones bring: of waves that came to different numbers of these others.
  bool doubts_meetings = false;
  uint64_t instruction_budget = 1ull << 30; // per wave: a runaway loop ends in a Fault
};

class HostServices;
class Listener;
class Pacer;

struct Launch {
  const loader::Kernel* kernel = nullptr;
  uint32_t grid[3] = {1, 1, 1};  // workgroups
  uint32_t block[3] = {1, 1, 1}; // work-items per workgroup
  uint64_t kernarg = 0;          // device address of the kernel argument segment, hidden arguments filled in
  uint64_t dispatch_packet = 0;  // device address of the AQL packet (machine_gfx950.md section 5.4)
  uint32_t dynamic_lds = 0;
  uint64_t number = 0; // how many launches the process made before this one: seeds schedules
  const std::vector<uint32_t>* only = nullptr; // linear workgroup ids to execute; null: all
  const std::vector<uint32_t>* work = nullptr; // of each workgroup, as the host has it; null: not known
  Options options;
  const isa::Program::Copies* code = nullptr; // executed in place of the functions' own: a mutant; null: none
  Listener* listener = nullptr;               // null: nobody follows
  Pacer* pacer = nullptr;                     // of the schedule `timed`
  const std::atomic<bool>* stop = nullptr;    // once true the launch ends in a Fault; null: never
  HostServices* host = nullptr;               // null: the kernel asks the host for nothing
};

// Runs the launch to its end on options.threads host threads. Throws Fault with the full context (kernel,
// workgroup, wave, instruction text, address, source line) of the first failure in workgroup order.
void run(const Launch& launch);

} // namespace fmha950::machine
