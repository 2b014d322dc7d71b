#include "emulator/machine/control.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/machine/host_services.hpp"
#include "emulator/machine/launch.hpp"
#include "emulator/machine/placement.hpp"
#include "emulator/machine/workgroup.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <iterator>

namespace fmha950::machine {
namespace {

struct Field {
  int id, offset, size;
  explicit Field(int simm16)
      : id(simm16 & 0x3F), offset(simm16 >> 6 & 0x1F), size((simm16 >> 11 & 0x1F) + 1) {}
  uint32_t mask() const { return size == 32 ? ~0u : ((1u << size) - 1); }
};

struct HardwareRegister {
  int id;
  uint32_t (*read)(const Wave&);
};
constexpr int hw_mode = 1;
constexpr HardwareRegister hardware_registers[] = {
    {hw_mode, [](const Wave& wave) { return wave.mode; }},
    {2, // STATUS
     [](const Wave& wave) {
       return static_cast<uint32_t>(wave.scc) | (wave.exec() == 0) << 9 | (wave.vcc() == 0) << 10;
     }},
    {4, [](const Wave& wave) { return placement_of(wave).hw_id; }},   // HW_ID
    {20, [](const Wave& wave) { return placement_of(wave).xcc_id; }}, // XCC_ID
};

const HardwareRegister* find_register(int id) { // null: there is none
  const auto* const found = std::ranges::find(hardware_registers, id, &HardwareRegister::id);
  return found == std::end(hardware_registers) ? nullptr : found;
}

} // namespace

void end_program(Wave& wave, const isa::Instruction&) {
  wave.memory.drain(wave);
  wave.state = WaveState::ended;
}

void ask_host(Wave& wave, const isa::Instruction&) {
  if (HostServices* const host = wave.workgroup->launch->host) host->serve();
}

void send_message(Wave& wave, const isa::Instruction& in) {
  switch (const int kind = in.simm16 & 0xF) {
  case 1: return ask_host(wave, in);
  case 4: raise_fault("s_sendmsg 4 (save wave) is for a trap handler");
  case 5: raise_fault("s_sendmsg 5 (stall wave generation) is for a trap handler");
  case 6: raise_fault("s_sendmsg 6 (halt waves) halts the other waves for ever");
  case 10: raise_fault("s_sendmsg 10 (get doorbell) is for a trap handler: no queue has a doorbell here");
  default: raise_fault(fmt::format("s_sendmsg {} is no message of a compute kernel", kind));
  }
}

void trap(Wave& wave, const isa::Instruction& in) {
  HostServices* const host = wave.workgroup->launch->host;
  const std::string said = host ? host->last_words(wave) : "";
  raise_fault(fmt::format("{}s_trap {}: the kernel called __builtin_trap, assert or abort",
                          said.empty() ? "" : said + "\n  ", in.simm16 & 0xFF));
}

void jump(Wave& wave, uint64_t address) {
  const isa::Program::Copies* code = wave.workgroup->launch->code;
  if (const isa::Instruction* target = code ? code->at(address) : nullptr) {
    wave.next = target;
    return;
  }
  const loader::CodeObject& object = *wave.workgroup->launch->kernel->object;
  if (const isa::Instruction* target = object.program().find(address, wave.accum_offset)) {
    wave.next = target;
    return;
  }
  const auto function = object.function_at(address);
  if (!function) raise_fault(fmt::format("jump to {:#x}, which is no code of this code object", address));
  const isa::Instruction* target =
      object.program().decode(function->begin, function->end, wave.accum_offset).at(address);
  if (!target)
    raise_fault(fmt::format("jump to {:#x}, inside an instruction of {}", address, function->name));
  wave.next = target;
}

namespace {

constexpr int csp_shift = 29;
constexpr uint32_t csp_mask = 7;

uint32_t stack_height(const Wave& wave) { return wave.mode >> csp_shift & csp_mask; }
void set_stack_height(Wave& wave,
                      uint32_t height) { // the guide does not say what happens beyond 7: it wraps, a guess
  wave.mode = (wave.mode & ~(csp_mask << csp_shift)) | (height & csp_mask) << csp_shift;
}

} // namespace

void fork(Wave& wave, uint64_t condition, uint64_t target, uint64_t next) {
  const uint64_t exec = wave.exec(), pass = condition & exec, fail = ~condition & exec;
  if (pass == exec) return jump(wave, target);
  if (fail == exec) return;
  const bool fail_first = std::popcount(fail) < std::popcount(pass);
  const int top = static_cast<int>(stack_height(wave)) * 4;
  wave.set_sgpr64(top, fail_first ? pass : fail);
  wave.set_sgpr64(top + 2, fail_first ? target : next);
  set_stack_height(wave, stack_height(wave) + 1);
  wave.set_exec(fail_first ? fail : pass);
  if (!fail_first) jump(wave, target);
}

void join(Wave& wave, uint32_t height) {
  if (stack_height(wave) == height) return;
  set_stack_height(wave, stack_height(wave) - 1);
  const int top = static_cast<int>(stack_height(wave)) * 4;
  wave.set_exec(wave.sgpr64(top));
  jump(wave, wave.sgpr64(top + 2));
}

bool can_get_register(int simm16) { return find_register(Field(simm16).id) != nullptr; }

bool can_set_register(int simm16) { return Field(simm16).id == hw_mode; }

uint32_t get_register(const Wave& wave, int simm16) {
  const Field field(simm16);
  const HardwareRegister* const found = find_register(field.id);
  if (!found) raise_fault(fmt::format("s_getreg_b32 of hardware register {} is not implemented", field.id));
  return found->read(wave) >> field.offset & field.mask();
}

void set_register(Wave& wave, int simm16, uint32_t value) {
  const Field field(simm16);
  if (!can_set_register(simm16))
    raise_fault(fmt::format("s_setreg_b32 of hardware register {} is not implemented", field.id));
  const uint32_t mask = field.mask() << field.offset;
  wave.mode = (wave.mode & ~mask) | (value << field.offset & mask);
}

} // namespace fmha950::machine
