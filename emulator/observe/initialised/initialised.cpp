#include "emulator/observe/initialised/initialised.hpp"

#include "emulator/loader/code_object.hpp"
#include "emulator/machine/launch.hpp"
#include "emulator/machine/workgroup.hpp"
#include "emulator/observe/initialised/initialised_flow.hpp"
#include "emulator/observe/report/party.hpp"

#include <fmt/format.h>

namespace fmha950::observe {

namespace code = machine::code;
using isa::RegisterRange;
using Kind = InitialisedInfo::Kind;

// What the launch sets up (machine/initial_state.cpp, machine_gfx950.md section 5.2).
void Initialised::start(const machine::Workgroup& workgroup) {
  waves_.resize(workgroup.waves.size());
  for (const machine::Wave& wave : workgroup.waves) {
    RegisterValidity& registers = waves_[static_cast<size_t>(wave.index)];
    registers.set_reader(0);
    registers.reset();
    const uint64_t dead = ~wave.exec();
    registers.set_vgpr(0, {dead, dead, dead, dead}, 0);
    int scalars = 0;
    if (const loader::Kernel* kernel = workgroup.launch->kernel) {
      scalars = static_cast<int>(kernel->rsrc2 >> 1 & 0x1F);
      for (int bit = 7; bit <= 10; ++bit) scalars += kernel->rsrc2 >> bit & 1; // workgroup ids and info
    }
    for (int r = 0; r < scalars; ++r) registers.set_sgpr(r, 0, 0);
    registers.set_sgpr64(code::exec, 0, 0);
    registers.set_sgpr64(code::flat_scratch, 0, 0);
    registers.set_sgpr64(code::xnack_mask, 0, 0);
    for (int r = code::ttmp; r < code::m0; ++r) registers.set_sgpr(r, 0, 0);
  }
  memory_.start(workgroup);
}

void Initialised::follow(const machine::Wave& wave, const isa::Instruction& in, const isa::Uses& uses,
                         const InitialisedInfo& info) {
  RegisterValidity& registers = waves_[static_cast<size_t>(wave.index)];
  registers.set_reader(in.address);
  switch (info.kind) {
  case Kind::nothing: return;
  case Kind::memory: return check_address(wave, in, info);
  case Kind::branch: return check_branch(wave, in, uses);
  case Kind::jump:
    check_scalar(wave, in, in.src[0].index, 2, "the address of a jump");
    for (int r = 0; r < info.results; ++r) registers.set_sgpr(in.dst + r, 0, 0);
    return;
  case Kind::matrix: return flow_matrix(registers, wave, in, info);
  case Kind::scalar:
  case Kind::exec:
  case Kind::vgpr_index:
  case Kind::move_relative: flow_scalar(registers, wave, in, uses, info); break;
  default: flow_vector(registers, wave, in, info);
  }
  check_scalar(wave, in, code::exec, 2, "EXEC, which decides what lanes do");
}

void Initialised::check_address(const machine::Wave& wave, const isa::Instruction& in,
                                const InitialisedInfo& info) {
  RegisterValidity& registers = waves_[static_cast<size_t>(wave.index)];
  for (const ValueSource& source : info.source) {
    if (source.kind == ValueSource::Kind::scalar) {
      const char* use = source.first == code::m0 ? "the address in LDS of a memory access"
                        : source.registers == 4  ? "the resource descriptor of a memory access"
                                                 : "the address of a memory access";
      check_scalar(wave, in, source.first, source.registers, use);
      continue;
    }
    if (source.kind != ValueSource::Kind::vector) continue;
    bool reported = false;
    for (int r = source.first; r < source.first + source.registers; ++r) {
      ByteLanes bytes = registers.vgpr(r);
      const uint64_t lanes = any_byte(bytes) & wave.exec();
      if (!lanes) continue;
      if (!reported)
        report(wave, in, {RegisterRange::File::vector, false, source.first, source.registers},
               __builtin_ctzll(lanes), registers.vgpr_origin(r), "the address of a memory access");
      reported = true;
      for (uint64_t& byte : bytes) byte &= ~lanes;
      registers.set_vgpr(r, bytes, registers.vgpr_origin(r));
    }
  }
}

void Initialised::check_branch(const machine::Wave& wave, const isa::Instruction& in, const isa::Uses& uses) {
  const RegisterValidity& registers = waves_[static_cast<size_t>(wave.index)];
  for (const RegisterRange& condition : uses.reads()) {
    if (condition.first == code::exec) continue; // never invalid: where it is written, it is reported
    if (condition.first == code::vcc && nonzero(scalar_pair(registers, wave, code::vcc)).is_valid())
      continue; // some bit settles it
    check_scalar(wave, in, condition.first, condition.count, "the condition of a branch");
  }
}

void Initialised::vgpr_index(const machine::Wave& wave, const isa::Instruction& in) {
  constexpr uint32_t fields = 0xF0FF; // isa::VgprIndex
  if (waves_[static_cast<size_t>(wave.index)].sgpr(code::m0) & fields)
    check_scalar(wave, in, code::m0, 1, "the index of a VGPR");
}

void Initialised::check_scalar(const machine::Wave& wave, const isa::Instruction& in, int first, int count,
                               const char* use) {
  RegisterValidity& registers = waves_[static_cast<size_t>(wave.index)];
  bool reported = false;
  for (int r = first; r < first + count; ++r) {
    if (!registers.sgpr(r)) continue;
    if (!reported)
      report(wave, in,
             {RegisterRange::File::scalar, false, static_cast<uint16_t>(first), static_cast<uint8_t>(count)},
             -1, registers.sgpr_origin(r), use);
    reported = true;
    registers.set_sgpr(r, 0, 0);
  }
}

void Initialised::report(const machine::Wave& wave, const isa::Instruction& in, RegisterRange range, int lane,
                         uint64_t origin_bits, const char* use) {
  const Origin origin(origin_bits);
  Hazard hazard;
  hazard.type = HazardClass::uninitialised;
  hazard.kernel = kernel_of(wave);
  hazard.later = party_of(wave, in, lane);
  if (origin.instruction())
    hazard.earlier = {origin.instruction(), wave.workgroup->linear_id, wave.index, lane};
  std::string from = "a register that nobody wrote";
  hazard.usually =
      "a variable that one path leaves unset, or a register that inline assembly reads and does not name "
      "as an input";
  if (origin.is_memory()) {
    const LoadedBytes loaded = memory_.loaded(wave.index, origin.instruction(), lane);
    hazard.begin = loaded.begin;
    hazard.end = loaded.end;
    from = fmt::format("{} that nobody wrote", loaded.in_lds ? "bytes of LDS" : "bytes of device memory");
    hazard.usually =
        loaded.in_lds
            ? "a slot that no lane fills (a tail, padding), or a tile that is read before it is loaded"
            : "memory that was neither set nor copied to, a part that an earlier kernel does not fill, or "
              "an index past the part in use";
  } else if (origin.is_vgpr() || origin.is_sgpr()) {
    const isa::RegisterRange written{origin.is_vgpr() ? RegisterRange::File::vector
                                                      : RegisterRange::File::scalar,
                                     false, static_cast<uint16_t>(origin.number()), 1};
    from = fmt::format("{}, a register that nobody wrote", isa::name_of(written, wave.accum_offset));
  }
  hazard.what =
      fmt::format("{} is {}, and its value comes from {}", isa::name_of(range, wave.accum_offset), use, from);
  sink_.report(std::move(hazard));
}

} // namespace fmha950::observe
